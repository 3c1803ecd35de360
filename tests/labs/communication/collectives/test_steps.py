"""Every state of the drawing can be read and says what its schedule does."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.communication import collective_cost
from perfmodel.labs.communication.collectives.inputs import BANDWIDTH, LATENCY
from perfmodel.labs.communication.collectives.steps import (
    ALGORITHMS_SHOWN,
    MOST_ROUNDS,
    RANKS,
    SIZE,
    stepped_all_reduce,
    summed_ranks,
)


@pytest.mark.parametrize("algorithm", ALGORITHMS_SHOWN)
def test_every_state_can_be_read(algorithm):
    heights = set()
    for rounds in range(MOST_ROUNDS + 1):
        scene = stepped_all_reduce(algorithm, rounds)
        assert scene.faults() == []
        heights.add(scene.height)
    assert len(heights) == 1
    cost = collective_cost("all-reduce", algorithm, RANKS, SIZE)
    assert scene.values["ranks that have it all"] == RANKS
    assert scene.values["time (µs)"] == pytest.approx(1e6 * cost.time(LATENCY, BANDWIDTH))


def test_sums_by_hand():
    assert (summed_ranks("tree", 0) == 1).all()
    assert summed_ranks("tree", 3).max(axis=1).tolist() == [8, 4, 2, 2, 1, 1, 1, 1]
    assert (summed_ranks("recursive doubling", 2) == 4).all()
    ring = summed_ranks("ring", 7)
    assert sorted(ring[0]) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert np.argwhere(ring == 8).tolist() == [[rank, rank] for rank in range(RANKS)]


def test_no_such_algorithm():
    with pytest.raises(ValueError, match="algorithm must be one of ring, tree"):
        stepped_all_reduce("Bruck", 1)
