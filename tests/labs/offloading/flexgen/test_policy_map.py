"""What binds where."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.labs.offloading.flexgen.policy_map import COUNTS, NO_ROOM, SIZES, policy_map


def test_as_published_the_disk_binds():
    found = policy_map(200, 1.0)
    place = SIZES.index(32), COUNTS.index(8)
    assert found.bound[place] == 0
    assert found.throughput[place] == pytest.approx(0.705, abs=5e-4)


def test_what_does_not_fit_has_no_throughput():
    found = policy_map(200, 1.0)
    assert ((found.throughput == 0) == (found.bound == NO_ROOM)).all()
    assert (found.bound[SIZES.index(64)] == NO_ROOM).all()


def test_faster_disks_and_more_memory_are_never_worse():
    base = policy_map(200, 1.0).throughput
    for better in (policy_map(200, 2.0), policy_map(400, 1.0)):
        assert (better.throughput >= base * (1 - 1e-6)).all()
    assert policy_map(800, 4.0).best != (0, 0)
    assert not (policy_map(800, 4.0).bound == 0).any()


def test_bad_input():
    with pytest.raises(ValueError, match="dram must be above 0, got 0"):
        policy_map(0, 1.0)
    with pytest.raises(ValueError, match="disks must be above 0, got -1"):
        policy_map(200, -1)


def test_best_is_the_largest():
    found = policy_map(400, 1.0)
    assert found.throughput[found.best] == np.max(found.throughput)
