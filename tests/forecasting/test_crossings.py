"""Ties of laws against algebra, and chances that are sure far away and even at the tie."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.forecasting import (
    POWER_LAW,
    SIGMOID_LAW,
    bootstrap_law,
    crossing,
    fit_law,
    win_chance,
)

X = np.geomspace(1, 100, 20)


def power(a, b, spread=0.0, seed=0):
    noise = np.random.default_rng(seed).normal(0, spread, X.size)
    return bootstrap_law(
        fit_law(POWER_LAW, X, a * X**-b * np.exp(noise), loss="least squares of logs"), 200, seed
    )


@settings(max_examples=15, deadline=None)
@given(st.floats(1.5, 6), st.floats(0.2, 1))
def test_two_powers_tie_where_algebra_says(factor, apart):
    tie = factor ** (1 / apart)
    result = crossing(power(factor, 0.3 + apart), power(1.0, 0.3), tie / 50, tie * 50)
    assert result.budget == pytest.approx(tie, rel=1e-3)
    assert (result.low, result.high, result.share) == (
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
    assert (result.low, result.high, result.share) == (np.inf, np.inf, 0)


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
    losses = win_chance(steep, flat, [tie / 20, tie, tie * 20], larger_is_better=False)
    assert losses[0] < 0.02
    assert 0.3 < losses[1] < 0.7
    assert losses[2] > 0.98
    assert win_chance(steep, flat, tie * 20) == pytest.approx(1 - losses[2])
    assert win_chance(steep, steep, 5.0) == 0.5


@pytest.mark.parametrize("unit", [1e-15, 1e-9, 1e9, 1e15])
def test_a_tie_does_not_know_the_unit_of_the_budget(unit):
    laws = [
        bootstrap_law(fit_law(POWER_LAW, unit * X, a * X**-b), 5) for a, b in ((4, 1), (2, 0.5))
    ]
    assert crossing(*laws, unit, 100 * unit).budget / unit == pytest.approx(4, rel=1e-6)


def test_bad_input():
    with pytest.raises(ValueError, match="start and end must be a range above 0"):
        crossing(power(1, 1), power(2, 1), 5, 5)


@pytest.mark.parametrize("ends", [(1, 64), (1, 4), (4, 100)])
def test_a_tie_on_a_point_of_the_search_is_found(ends):
    laws = [fit_law(POWER_LAW, X, a * X**-b) for a, b in ((4, 1), (2, 0.5))]
    result = crossing(*map(bootstrap_law, laws), *ends)
    assert result.budget == pytest.approx(4, rel=1e-6)
    assert result.share > 0.9
