"""The shipped traces: what is known of them, and that each block has one predecessor."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.labs.offloading.prefix_caching.inputs import BLOCK_TOKENS
from perfmodel.labs.offloading.prefix_caching.replay import lru_curve
from perfmodel.labs.offloading.prefix_caching.traces import (
    TRACES,
    block_times,
    mooncake,
    shuffled,
)
from perfmodel.offloading import independent_hit_ratio, reuse_gaps, working_set_hit_ratio

SIZES = [1000, 2000, 5859, 10_000, 20_000, 30_000, 50_000, 97_656]


@pytest.mark.parametrize("name", TRACES)
def test_blocks_follow_one_other_and_are_numbered_as_they_appear(name: str) -> None:
    requests = mooncake(name)
    inside = np.setdiff1d(np.arange(requests.blocks.size), requests.start[:-1])
    pairs = np.unique(np.stack([requests.blocks[inside - 1], requests.blocks[inside]]), axis=1)
    assert np.unique(pairs[1]).size == pairs.shape[1]
    _, first = np.unique(requests.blocks, return_index=True)
    assert (np.diff(first) > 0).all()
    assert (requests.lengths == -(-requests.prompt // BLOCK_TOKENS)).all()


def test_the_conversation() -> None:
    requests = mooncake("conversation")
    counts = np.bincount(requests.blocks)
    assert (counts == 1).mean() == pytest.approx(0.758, abs=5e-4)
    assert (counts == requests.prompt.size).sum() == 1
    assert np.quantile(requests.prompt, [0.1, 0.5, 0.9, 0.99]) == pytest.approx(
        [964, 6909, 27_367, 85_400], rel=0.001
    )
    gaps = reuse_gaps(requests.blocks, block_times(requests))
    assert np.quantile(gaps[np.isfinite(gaps)], [0.25, 0.5, 0.75, 0.9]) == pytest.approx(
        [54, 114, 267, 519], abs=0.5
    )


@pytest.mark.parametrize(("name", "points"), [("conversation", 0.005), ("synthetic", 0.02)])
def test_working_sets_predict_lru(name: str, points: float) -> None:
    requests = mooncake(name)
    predicted = working_set_hit_ratio(requests.blocks, block_times(requests), SIZES)
    assert np.abs(predicted.hit_ratio - lru_curve(requests, SIZES)).max() < points


def test_popularity_alone_is_wrong_in_both_directions() -> None:
    requests = mooncake("conversation")
    predicted = independent_hit_ratio(np.bincount(requests.blocks), [5859, 20_000, 50_000])
    assert predicted == pytest.approx([0.100, 0.219, 0.417], abs=5e-4)
    assert lru_curve(requests, [5859, 20_000, 50_000]) == pytest.approx(
        [0.1361, 0.2878, 0.3546], abs=5e-5
    )


def test_shuffled_requests_lose_the_hits_that_time_makes() -> None:
    requests = mooncake("conversation")
    mixed = shuffled(requests, seed=1)
    assert np.array_equal(np.bincount(mixed.blocks), np.bincount(requests.blocks))
    assert mixed.prompt.sum() == requests.prompt.sum()
    assert lru_curve(mixed, [5859, 20_000, 50_000]) == pytest.approx([0.08, 0.15, 0.244], abs=0.01)


def test_unknown_name() -> None:
    with pytest.raises(ValueError, match="name must be one of conversation, synthetic"):
        mooncake("toolagent")
