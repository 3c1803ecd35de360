"""The shipped traces: what is known of them, and that each block has one predecessor."""

from __future__ import annotations

import json

import numpy as np
import pytest

from perfmodel.labs.offloading.prefix_caching.inputs import BLOCK_TOKENS
from perfmodel.labs.offloading.prefix_caching.replay import lru_curve
from perfmodel.labs.offloading.prefix_caching.traces import (
    TRACES,
    block_times,
    mooncake,
    read_requests,
    requests_of,
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


def as_published(requests, names, count):
    """Return the first requests as lines of JSON, with `names` for their blocks."""
    return "".join(
        json.dumps(
            {
                "timestamp": int(1e3 * requests.arrival[i]),
                "input_length": int(requests.prompt[i]),
                "output_length": int(requests.output[i]),
                "hash_ids": names[
                    requests.blocks[requests.start[i] : requests.start[i + 1]]
                ].tolist(),
            }
        )
        + "\n"
        for i in range(count)
    )


def test_published_lines_are_read_back_whatever_the_blocks_are_called(tmp_path) -> None:
    whole = mooncake("synthetic")
    names = np.random.default_rng(1).permutation(10 * whole.distinct)[: whole.distinct]
    file = tmp_path / "trace.jsonl"
    file.write_text(as_published(whole, names, 300))
    read = read_requests(file)
    end = whole.start[300]
    assert np.array_equal(read.blocks, whole.blocks[:end])
    assert np.array_equal(read.prompt, whole.prompt[:300])
    assert read.arrival == pytest.approx(whole.arrival[:300], abs=1e-3)


LINE = {"timestamp": 0, "input_length": 700, "output_length": 3, "hash_ids": [0, 1]}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([{"timestamp": 0, "input_length": 1}], "path must hold requests with timestamp"),
        ([], "path must hold requests with timestamp, .* got 0"),
        ([LINE | {"input_length": "many"}], "input_length must be"),
        ([LINE | {"hash_ids": []}], "paths must hold one block or more each"),
        ([LINE | {"input_length": 0}], "prompt must be 1 or more, got"),
        ([LINE | {"output_length": -1}], "output must be 0 or more"),
        ([LINE | {"timestamp": 5}, LINE], "arrival must not fall"),
        ([LINE, LINE | {"hash_ids": [1, 0]}], "paths must give each block one predecessor"),
    ],
)
def test_lines_that_no_cache_could_hold_are_refused(tmp_path, lines, message: str) -> None:
    file = tmp_path / "trace.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(ValueError, match=message):
        read_requests(file)


def test_times_since_1970_stay_numbers(tmp_path) -> None:
    file = tmp_path / "trace.jsonl"
    stamps = [1_764_374_400_000, 1_764_374_460_000]
    file.write_text("".join(json.dumps(LINE | {"timestamp": when}) + "\n" for when in stamps))
    assert np.diff(read_requests(file).arrival) == pytest.approx(60)


def test_a_block_twice_in_a_prompt_is_refused() -> None:
    with pytest.raises(ValueError, match="got two for block 4"):
        requests_of([[4, 4]])
