"""Stated intervals cover what they state, and least squares is the textbook's."""

import numpy as np
from scipy import stats

from perfmodel.labs.forecasting.contest.forecast import (
    Forecast,
    around,
    forest,
    joined,
    none,
    plane,
    signed_ends,
)


def test_ends_are_order_statistics():
    errors = np.arange(100.0)[::-1]
    # Of 101 places the second from each end leaves at most 2.5 % outside on its side.
    assert signed_ends(errors) == (1.0, 98.0)
    assert signed_ends(errors, 0.5) == (24.0, 75.0)
    assert signed_ends([3.0, -1.0]) == (-1.0, 3.0)


def test_ends_cover_a_skewed_error():
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(1500):
        errors = rng.exponential(size=101)
        low, high = signed_ends(errors[1:])
        inside += low <= errors[0] <= high
    assert stats.binomtest(inside, 1500, 97 / 101).pvalue > 0.01


def test_plane_is_the_formula_of_textbooks():
    rng = np.random.default_rng(0)
    known = rng.normal(size=(30, 2))
    results = known @ [1.0, -2.0] + 3 + 0.1 * rng.normal(size=30)
    new = rng.normal(size=(4, 2))
    found = plane(np.column_stack([known, np.ones(30)]), results, np.column_stack([new, [7.0] * 4]))
    x, at = (np.column_stack([np.ones(len(part)), part]) for part in (known, new))
    theta, (rest,), *_ = np.linalg.lstsq(x, results, rcond=None)
    spread = np.sqrt(rest / 27 * (1 + np.sum(at @ np.linalg.inv(x.T @ x) * at, axis=1)))
    np.testing.assert_allclose(found.middle, at @ theta)
    np.testing.assert_allclose(found.high - found.middle, stats.t.ppf(0.975, 27) * spread)


def test_plane_needs_more_runs_than_coefficients():
    rng = np.random.default_rng(0)
    assert np.isnan(plane(rng.normal(size=(3, 2)), np.arange(3.0), np.ones((2, 2))).middle).all()
    assert np.isfinite(plane(rng.normal(size=(4, 2)), np.arange(4.0), np.ones((2, 2))).low).all()


def test_forest_takes_errors_of_trees_that_did_not_see_the_run():
    rng = np.random.default_rng(0)
    known, noise = rng.uniform(size=(200, 1)), rng.normal(size=(400,))
    results = np.where(known[:, 0] > 0.5, 5.0, 0.0) + noise[:200]
    new = rng.uniform(size=(200, 1))
    found = forest(known, results, new)
    actual = np.where(new[:, 0] > 0.5, 5.0, 0.0) + noise[200:]
    inside = np.mean((found.low <= actual) & (actual <= found.high))
    # From errors on what the trees remember the intervals would cover half of that.
    assert 0.9 <= inside <= 0.99


def test_parts_stay_together():
    both = joined([around(np.array([1.0, 2.0]), [-0.5, 1.5]), none(1)])
    np.testing.assert_array_equal(both.low, [0.5, 1.5, np.nan])
    np.testing.assert_array_equal(both.held(0.0, 2.0).high, [2.0, 2.0, np.nan])
    assert isinstance(both, Forecast)
