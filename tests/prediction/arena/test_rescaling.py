"""Calibrating predictions: hand values, what is kept, and where each of the two is wrong."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.prediction.arena.rescaling import fitted_line, match_moments


def test_by_hand():
    assert match_moments([4, 6], [2, 4, 6], [10, 40]) == pytest.approx([25, 25 + 15 * 1.5**0.5])
    assert fitted_line([0, 3], [1, 2, 3], [1, 2, 1]) == pytest.approx([4 / 3, 4 / 3])
    with pytest.raises(ValueError, match="known must have two different values or more, got 2"):
        fitted_line([7], [2, 2], [1, 3])


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.floats(0.1, 9), st.floats(-5, 5))
def test_both_undo_a_straight_line(seed, slope, shift):
    x = np.random.default_rng(seed).normal(size=30)
    y = shift + slope * x
    assert match_moments(x, x, y) == pytest.approx(y)
    assert fitted_line(x, x[:5], y[:5]) == pytest.approx(y)


@pytest.mark.parametrize("level", [0.0, 1e6, 1e9])
def test_a_high_level_costs_its_rounding_only(level):
    known, target = level + np.array([0.1, 0.2, 0.3]), level + np.array([1.0, 2.0, 3.0])
    assert fitted_line([level + 0.4], known, target) - level == pytest.approx([4], abs=1e-5)


def test_without_relation_the_line_is_flat_and_matching_makes_it_worse_than_the_mean():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 4000))
    constant = np.abs(y - y.mean()).mean()
    assert np.abs(fitted_line(x, x, y) - y).mean() == pytest.approx(constant, rel=0.01)
    # The difference of two unit normal variables is wider by the square root of 2.
    assert np.abs(match_moments(x, x, y) - y).mean() == pytest.approx(2**0.5 * constant, rel=0.03)


def test_an_opposed_predictor_is_turned_by_the_line_only():
    x = np.arange(10.0)
    assert np.corrcoef(match_moments(x, x, -x), -x)[0, 1] == pytest.approx(-1)
    assert fitted_line(x, x, -x) == pytest.approx(-x)


def test_values_that_give_no_scale_are_refused():
    with pytest.raises(ValueError, match="source must have two different values or more"):
        match_moments([1], [2, 2], [1, 2])
    with pytest.raises(ValueError, match=r"target must have the shape \(2,\) of known"):
        fitted_line([1], [1, 2], [1, 2, 3])
