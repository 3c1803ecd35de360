"""Distances against the stack itself, and the curve against simulation at every size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.offloading import (
    loop_trace,
    lru_hit_ratio,
    mixed_trace,
    simulate_cache,
    stack_distances,
    zipf_trace,
)
from perfmodel.offloading.caches.loops import lru_depths

TRACES = st.lists(st.integers(0, 9), min_size=1, max_size=80)


def stacked(trace: list[int]) -> list[float]:
    """Return the places at which objects are found in a list, last used first."""
    stack: list[int] = []
    found = []
    for new in trace:
        found.append(stack.index(new) + 1 if new in stack else np.inf)
        stack = [new, *(old for old in stack if old != new)]
    return found


@settings(max_examples=200, deadline=None)
@given(TRACES)
def test_distances_are_places_in_the_stack(trace: list[int]) -> None:
    assert stack_distances(trace).tolist() == stacked(trace)


@settings(max_examples=200, deadline=None)
@given(TRACES, st.integers(0, 3))
def test_the_tree_may_run_out_of_slots(trace: list[int], spare: int) -> None:
    """As short as it may be, it is compacted every few references."""
    objects = max(trace) + 1
    length = 2 * objects + 2 + spare
    depth = np.full(len(trace), np.inf)
    slot, owner, tree = (np.zeros(size, np.int64) for size in (objects, length, length))
    lru_depths(np.array(trace), slot, owner, tree, depth)
    assert depth.tolist() == stacked(trace)


@settings(max_examples=100, deadline=None)
@given(TRACES)
def test_one_pass_equals_simulation_at_every_size(trace: list[int]) -> None:
    distances = stack_distances(trace)
    for size in range(12):
        run = simulate_cache(trace, size)
        assert (distances <= size).tolist() == run.hits.tolist()
        assert lru_hit_ratio(distances, size) == pytest.approx(run.hit_ratio, abs=1e-15)


@pytest.mark.parametrize(
    "trace",
    [
        zipf_trace(120_000, 200, 0.8, seed=1),
        loop_trace(120_000, 150),
        mixed_trace([zipf_trace(80_000, 100, 1.0, seed=2), loop_trace(40_000, 100)], seed=3),
    ],
)
def test_a_long_trace_at_every_size(trace: np.ndarray) -> None:
    distances = stack_distances(trace)
    objects = len(set(trace.tolist()))
    sizes = np.arange(objects + 2)
    hits = [simulate_cache(trace, size).hits.mean() for size in sizes]
    assert lru_hit_ratio(distances, sizes).tolist() == pytest.approx(hits, abs=1e-15)
    assert np.isinf(distances).sum() == objects


def test_a_loop_is_all_or_nothing() -> None:
    distances = stack_distances(loop_trace(40, 8))
    assert lru_hit_ratio(distances, [7, 8]).tolist() == [0.0, 0.8]
    assert lru_hit_ratio(distances[8:], [[7], [8]]).tolist() == [[0.0], [1.0]]


def test_sizes_between_two_numbers_and_beyond_all() -> None:
    distances = stack_distances([0, 0, 1, 0])
    assert lru_hit_ratio(distances, [0, 0.9, 1, 1.9, 2, 1e30]).tolist() == [
        *(0.0, 0.0, 0.25, 0.25, 0.5, 0.5)
    ]
    assert lru_hit_ratio([np.inf], 3) == 0
    assert lru_hit_ratio([1e30, 1.5, 1], [1, 1.5, 2]) == pytest.approx([1 / 3, 2 / 3, 2 / 3])


def test_large_numbers_are_names_only() -> None:
    assert stack_distances([10**18, 5, 10**18]).tolist() == [np.inf, np.inf, 2.0]


@pytest.mark.parametrize("distances", [[], [0.5], [np.nan], [[1.0]], 1.0])
def test_bad_distances(distances: object) -> None:
    with pytest.raises(ValueError, match="distances must be a row"):
        lru_hit_ratio(distances, 1)


def test_other_bad_input() -> None:
    with pytest.raises(ValueError, match="trace must be a row"):
        stack_distances([0.5])
