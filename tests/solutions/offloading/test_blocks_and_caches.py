"""Loads of blocks and hits of caches: against orders gone through and caches played."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.offloading import (
    CellBytes,
    count_traffic,
    diagonal_traffic,
    loop_trace,
    reuse_gaps,
    simulate_cache,
    working_set_hit_ratio,
    zig_zag_order,
    zig_zag_traffic,
    zipf_trace,
)
from tests.solutions.offloading.exercise import GIB, reference, wrong


def test_weights_of_a_token_are_counted_by_going_through_the_blocks():
    sizes = CellBytes(prompt=3, weight=GIB / 4, cache=0.0, activation=0.0)
    moved = count_traffic(zig_zag_order(6, 4, 5, 3), sizes).weight
    assert reference("per_token", 1.0, 8, 3, 5) == pytest.approx(moved / (6 * 8 * 5))


@given(st.integers(1, 9), st.integers(2, 5), st.integers(1, 9), st.integers(1, 9))
@settings(max_examples=40)
def test_caches_moved_are_counted_by_going_through_the_cells(sequences, layers, prompt, tokens):
    sizes = CellBytes(prompt=prompt, weight=1.0, cache=4.0 * 16, activation=0.0)
    counted = count_traffic(zig_zag_order(sequences, layers, tokens, 2), sizes).cache
    asked = reference("cache_moved", 16, layers, prompt, tokens, sequences)
    assert asked == pytest.approx(counted)


@given(
    st.integers(1, 9), st.integers(2, 4), st.integers(1, 5), st.integers(1, 5), st.integers(0, 30)
)
@settings(max_examples=60)
def test_loads_of_a_block_are_those_of_the_largest_that_fits(batches, layers, prompt, tokens, more):
    capacity = prompt + tokens - 1 + more
    sizes = CellBytes(prompt=prompt, weight=0.0, cache=1.0, activation=0.0)
    counted = [
        count_traffic(zig_zag_order(batches, layers, tokens, block), sizes)
        for block in range(1, batches + 1)
    ]
    fitting = min(run.loads for run in counted if run.peak <= layers * capacity)
    assert reference("block_loads", batches, layers, prompt, tokens, capacity) == fitting


@pytest.mark.parametrize(
    ("prompt", "tokens", "block"), [(199, 399, 266), (399, 400, 300), (802, 402, 335)]
)
def test_gain_is_the_ratio_of_loads_of_two_orders_in_the_same_memory(prompt, tokens, block):
    sizes, batches = CellBytes(prompt=prompt, weight=0.0, cache=1.0, activation=0.0), 1000 * block
    zig_zag = zig_zag_traffic(batches, 2, tokens, block, sizes)
    diagonal = diagonal_traffic(batches, 2, tokens, 1, sizes)
    assert zig_zag.peak == diagonal.peak
    assert reference("gain", prompt, tokens) == pytest.approx(
        zig_zag.loads / diagonal.loads, rel=3e-3
    )


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30).map(np.array))
@settings(max_examples=40)
def test_hits_at_every_size_are_those_of_caches_played(trace):
    sizes = np.arange(1, 7)
    played = [simulate_cache(trace, int(size)).hit_ratio for size in sizes]
    assert reference("hits", trace, sizes) == pytest.approx(played)
    best = wrong("hits", "Belady for LRU")(trace, sizes)
    assert np.all(best >= np.array(played) - 1e-12)


@pytest.mark.parametrize(("layers", "room"), [(4, 3), (10, 6), (17, 8)])
def test_loops_hit_as_often_as_caches_played_for_long(layers, room):
    trace = loop_trace(layers * (layers - 1) * 60, layers)
    table = reference("loop", layers, room)
    assert simulate_cache(trace, room).hit_ratio == table["lru"]
    long = simulate_cache(trace, room, "optimal").hits[layers * (layers - 1) :]
    assert long.mean() == pytest.approx(table["best"], abs=2e-3)


def test_hit_ratio_of_drawn_references_is_near_that_of_a_cache_played():
    hot, cold, share, size = 20, 300, 0.7, 30
    popularity = np.repeat([share / hot, (1 - share) / cold], [hot, cold])
    trace = np.random.default_rng(0).choice(hot + cold, 60_000, p=popularity)
    played = simulate_cache(trace, size).hits[5_000:].mean()
    assert reference("che", hot, cold, share, size) == pytest.approx(played, abs=0.01)


def test_blocks_within_a_window_are_those_of_a_trace_looked_at():
    """Two minutes of uses, and the blocks of the last three seconds counted at every instant."""
    trace = zipf_trace(12_000, 60, 0.7, seed=4)
    times = np.arange(trace.size) / 100
    gaps = reuse_gaps(trace, times)
    again = gaps[np.isfinite(gaps)]
    found = reference("reach", again, int((~np.isfinite(gaps)).sum()), 100.0, 3.0)
    ends = range(400, trace.size, 37)
    held = np.mean([np.unique(trace[end - 299 : end + 1]).size for end in ends])
    assert found["blocks"] == pytest.approx(held, rel=0.02)
    expected = working_set_hit_ratio(trace, times, found["blocks"]).hit_ratio
    assert found["hit_ratio"] == pytest.approx(float(expected), abs=0.005)
