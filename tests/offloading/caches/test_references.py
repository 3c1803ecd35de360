"""Traces have the lengths, shares and order that they are made for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.offloading import ageing_trace, loop_trace, mixed_trace, zipf_popularity, zipf_trace


def test_zipf_by_hand() -> None:
    assert zipf_popularity(3, 1.0) == pytest.approx([6 / 11, 3 / 11, 2 / 11])
    assert zipf_popularity(4, 0.0).tolist() == [0.25] * 4
    assert zipf_trace(5, 1, 2.0).tolist() == [0] * 5


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 50), st.floats(0, 3), st.integers(0, 100))
def test_draws_follow_the_law(objects: int, exponent: float, seed: int) -> None:
    share = zipf_popularity(objects, exponent)
    assert share.sum() == pytest.approx(1)
    assert (np.diff(share) <= 0).all()
    drawn = np.bincount(zipf_trace(4_000, objects, exponent, seed), minlength=objects) / 4_000
    assert drawn.size == objects
    assert np.abs(drawn - share).max() < 5 * np.sqrt(0.25 / 4_000)


def test_a_seed_gives_the_same_trace() -> None:
    one, same, other = (zipf_trace(50, 20, 0.8, seed) for seed in (1, 1, 2))
    assert one.tolist() == same.tolist()
    assert one.tolist() != other.tolist()


def test_a_loop() -> None:
    assert loop_trace(7, 3).tolist() == [0, 1, 2, 0, 1, 2, 0]
    assert loop_trace(2, 5).tolist() == [0, 1]


def test_the_news_come_in_at_the_top_and_age() -> None:
    trace = ageing_trace(30_000, 10, 1.0, every=3_000, seed=1)
    share = zipf_popularity(10, 1.0)
    for fall in range(10):
        drawn = np.bincount(trace[3_000 * fall : 3_000 * (fall + 1)], minlength=10) / 3_000
        assert drawn == pytest.approx(np.roll(share, -fall), abs=0.03)
    assert ageing_trace(500, 9, 0.7, every=500).tolist() == zipf_trace(500, 9, 0.7).tolist()


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=20), min_size=1, max_size=4),
    st.integers(0, 9),
)
def test_a_mixture_keeps_each_part_in_order(parts: list[list[int]], seed: int) -> None:
    mixed = mixed_trace(parts, seed)
    assert mixed.size == sum(map(len, parts))
    first = 0
    for part in parts:
        last = first + max(part)
        assert (mixed[(mixed >= first) & (mixed <= last)] - first).tolist() == part
        first = last + 1


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="traces must hold one trace or more"):
        mixed_trace([])
    with pytest.raises(ValueError, match="traces must be a row"):
        mixed_trace([[]])
