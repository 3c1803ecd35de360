"""Designs on the front of two aims."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.scaling.amdahl_reliability.pareto import pareto_front

POINTS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=30)


@given(POINTS)
def test_front_is_what_a_sweep_finds(points: list[tuple[int, int]]) -> None:
    """From the highest gain down, a design is kept if it costs less than every higher gain's."""
    kept, cheapest = set(), np.inf
    for gain in sorted({g for g, _ in points}, reverse=True):
        cost = min(c for g, c in points if g == gain)
        if cost < cheapest:
            kept.add((gain, cost))
            cheapest = cost
    front = pareto_front(*zip(*points, strict=True))
    assert {p for p, on in zip(points, front, strict=True) if on} == kept


def test_equal_designs_stay_together() -> None:
    assert pareto_front([1, 1, 0], [2, 2, 2]).tolist() == [True, True, False]


@pytest.mark.parametrize(("gain", "cost"), [([1, 2], [1]), ([[1]], [[1]])])
def test_shapes_that_do_not_pair(gain, cost) -> None:
    with pytest.raises(ValueError, match="gain and cost must be one-dimensional and of one length"):
        pareto_front(gain, cost)


def test_nan_is_refused() -> None:
    with pytest.raises(ValueError, match="cost must be finite"):
        pareto_front([1.0], [np.nan])
