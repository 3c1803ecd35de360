"""Bootstraps against theory, and intervals of forecasts that widen for each reason there is."""

import numpy as np
import pytest
from scipy import stats

from perfmodel.forecasting import (
    POWER_LAW,
    SATURATING_POWER_LAW,
    bootstrap_law,
    fit_law,
    forecast_interval,
)

X = np.geomspace(1, 1000, 40)
SQUARES = "least squares of logs"


def noisy(seed=0, floor=0.0, spread=0.02):
    rng = np.random.default_rng(seed)
    return (floor + 3 * X**-0.3) * np.exp(rng.normal(0, spread, X.size))


@pytest.mark.parametrize("way", ["pairs", "residuals", "normal"])
def test_the_spread_of_an_exponent_is_that_of_a_straight_line(way):
    fit = fit_law(POWER_LAW, X, noisy(), loss=SQUARES)
    spread = np.sqrt((fit.residuals**2).sum() / 38)
    expected = spread / np.sqrt(((np.log(X) - np.log(X).mean()) ** 2).sum())
    result = bootstrap_law(fit, 2000, way=way).samples[:, 1].std()
    assert result == pytest.approx(expected, rel=0.2 if way == "pairs" else 0.08)


def test_one_more_run_has_its_own_luck():
    x, rng = np.geomspace(1, 1000, 600), np.random.default_rng(0)
    fit = fit_law(POWER_LAW, x, 3 * x**-0.3 * np.exp(rng.normal(0, 0.02, 600)), loss=SQUARES)
    low, high = bootstrap_law(fit, 4000).forecast(30.0, one_run=True)
    assert np.log(high / low) == pytest.approx(2 * 1.96 * 0.02, rel=0.05)
    low, high = bootstrap_law(fit, 4000).forecast(30.0)
    assert np.log(high / low) < 0.2 * 2 * 1.96 * 0.02


def test_the_interval_widens_further_out():
    result = bootstrap_law(fit_law(SATURATING_POWER_LAW, X, noisy(floor=1.0), loss=SQUARES))
    low, high = result.forecast(np.array([1e3, 1e4, 1e6]))
    assert (np.diff(high / low) > 0).all()


def test_several_forms_cover_what_either_says():
    fits = [fit_law(law, X, noisy(), loss=SQUARES) for law in (POWER_LAW, SATURATING_POWER_LAW)]
    one, two = (bootstrap_law(fit) for fit in fits)
    low, high = forecast_interval([one, two], 1e6, one_run=False)
    middles = [np.median(item.forecasts(1e6)) for item in (one, two)]
    assert low < min(middles) <= max(middles) < high
    assert forecast_interval(one, 1e6) == pytest.approx(one.forecast(1e6, one_run=True))


def test_the_same_seed_gives_the_same_samples():
    fit = fit_law(POWER_LAW, X, noisy())
    assert (bootstrap_law(fit, 10, 3).samples == bootstrap_law(fit, 10, 3).samples).all()
    assert (bootstrap_law(fit, 10, 3).samples != bootstrap_law(fit, 10, 4).samples).any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda fit: forecast_interval([], 1.0), "bootstraps must be one or more"),
    ],
)
def test_an_interval_of_no_bootstrap_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(fit_law(POWER_LAW, X, noisy()))


def test_residuals_keep_the_side_on_which_errors_are_long():
    rng = np.random.default_rng(3)
    long_above = 3 * X**-0.3 * np.exp(rng.exponential(0.05, X.size))
    fit = fit_law(POWER_LAW, X, long_above, loss=SQUARES)
    result = bootstrap_law(fit, 4000, way="residuals")
    assert stats.skew(result.errors) > 0.5
    assert stats.skew(result.samples[:, 0]) > 0


@pytest.mark.parametrize("way", ["pairs", "residuals", "normal"])
def test_points_of_no_weight_have_no_luck_to_lend(way):
    y, weights = noisy(), np.ones(X.size)
    fit = fit_law(POWER_LAW, X, y, loss=SQUARES)
    spoiled, weights[7] = y.copy(), 0.0
    spoiled[7] *= 50
    other = fit_law(POWER_LAW, X, spoiled, loss=SQUARES, weights=weights)
    bands = [
        np.ptp(forecast_interval(bootstrap_law(item, 400, way=way), 1e4)) for item in (fit, other)
    ]
    assert bands[1] == pytest.approx(bands[0], rel=0.2)
