"""The characteristic time against simulation, exact formulas and cases known by hand."""

from __future__ import annotations

from itertools import permutations
from math import log, prod

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.offloading import (
    characteristic_time,
    independent_hit_ratio,
    loop_trace,
    lru_hit_ratio,
    simulate_cache,
    stack_distances,
    zipf_popularity,
    zipf_trace,
)

SIZES = range(1, 6)
"""Of caches of six objects in which not all of them fit."""
RATES = st.lists(st.floats(1e-6, 1e6), min_size=2, max_size=20)


def exact_lru(share: np.ndarray, size: int) -> float:
    """Return King's hit ratio (1971): over all ordered contents of the cache."""
    total = 0.0
    for content in permutations(range(share.size), size):
        order = share[list(content)]
        left = 1 - np.concatenate([[0.0], np.cumsum(order)[:-1]])
        total += prod(order / left) * order.sum()
    return total


def exact_fifo(share: np.ndarray, size: int) -> float:
    """Return Gelenbe's hit ratio (1973): contents weigh as the product of their shares."""
    weights, hits = 0.0, 0.0
    for content in permutations(range(share.size), size):
        weight = prod(share[list(content)])
        weights, hits = weights + weight, hits + weight * share[list(content)].sum()
    return hits / weights


@settings(max_examples=100, deadline=None)
@given(RATES, st.floats(0.01, 0.99), st.sampled_from(["LRU", "FIFO"]))
def test_the_expected_content_is_the_size(rates: list[float], part: float, policy: str) -> None:
    rate, size = np.array(rates), part * len(rates)
    uses = rate * characteristic_time(rate, size, policy)
    held = 1 - np.exp(-uses) if policy == "LRU" else uses / (1 + uses)
    assert held.sum() == pytest.approx(size, rel=1e-9)


def test_objects_all_alike_hit_as_often_as_they_are_held() -> None:
    for policy in ("LRU", "FIFO", "LFU"):
        ratio = independent_hit_ratio([0.1] * 10, np.arange(11), policy)
        assert ratio == pytest.approx(np.arange(11) / 10)
    assert characteristic_time([0.1] * 10, 5) == pytest.approx(10 * log(2))
    assert characteristic_time([0.1] * 10, 5, "FIFO") == pytest.approx(10)


@pytest.mark.parametrize("exponent", [0.5, 1.0, 1.5])
def test_near_the_exact_ratio_even_of_six_objects(exponent: float) -> None:
    share = zipf_popularity(6, exponent)
    for size in SIZES:
        lru, fifo = (independent_hit_ratio(share, size, policy) for policy in ("LRU", "FIFO"))
        assert float(lru) == pytest.approx(exact_lru(share, size), abs=0.03)
        assert float(fifo) == pytest.approx(exact_fifo(share, size), abs=0.05)


def test_farther_off_where_one_object_gets_most_references() -> None:
    share = zipf_popularity(6, 3)
    lru, fifo = (
        [float(independent_hit_ratio(share, size, policy)) - exact(share, size) for size in SIZES]
        for policy, exact in (("LRU", exact_lru), ("FIFO", exact_fifo))
    )
    assert np.argmax(np.abs([lru, fifo]), axis=1).tolist() == [0, 0]
    assert [lru[0], fifo[0]] == pytest.approx([-0.068, -0.131], abs=5e-4)


@pytest.mark.parametrize("exponent", [0.6, 0.8, 1.0, 1.2])
def test_within_what_the_docstring_says_of_simulation(exponent: float) -> None:
    """A thousand objects at every size; the trace is long enough for an error of 0.001."""
    popularity, warm = zipf_popularity(1_000, exponent), 100_000
    trace = zipf_trace(1_000_000, 1_000, exponent, seed=5)
    sizes = np.arange(1, 1_000)
    simulated = lru_hit_ratio(stack_distances(trace)[warm:], sizes)
    off = np.abs(independent_hit_ratio(popularity, sizes) - simulated)
    assert off.max() < 0.006
    assert off[9:].max() < 0.002


@pytest.mark.parametrize("policy", ["FIFO", "LFU"])
def test_other_policies_against_simulation(policy: str) -> None:
    popularity = zipf_popularity(300, 0.9)
    trace = zipf_trace(400_000, 300, 0.9, seed=6)
    for size in (3, 30, 150):
        hits = simulate_cache(trace, size, policy, bypass=policy == "LFU").hits[50_000:]
        expected = float(independent_hit_ratio(popularity, size, policy))
        assert hits.mean() == pytest.approx(expected, abs=0.006)


@settings(max_examples=100, deadline=None)
@given(RATES, st.floats(0.1, 100), st.floats(0.01, 0.98))
def test_laws(rates: list[float], faster: float, part: float) -> None:
    """More room, more hits; LFU above LRU above FIFO; the unit of time doesn't matter."""
    rate, size = np.array(rates), part * len(rates)
    sizes = np.linspace(0, len(rates), 9)
    ratio = {p: independent_hit_ratio(rate, sizes, p) for p in ("LRU", "FIFO")}
    for found in ratio.values():
        assert (np.diff(found) >= -1e-9).all()
        assert found[[0, -1]].tolist() == [0.0, 1.0]
    assert (ratio["LRU"] >= ratio["FIFO"] - 1e-9).all()
    whole = np.arange(len(rates) + 1)
    most = independent_hit_ratio(rate, whole, "LFU")
    assert (most >= independent_hit_ratio(rate, whole) - 1e-9).all()
    slow, fast = (characteristic_time(speed * rate, size) for speed in (1.0, faster))
    assert slow == pytest.approx(faster * fast, rel=1e-6)


def test_a_loop_is_what_it_cannot_know() -> None:
    trace = loop_trace(10_000, 100)
    popularity = np.bincount(trace)
    assert float(independent_hit_ratio(popularity, 50)) == pytest.approx(0.5)
    assert simulate_cache(trace, 50).hit_ratio == 0


def test_objects_never_used_change_nothing() -> None:
    share = [0.5, 0.3, 0.2]
    padded = [*share, 0.0, 0.0]
    assert independent_hit_ratio(padded, [1, 2, 3, 4]) == pytest.approx(
        independent_hit_ratio(share, [1, 2, 3, 4])
    )
    assert characteristic_time(padded, 2) == pytest.approx(characteristic_time(share, 2))


@pytest.mark.parametrize("policy", ["LRU", "FIFO"])
def test_rates_far_apart_or_near_the_ends(policy: str) -> None:
    assert independent_hit_ratio([1e300, 1e-5, 1e-5], 1.5, policy) == pytest.approx(1)
    assert characteristic_time([1e308] * 4, 2, policy) == pytest.approx(
        characteristic_time([1.0] * 4, 2, policy) / 1e308
    )
    assert independent_hit_ratio([1.0] * 10, 10 - 1e-9, policy) == pytest.approx(1)


@pytest.mark.parametrize(
    ("popularity", "size", "policy", "match"),
    [
        ([0.5, 0.5, 0.0], 2, "LRU", "size must be above 0 and below 2"),
        ([0.5, 0.5], 1, "LFU", "policy must be LRU or FIFO"),
        ([0.0, 0.0], 1, "LRU", "popularity must be above 0 for some object"),
        ([], 1, "LRU", "popularity must be a one-dimensional"),
    ],
)
def test_bad_input(popularity: list[float], size: float, policy: str, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        characteristic_time(popularity, size, policy)


def test_bad_input_of_the_ratio() -> None:
    with pytest.raises(ValueError, match="policy must be LRU, FIFO or LFU"):
        independent_hit_ratio([0.5, 0.5], 1, "optimal")
