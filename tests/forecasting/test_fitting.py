"""Planted laws are found again, SciPy finds nothing better, and outliers hardly move the fit."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize

from perfmodel.forecasting import (
    BROKEN_POWER_LAW,
    POWER_LAW,
    RISING_POWER_LAW,
    SATURATING_POWER_LAW,
    SIGMOID_LAW,
    TWO_VARIABLE_LAW,
    fit_law,
)
from perfmodel.forecasting.descent import Problem, descend

X = np.geomspace(1, 1000, 25)
SIZES = np.geomspace(1e8, 1e10, 7)
RUNS = (np.tile(SIZES, 7), np.repeat(np.geomspace(1e9, 3e11, 7), 7))


@settings(max_examples=25, deadline=None)
@given(st.floats(0.2, 3), st.floats(0.3, 5), st.floats(0.2, 1.5))
def test_a_planted_saturating_law_is_found(floor, scale, exponent):
    theta = {"e": floor, "a": scale, "b": exponent}
    for loss in ("huber of logs", "least squares of logs", "least squares"):
        fit = fit_law(SATURATING_POWER_LAW, X, SATURATING_POWER_LAW.value(theta, X), loss=loss)
        assert fit.theta == pytest.approx(theta, rel=1e-3)
        assert fit.predict(1e6) == pytest.approx(SATURATING_POWER_LAW.value(theta, 1e6), rel=1e-3)


@pytest.mark.parametrize(
    ("law", "x", "theta", "loss"),
    [
        (POWER_LAW, X, {"a": 3.0, "b": 0.4}, "huber of logs"),
        (RISING_POWER_LAW, X, {"e": 0.9, "a": 0.6, "b": 0.5}, "least squares"),
        (BROKEN_POWER_LAW, X, {"a": 5.0, "b": 0.2, "c": 0.5, "d": 30.0}, "huber of logs"),
        (SIGMOID_LAW, X, {"R0": 0.3, "A": 0.8, "Cmid": 40.0, "B": 1.3}, "least squares"),
        (
            TWO_VARIABLE_LAW,
            RUNS,
            {"E": 1.8, "A": 480.0, "B": 2000.0, "alpha": 0.35, "beta": 0.37},
            "huber of logs",
        ),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_planted_laws_are_found(law, x, theta, loss):
    y = law.value(theta, *(x if law is TWO_VARIABLE_LAW else (x,)))
    assert fit_law(law, x, y, loss=loss).theta == pytest.approx(theta, rel=0.01)


@pytest.mark.parametrize("seed", range(4))
def test_scipy_finds_nothing_better(seed):
    rng = np.random.default_rng(seed)
    theta = {"E": 1.8, "A": 480.0, "B": 2000.0, "alpha": 0.35, "beta": 0.37}
    y = TWO_VARIABLE_LAW.value(theta, *RUNS) * np.exp(rng.normal(0, 0.01, RUNS[0].size))
    fit = fit_law(TWO_VARIABLE_LAW, RUNS, y)

    def objective(u):
        off = np.logaddexp(
            np.logaddexp(u[1] - u[3] * np.log(RUNS[0]), u[2] - u[4] * np.log(RUNS[1])), u[0]
        )
        size = np.abs(off - np.log(y))
        return np.where(size <= 1e-3, size**2 / 2, 1e-3 * (size - 5e-4)).sum()

    assert objective(fit.u) == pytest.approx(fit.objective)
    start = fit.u * (1 + 0.01 * rng.standard_normal(5))
    for begin in (fit.u, start):
        theirs = minimize(objective, begin, method="Nelder-Mead", options={"maxiter": 4000})
        assert fit.objective <= theirs.fun * (1 + 1e-4)


@pytest.mark.parametrize("unit", [1e-9, 1e-6, 1e3, 1e9])
def test_the_unit_of_the_results_does_not_count(unit):
    """Percent, shares and counts: the descent scales each parameter by its own curvature."""
    theta = {"R0": 0.2, "A": 0.8, "Cmid": 50.0, "B": 1.3}
    noise = 1 + 0.01 * np.random.default_rng(0).normal(size=X.size)
    y = SIGMOID_LAW.value(theta, X) * noise
    one, other = (fit_law(SIGMOID_LAW, X, u * y, loss="least squares") for u in (1.0, unit))
    levels = {"R0": one.theta["R0"] * unit, "A": one.theta["A"] * unit}
    assert other.theta == pytest.approx({**one.theta, **levels}, rel=1e-5)
    assert other.objective == pytest.approx(one.objective * unit**2, rel=1e-6)
    assert other.starts == pytest.approx(one.starts, abs=0.1)


def test_outliers_hardly_move_the_robust_fit():
    theta = {"a": 3.0, "b": 0.4}
    y = POWER_LAW.value(theta, X)
    y[[2, 11]] *= 3
    robust, squares = (
        fit_law(POWER_LAW, X, y, loss=name).theta["a"]
        for name in ("huber of logs", "least squares of logs")
    )
    assert robust == pytest.approx(3.0, rel=1e-3)
    assert squares > 3.2


def test_weights_are_repetitions():
    y = POWER_LAW.value({"a": 3.0, "b": 0.4}, X) * np.exp(0.05 * np.cos(np.arange(25)))
    twice = fit_law(POWER_LAW, np.r_[X, X[:5]], np.r_[y, y[:5]])
    weighted = fit_law(POWER_LAW, X, y, weights=np.r_[np.full(5, 2.0), np.ones(20)])
    assert weighted.theta == pytest.approx(twice.theta)


def test_what_is_fixed_stays():
    y = SIGMOID_LAW.value({"R0": 0.3, "A": 0.8, "Cmid": 40.0, "B": 1.3}, X)
    fit = fit_law(SIGMOID_LAW, X, y, loss="least squares", fixed={"R0": 0.31, "B": 1.2})
    assert (fit.theta["R0"], fit.theta["B"]) == (pytest.approx(0.31), pytest.approx(1.2))
    assert fit.free == ("A", "Cmid")


def test_results_that_are_all_nought_are_fitted_by_nought():
    for law in (POWER_LAW, SATURATING_POWER_LAW, RISING_POWER_LAW):
        fit = fit_law(law, X, np.zeros(X.size), loss="least squares")
        assert fit.predict(X) == pytest.approx(0, abs=1e-6)


def test_many_fits_at_once_are_the_single_ones():
    rng = np.random.default_rng(0)
    y = SATURATING_POWER_LAW.value({"e": 1.0, "a": 2.0, "b": 0.5}, X) * np.exp(
        rng.normal(0, 0.02, 25)
    )
    fit = fit_law(SATURATING_POWER_LAW, X, y)
    counts = rng.multinomial(25, np.full(25, 0.04), size=5).astype(float)
    u, objectives, converged = descend(fit.problem, np.repeat(fit.u[None], 5, axis=0), counts)
    assert converged.all()
    for row, objective, weights in zip(u, objectives, counts, strict=True):
        alone = fit_law(SATURATING_POWER_LAW, X, y, weights=weights)
        assert objective <= alone.objective * (1 + 1e-6)
        assert np.exp(row[0]) == pytest.approx(alone.theta["e"], rel=1e-3)


def test_the_loss_is_hubers():
    problem = Problem(POWER_LAW, np.zeros((1, 1)), np.ones(1), True, 0.1, np.arange(2))
    assert problem.loss(np.array([0.05, -0.1, 0.3])) == pytest.approx([0.00125, 0.005, 0.025])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_law(POWER_LAW, X, X[:4]), "x and y must be as long as each other"),
        (lambda: fit_law(POWER_LAW, X[:1], X[:1]), "y must have 2 points or more, got 1"),
        (lambda: fit_law(POWER_LAW, X, X, fixed={"c": 1}), "fixed must name some of a, b"),
        (lambda: fit_law(POWER_LAW, X, X, fixed={"a": 1, "b": 1}), "leave a parameter free"),
        (
            lambda: fit_law(POWER_LAW, X, X, weights=np.eye(25)[0]),
            "weights must leave 2 points or more, got 1",
        ),
        (lambda: fit_law(POWER_LAW, X, X, weights=-X), "weights must be 25 numbers of 0 or more"),
    ],
)
def test_fits_that_are_not_determined_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
