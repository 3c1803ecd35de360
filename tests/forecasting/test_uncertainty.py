"""How well fits and forecasts are known: coverage of intervals, and crossings."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings, strategies as st
from scipy import stats

from perfmodel.forecasting import (
    POWER_LAW,
    RISING_POWER_LAW,
    SATURATING_POWER_LAW,
    SIGMOID_LAW,
    TWO_VARIABLE_LAW,
    bootstrap_law,
    crossing,
    fit_law,
    forecast_interval,
    identifiability,
    profile_interval,
    win_probability,
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
    result = bootstrap_law(fit, 2000, method=way).samples[:, 1].std()
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
    result = bootstrap_law(fit, 4000, method="residuals")
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
        np.ptp(forecast_interval(bootstrap_law(item, 400, method=way), 1e4))
        for item in (fit, other)
    ]
    assert bands[1] == pytest.approx(bands[0], rel=0.2)


INPUTS = np.geomspace(1, 1000, 30)


def noise(size, spread, seed=0):
    return np.random.default_rng(seed).normal(0, spread, size)


@pytest.mark.parametrize("confidence", [0.9, 0.99])
def test_of_a_straight_line_the_profile_is_students_interval(confidence):
    y = 3 * INPUTS**-0.4 * np.exp(noise(30, 0.05))
    fit = fit_law(POWER_LAW, INPUTS, y, loss=SQUARES)
    line = sm.OLS(np.log(y), sm.add_constant(-np.log(INPUTS))).fit().conf_int(1 - confidence)
    assert profile_interval(fit, "b", confidence) == pytest.approx(line[1], rel=1e-3)
    assert np.log(profile_interval(fit, "a", confidence)) == pytest.approx(line[0], rel=1e-3)


def test_at_either_end_the_fit_is_worse_by_what_student_allows():
    y = (1 + 2 * INPUTS**-0.5) * np.exp(noise(30, 0.02))
    fit = fit_law(SATURATING_POWER_LAW, INPUTS, y, loss=SQUARES)
    for end in profile_interval(fit, "e"):
        held = fit_law(SATURATING_POWER_LAW, INPUTS, y, loss=SQUARES, fixed={"e": end})
        t = np.sqrt((held.objective / fit.objective - 1) * 27)
        assert t == pytest.approx(2.0518, rel=0.01)


def test_a_floor_far_below_the_data_is_open_below():
    y = (0.02 + 3 * INPUTS**-0.2) * np.exp(noise(30, 0.02))
    result = identifiability(fit_law(SATURATING_POWER_LAW, INPUTS, y, loss=SQUARES))
    assert result.intervals["e"][0] == 0.0
    assert not result.known["e"]
    assert result.conclusion.startswith("The runs do not determine e")


def test_a_ceiling_before_half_of_the_rise_is_open_above():
    theta = {"R0": 0.4, "A": 0.65, "Cmid": 11_000.0, "B": 1.9}
    for last, known in ((6e3, False), (6e4, True)):
        x = np.geomspace(1500, last, 40)
        y = SIGMOID_LAW.value(theta, x) + noise(40, 0.004)
        result = identifiability(fit_law(SIGMOID_LAW, x, y, loss="least squares"))
        assert result.known["A"] is known
        assert np.isfinite(result.intervals["A"][1]) == known
    assert result.conclusion == "The runs determine every parameter."


def test_sizes_and_data_that_grow_together_cannot_be_told_apart():
    sizes = np.geomspace(1e8, 1e10, 60)
    theta = {"E": 1.8, "A": 480.0, "B": 2000.0, "alpha": 0.35, "beta": 0.37}
    y = TWO_VARIABLE_LAW.value(theta, sizes, 20 * sizes) * np.exp(noise(60, 0.01))
    result = identifiability(fit_law(TWO_VARIABLE_LAW, (sizes, 20 * sizes), y, loss=SQUARES))
    assert not any(result.known[name] for name in ("A", "B", "alpha"))
    assert np.sum(np.square(list(result.flat.values()))) == pytest.approx(1)


def test_the_flat_direction_moves_the_fit_least():
    y = SATURATING_POWER_LAW.value({"e": 1.0, "a": 3.0, "b": 0.3}, INPUTS) * np.exp(noise(30, 0.01))
    weights = np.r_[np.zeros(5), np.ones(25)]
    fit = fit_law(SATURATING_POWER_LAW, INPUTS, y, loss=SQUARES, weights=weights)
    flat = np.array(list(identifiability(fit).flat.values()))
    slopes = fit.problem.residuals(fit.u, fit.y)[1] * np.sqrt(weights)[:, None]
    moved = np.linalg.norm(slopes @ flat)
    others = np.random.default_rng(0).normal(size=(200, flat.size))
    others /= np.linalg.norm(others, axis=1)[:, None]
    assert moved <= np.linalg.norm(slopes @ others.T, axis=0).min()


def test_a_level_of_nought_can_be_known():
    theta = {"e": 0.0, "a": 2.0, "b": 0.5}
    y = RISING_POWER_LAW.value(theta, INPUTS) + 1e-4 * noise(30, 1.0)
    assert identifiability(fit_law(RISING_POWER_LAW, INPUTS, y, loss="least squares")).known["e"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda y: profile_interval(fit_law(POWER_LAW, INPUTS, y), "a"),
            "by least squares, got a rob",
        ),
        (
            lambda y: profile_interval(fit_law(POWER_LAW, INPUTS, y, loss=SQUARES), "c"),
            "parameter must be one of a, b, got 'c'",
        ),
        (
            lambda y: profile_interval(fit_law(POWER_LAW, INPUTS[:2], y[:2], loss=SQUARES), "a"),
            "fit must have more points than its 2",
        ),
        (
            lambda y: identifiability(fit_law(POWER_LAW, INPUTS, y, loss=SQUARES), factor=1),
            "factor must be above 1, got 1",
        ),
    ],
)
def test_fits_without_a_profile_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(3 * INPUTS**-0.4 * np.exp(noise(30, 0.05)))


BUDGETS = np.geomspace(1, 100, 20)


def power(a, b, spread=0.0, seed=0):
    noise = np.random.default_rng(seed).normal(0, spread, BUDGETS.size)
    return bootstrap_law(
        fit_law(
            POWER_LAW,
            BUDGETS,
            a * BUDGETS**-b * np.exp(noise),
            loss="least squares of logs",
        ),
        200,
        seed,
    )


@settings(max_examples=15, deadline=None)
@given(st.floats(1.5, 6), st.floats(0.2, 1))
def test_two_powers_tie_where_algebra_says(factor, apart):
    tie = factor ** (1 / apart)
    result = crossing(power(factor, 0.3 + apart), power(1.0, 0.3), tie / 50, tie * 50)
    assert result.budget == pytest.approx(tie, rel=1e-3)
    assert (result.low, result.high, result.crossing_fraction) == (
        pytest.approx(tie, rel=1e-3),
        pytest.approx(tie, rel=1e-3),
        1,
    )


def test_the_interval_covers_the_planted_tie():
    covered = 0
    for seed in range(40):
        result = crossing(power(3, 0.8, 0.05, seed), power(1.5, 0.4, 0.05, seed + 100), 0.1, 1e3)
        covered += result.low <= 2**2.5 <= result.high
    assert covered >= 34


def test_laws_that_never_cross_say_so():
    result = crossing(power(2, 0.5), power(1, 0.5), 1, 1e4)
    assert np.isnan(result.budget)
    assert (result.low, result.high, result.crossing_fraction) == (np.inf, np.inf, 0)


def test_published_recipes_of_scalerl_tie_at_28_thousand_hours():
    hours = np.geomspace(1500, 50_000, 30)
    recipes = [{"A": 0.61, "Cmid": 2542.0, "B": 1.92}, {"A": 0.645, "Cmid": 11_272.0, "B": 1.89}]
    laws = [
        bootstrap_law(
            fit_law(
                SIGMOID_LAW,
                hours,
                SIGMOID_LAW.value({"R0": 0.4, **recipe}, hours),
                loss="least squares",
            ),
            10,
        )
        for recipe in recipes
    ]
    assert crossing(*laws, 2000, 1e5).budget == pytest.approx(28_072, rel=1e-3)


def test_who_wins_is_sure_far_from_the_tie_and_even_at_it():
    steep, flat = power(3, 0.8, 0.05), power(1.5, 0.4, 0.05, 1)
    tie = crossing(steep, flat, 0.1, 1e3).budget
    losses = win_probability(steep, flat, [tie / 20, tie, tie * 20], larger_is_better=False)
    assert losses[0] < 0.02
    assert 0.3 < losses[1] < 0.7
    assert losses[2] > 0.98
    assert win_probability(steep, flat, tie * 20) == pytest.approx(1 - losses[2])
    assert win_probability(steep, steep, 5.0) == 0.5


@pytest.mark.parametrize("unit", [1e-15, 1e-9, 1e9, 1e15])
def test_a_tie_does_not_know_the_unit_of_the_budget(unit):
    laws = [
        bootstrap_law(fit_law(POWER_LAW, unit * BUDGETS, a * BUDGETS**-b), 5)
        for a, b in ((4, 1), (2, 0.5))
    ]
    assert crossing(*laws, unit, 100 * unit).budget / unit == pytest.approx(4, rel=1e-6)


def test_bad_input():
    with pytest.raises(ValueError, match="start and end must be a range above 0"):
        crossing(power(1, 1), power(2, 1), 5, 5)


@pytest.mark.parametrize("ends", [(1, 64), (1, 4), (4, 100)])
def test_a_tie_on_a_point_of_the_search_is_found(ends):
    laws = [fit_law(POWER_LAW, BUDGETS, a * BUDGETS**-b) for a, b in ((4, 1), (2, 0.5))]
    result = crossing(*map(bootstrap_law, laws), *ends)
    assert result.budget == pytest.approx(4, rel=1e-6)
    assert result.crossing_fraction > 0.9
