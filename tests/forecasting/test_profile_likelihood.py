"""Profiles agree with straight lines and statsmodels, and say so where data are silent."""

import numpy as np
import pytest
import statsmodels.api as sm

from perfmodel.forecasting import (
    POWER_LAW,
    RISING_POWER_LAW,
    SATURATING_POWER_LAW,
    SIGMOID_LAW,
    TWO_VARIABLE_LAW,
    fit_law,
    identifiability,
    profile_interval,
)

X = np.geomspace(1, 1000, 30)
SQUARES = "least squares of logs"


def noise(size, spread, seed=0):
    return np.random.default_rng(seed).normal(0, spread, size)


@pytest.mark.parametrize("confidence", [0.9, 0.99])
def test_of_a_straight_line_the_profile_is_students_interval(confidence):
    y = 3 * X**-0.4 * np.exp(noise(30, 0.05))
    fit = fit_law(POWER_LAW, X, y, loss=SQUARES)
    line = sm.OLS(np.log(y), sm.add_constant(-np.log(X))).fit().conf_int(1 - confidence)
    assert profile_interval(fit, "b", confidence) == pytest.approx(line[1], rel=1e-3)
    assert np.log(profile_interval(fit, "a", confidence)) == pytest.approx(line[0], rel=1e-3)


def test_at_either_end_the_fit_is_worse_by_what_student_allows():
    y = (1 + 2 * X**-0.5) * np.exp(noise(30, 0.02))
    fit = fit_law(SATURATING_POWER_LAW, X, y, loss=SQUARES)
    for end in profile_interval(fit, "e"):
        held = fit_law(SATURATING_POWER_LAW, X, y, loss=SQUARES, fixed={"e": end})
        t = np.sqrt((held.objective / fit.objective - 1) * 27)
        assert t == pytest.approx(2.0518, rel=0.01)


def test_a_floor_far_below_the_data_is_open_below():
    y = (0.02 + 3 * X**-0.2) * np.exp(noise(30, 0.02))
    result = identifiability(fit_law(SATURATING_POWER_LAW, X, y, loss=SQUARES))
    assert result.intervals["e"][0] == 0.0
    assert not result.known["e"]
    assert result.sentence.startswith("The runs do not determine e")


def test_a_ceiling_before_half_of_the_rise_is_open_above():
    theta = {"R0": 0.4, "A": 0.65, "Cmid": 11_000.0, "B": 1.9}
    for last, known in ((6e3, False), (6e4, True)):
        x = np.geomspace(1500, last, 40)
        y = SIGMOID_LAW.value(theta, x) + noise(40, 0.004)
        result = identifiability(fit_law(SIGMOID_LAW, x, y, loss="least squares"))
        assert result.known["A"] is known
        assert np.isfinite(result.intervals["A"][1]) == known
    assert result.sentence == "The runs determine every parameter."


def test_sizes_and_data_that_grow_together_cannot_be_told_apart():
    sizes = np.geomspace(1e8, 1e10, 60)
    theta = {"E": 1.8, "A": 480.0, "B": 2000.0, "alpha": 0.35, "beta": 0.37}
    y = TWO_VARIABLE_LAW.value(theta, sizes, 20 * sizes) * np.exp(noise(60, 0.01))
    result = identifiability(fit_law(TWO_VARIABLE_LAW, (sizes, 20 * sizes), y, loss=SQUARES))
    assert not any(result.known[name] for name in ("A", "B", "alpha"))
    assert np.sum(np.square(list(result.flat.values()))) == pytest.approx(1)


def test_the_flat_direction_moves_the_fit_least():
    y = SATURATING_POWER_LAW.value({"e": 1.0, "a": 3.0, "b": 0.3}, X) * np.exp(noise(30, 0.01))
    weights = np.r_[np.zeros(5), np.ones(25)]
    fit = fit_law(SATURATING_POWER_LAW, X, y, loss=SQUARES, weights=weights)
    flat = np.array(list(identifiability(fit).flat.values()))
    slopes = fit.problem.residuals(fit.u, fit.y)[1] * np.sqrt(weights)[:, None]
    moved = np.linalg.norm(slopes @ flat)
    others = np.random.default_rng(0).normal(size=(200, flat.size))
    others /= np.linalg.norm(others, axis=1)[:, None]
    assert moved <= np.linalg.norm(slopes @ others.T, axis=0).min()


def test_a_level_of_nought_can_be_known():
    theta = {"e": 0.0, "a": 2.0, "b": 0.5}
    y = RISING_POWER_LAW.value(theta, X) + 1e-4 * noise(30, 1.0)
    assert identifiability(fit_law(RISING_POWER_LAW, X, y, loss="least squares")).known["e"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda y: profile_interval(fit_law(POWER_LAW, X, y), "a"), "by least squares, got a rob"),
        (
            lambda y: profile_interval(fit_law(POWER_LAW, X, y, loss=SQUARES), "c"),
            "parameter must be one of a, b, got 'c'",
        ),
        (
            lambda y: profile_interval(fit_law(POWER_LAW, X[:2], y[:2], loss=SQUARES), "a"),
            "fit must have more points than its 2",
        ),
        (
            lambda y: identifiability(fit_law(POWER_LAW, X, y, loss=SQUARES), factor=1),
            "factor must be above 1, got 1",
        ),
    ],
)
def test_fits_without_a_profile_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(3 * X**-0.4 * np.exp(noise(30, 0.05)))
