"""Copies of a token against binomials, draws and a gate; loads against draws; links by hand."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.communication import (
    ExpertDispatch,
    expected_destinations,
    expected_ranks,
    expert_counts,
    largest_of_normals,
    load_imbalance,
)


def binomials(places, experts, chosen):
    return places * (1 - Fraction(comb(experts - experts // places, chosen), comb(experts, chosen)))


@st.composite
def layers(draw):
    places, each = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    return places, places * each, draw(st.integers(1, min(places * each, 9)))


@settings(deadline=None, max_examples=60)
@given(layers())
def test_without_a_limit_copies_are_a_ratio_of_binomials(layer):
    places, experts, chosen = layer
    counts = expert_counts(places, experts, chosen)
    assert sum(counts.values()) == 1
    assert {sum(held) for held in counts} == {chosen}
    mean = sum(len(held) * probability for held, probability in counts.items())
    assert mean == binomials(places, experts, chosen)


@settings(deadline=None, max_examples=60)
@given(layers(), st.integers(1, 9))
def test_a_limit_cuts_the_number_of_places_and_nothing_else(layer, limit):
    """Places enter in the order of their best experts: beyond the limit no new one does."""
    places, experts, chosen = layer
    most = min(limit, places)
    if most * (experts // places) < chosen:
        with pytest.raises(ValueError, match="limit must leave chosen"):
            expert_counts(places, experts, chosen, most)
        return
    free, cut = (expert_counts(places, experts, chosen, n) for n in (None, most))
    expected = sum(min(len(held), most) * p for held, p in free.items())
    assert sum(len(held) * p for held, p in cut.items()) == expected


def gate(nodes, limit, tokens, seed):
    """Return nodes and ranks of a token's experts, by scores and a gate as its makers write it."""
    scores = np.random.default_rng(seed).random((tokens, 256))
    best = scores.reshape(tokens, nodes, -1).max(axis=2)
    dropped = np.argsort(best, axis=1)[:, : nodes - limit]
    by_node = scores.reshape(tokens, nodes, -1)
    np.put_along_axis(by_node, dropped[:, :, None], -1.0, axis=1)
    chosen = np.argpartition(by_node.reshape(tokens, 256), -8, axis=1)[:, -8:]

    def distinct(places):
        placed = np.sort(chosen // (256 // places), axis=1)
        return 1 + (np.diff(placed, axis=1) > 0).sum(axis=1)

    return distinct(nodes), distinct(8 * nodes)


@pytest.mark.parametrize(("nodes", "limit"), [(8, 4), (8, 3), (8, 8)])
def test_copies_are_those_of_a_simulated_gate(nodes, limit):
    """Four standard errors of 20,000 tokens."""
    to_nodes, to_ranks = gate(nodes, limit, 20_000, 1)
    for found, expected in (
        (to_nodes, expected_destinations(nodes, 256, 8, limit)),
        (to_ranks, expected_ranks(nodes, 8, 256, 8, limit)),
    ):
        assert abs(found.mean() - expected) < 4 * found.std() / np.sqrt(20_000)


def test_values_by_hand():
    assert expected_destinations(2, 256, 8) == pytest.approx(1.993, abs=5e-4)
    assert expected_destinations(4, 256, 8) == pytest.approx(3.614, abs=5e-4)
    ranks = [expected_destinations(n, 256, 8) for n in (8, 16, 32)]
    assert ranks == pytest.approx([5.295, 6.523, 7.267], abs=5e-4)
    assert expected_ranks(4, 8, 256, 8) == pytest.approx(ranks[2], rel=1e-12)


@pytest.mark.parametrize("count", [1, 2, 8, 256])
def test_largest_of_normals_against_draws(count):
    draws = np.random.default_rng(3).standard_normal((40_000, count)).max(axis=1)
    assert abs(largest_of_normals(count) - draws.mean()) < 4 * draws.std() / 200


def test_largest_of_two_normals_is_one_over_root_pi():
    assert largest_of_normals(2) == pytest.approx(1 / np.sqrt(np.pi), rel=1e-10)


@pytest.mark.parametrize(("ranks", "choices"), [(256, 1024), (32, 4096), (256, 512)])
def test_imbalance_against_draws(ranks, choices):
    """To 3 % of the excess: the normal distribution has no skew, a count has."""
    rng = np.random.default_rng(5)
    loads = rng.multinomial(ranks * choices, np.full(ranks, 1 / ranks), 4000)
    excess = loads.max(axis=1).mean() / choices - 1
    assert float(load_imbalance(ranks, choices)) - 1 == pytest.approx(excess, rel=0.03)


def test_time_is_that_of_the_slower_tier():
    links = ExpertDispatch(network=50e9, intra_node=150e9, experts=256, chosen=8)
    network, inside = links.tier_times(2, 1e9)
    assert network == pytest.approx(0.5 * 1.99302 / 50, rel=1e-5)
    assert inside == pytest.approx(7 / 8 * 6.52328 / 150, rel=1e-5)
    assert float(links.time(2, 1e9)) == float(inside)
    assert float(links.tier_times(1, 1e9)[0]) == 0


@given(st.floats(1e9, 1e12), st.floats(1e9, 1e12), st.sampled_from([1, 2, 4, 8]))
def test_faster_links_are_never_slower(network, inside, nodes):
    slow = ExpertDispatch(network, inside, 256, 8, limit=4)
    fast = ExpertDispatch(2 * network, 2 * inside, 256, 8, limit=4)
    assert float(fast.time(nodes, 1e6)) == pytest.approx(float(slow.time(nodes, 1e6)) / 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: expert_counts(3, 256, 8), "multiple of places = 3, got 256; .* 255 and 258"),
        (lambda: expected_ranks(3, 8, 255, 8), "multiple of all ranks = 24, got 255"),
        (lambda: expert_counts(8, 256, 257), "chosen must be at most 256, got 257"),
        (lambda: expert_counts(8, 256, 8, 9), "limit must be at most 8, got 9"),
        (lambda: ExpertDispatch(1.0, 1.0, 8, 9), "chosen must be at most 8, got 9"),
        (lambda: ExpertDispatch(1.0, 1.0, 256, 8).time(2, -1.0), "size must be 0 or more"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
