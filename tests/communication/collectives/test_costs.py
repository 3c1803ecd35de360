"""Costs against textbook formulas, bounds that nothing beats, and where two algorithms cross."""

from __future__ import annotations

from math import ceil, inf, log2

import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.communication import (
    ALGORITHMS,
    CollectiveCost,
    collective_cost,
    crossover_size,
    hierarchical_cost,
)

PAIRS = [
    (collective, name)
    for collective, names in ALGORITHMS.items()
    for name in names
    if name != "hierarchical"
]


@pytest.mark.parametrize("ranks", [2, 4, 8, 16])
def test_textbook_formulas_of_powers_of_two(ranks):
    """Thakur, Rabenseifner and Gropp 2005, sections 4 and 5."""
    n, lg = 1000.0, log2(ranks)
    share = (ranks - 1) / ranks * n
    expected = {
        ("all-gather", "ring"): (ranks - 1, share),
        ("all-gather", "recursive doubling"): (lg, share),
        ("all-gather", "Bruck"): (lg, share),
        ("broadcast", "tree"): (lg, lg * n),
        ("broadcast", "scatter and ring"): (lg + ranks - 1, 2 * share),
        ("reduce-scatter", "recursive halving"): (lg, share),
        ("all-to-all", "pairwise"): (ranks - 1, share),
        ("all-to-all", "Bruck"): (lg, n / 2 * lg),
        ("reduce", "tree"): (lg, lg * n),
        ("all-reduce", "recursive doubling"): (lg, lg * n),
        ("all-reduce", "Rabenseifner"): (2 * lg, 2 * share),
        ("all-reduce", "ring"): (2 * (ranks - 1), 2 * share),
    }
    for pair, (rounds, volume) in expected.items():
        cost = collective_cost(*pair, ranks, n)
        assert (cost.rounds, cost.volume) == pytest.approx((rounds, volume)), pair


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(PAIRS), st.integers(2, 64), st.floats(0, 1e9))
def test_bounds_that_no_algorithm_beats(pair, ranks, size):
    """Everybody hears of everybody: log2 p rounds; and what a rank lacks must come in."""
    cost = collective_cost(*pair, ranks, size)
    least = {"broadcast": 1, "reduce": (ranks - 1) / ranks, "all-reduce": 2 * (ranks - 1) / ranks}
    share = least.get(pair[0], (ranks - 1) / ranks)
    assert cost.rounds >= ceil(log2(ranks))
    assert cost.volume >= share * size * (1 - 1e-12)
    assert cost.traffic >= (ranks - 1) * size * (1 - 1e-12)
    assert cost.traffic <= ranks * cost.volume * (1 + 1e-12)
    assert cost.added <= cost.volume


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(PAIRS), st.integers(2, 17), st.integers(0, 300))
def test_words_cost_at_most_a_word_a_block_more(pair, ranks, elements):
    smooth = collective_cost(*pair, ranks, 8.0 * elements)
    words = collective_cost(*pair, ranks, 8.0 * elements, 8)
    assert smooth.rounds == words.rounds
    assert abs(words.volume - smooth.volume) <= 8 * ranks * smooth.rounds
    if elements % (ranks * 16) == 0:
        assert words.volume == pytest.approx(smooth.volume)


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from([("tree", "ring"), ("recursive doubling", "Rabenseifner")]),
    st.integers(3, 64),
    st.floats(1e-7, 1e-3),
    st.floats(1e6, 1e12),
    st.floats(0, 1e-9),
)
def test_two_algorithms_take_as_long_at_the_crossover(names, ranks, latency, bandwidth, adding):
    size = crossover_size("all-reduce", *names, ranks, latency, bandwidth, adding)
    if size in (0, inf):
        return

    def behind(bytes_):
        times = [
            collective_cost("all-reduce", name, ranks, bytes_).time(latency, bandwidth, adding)
            for name in names
        ]
        return (times[1] - times[0]) / times[0]

    assert behind(size) == pytest.approx(0, abs=1e-9)
    assert behind(size / 2) > 0 > behind(size * 2)


def test_crossover_by_hand():
    """Ring and tree on 8 ranks: 8 rounds more, 6 n - 1.75 n bytes fewer."""
    assert crossover_size("all-reduce", "tree", "ring", 8, 1e-5, 1e9) == pytest.approx(8e4 / 4.25)
    assert crossover_size("all-reduce", "tree", "recursive doubling", 8, 1e-5, 1e9) == 0
    assert crossover_size("all-reduce", "recursive doubling", "tree", 8, 1e-5, 1e9) == inf
    assert crossover_size("all-reduce", "ring", "Rabenseifner", 8, 1e-5, 1e9) == 0


@pytest.mark.parametrize("ranks", range(2, 65))
def test_equal_bytes_cross_nowhere(ranks):
    """Bruck and ring gather the same bytes; where they sum them differently is rounding."""
    fewer = collective_cost("all-gather", "Bruck", ranks, 1.0).rounds < ranks - 1
    assert crossover_size("all-gather", "ring", "Bruck", ranks, 1e-5, 1e9) == 0
    there = crossover_size("all-gather", "Bruck", "ring", ranks, 1e-5, 1e9)
    assert there == (inf if fewer else 0)


def test_all_ranks_in_one_node_or_one_a_node_is_a_ring():
    ring = collective_cost("all-reduce", "ring", 12, 960.0)
    empty = CollectiveCost(0, 0.0, 0.0, 0.0)
    for per_node, tiers in ((12, (ring, empty)), (1, (empty, ring))):
        cost = hierarchical_cost(12, per_node, 960.0)
        assert (cost.intra_node, cost.inter_node) == tiers


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: collective_cost("all-reduce", "ring", 4, 9, 8), "size must be a multiple of word"),
        (lambda: collective_cost("all-reduce", "rings", 4, 9), "algorithm of all-reduce must be"),
        (lambda: hierarchical_cost(8, 3, 1.0), "per_node must divide ranks 8, got 3"),
        (lambda: CollectiveCost(1, 1, 0, 1).time(-1, 1), "latency must be 0 or more"),
        (lambda: CollectiveCost(1, 1, 0, 1).time(1, 0), "bandwidth must be above 0"),
        (
            lambda: crossover_size("all-reduce", "ring", "tree", 8, 1e-5, 1e9),
            "second must be the algorithm of large sizes, got 'tree'",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_infinite_bandwidth_leaves_latency():
    assert collective_cost("all-reduce", "ring", 8, 1e9).time(1.0, inf) == 14
