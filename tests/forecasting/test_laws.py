"""Laws, their fits and the choice of a form: planted constants found again."""

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
    SUCCESS_LAW,
    TWO_VARIABLE_LAW,
    choose_form,
    fit_law,
)
from perfmodel.forecasting.descent import Problem, descend

THETAS = {
    POWER_LAW: [2.0, 0.3],
    SATURATING_POWER_LAW: [1.0, 2.0, 0.3],
    RISING_POWER_LAW: [1.0, 2.0, 0.3],
    TWO_VARIABLE_LAW: [1.7, 400.0, 2000.0, 0.34, 0.36],
    SIGMOID_LAW: [0.4, 0.64, 1e4, 1.7],
    SUCCESS_LAW: [0.25, 0.9, 80.0, 0.4],
    BROKEN_POWER_LAW: [5.0, 0.2, 0.5, 50.0],
}
LAWS = pytest.mark.parametrize("law", THETAS, ids=lambda law: law.name)


@LAWS
def test_slopes_are_those_of_the_value(law):
    theta = np.array(THETAS[law])
    logs = law.logs(*[np.geomspace(10, 1e5, 7)] * len(law.variables))
    slopes = law.evaluate(theta, logs)[1]
    for index, step in enumerate(np.diag(1e-5 * theta)):
        up, down = (law.evaluate(theta + sign * step, logs)[0] for sign in (1, -1))
        assert (up - down) / (2 * step[index]) == pytest.approx(slopes[:, index], rel=1e-6)


@LAWS
def test_the_law_is_linear_in_what_it_says(law):
    theta = np.array(THETAS[law])
    logs = law.logs(*[np.geomspace(10, 1e5, 7)] * len(law.variables))
    indices = [law.parameters.index(name) for name in law.linear]
    twice = theta.copy()
    twice[indices] *= 2
    assert law.evaluate(twice, logs)[0] == pytest.approx(2 * law.evaluate(theta, logs)[0])


def test_values_by_hand():
    assert POWER_LAW.value({"a": 6, "b": 0.5}, 9) == pytest.approx(2)
    assert SATURATING_POWER_LAW.value({"e": 1, "a": 6, "b": 0.5}, 9) == pytest.approx(3)
    assert RISING_POWER_LAW.value({"e": 5, "a": 6, "b": 0.5}, 9) == pytest.approx(3)
    theta = {"E": 1, "A": 6, "B": 8, "alpha": 0.5, "beta": 1}
    assert TWO_VARIABLE_LAW.value(theta, 9, [4, 8]) == pytest.approx([5, 4])
    theta = {"R0": 0.4, "A": 0.6, "Cmid": 100.0, "B": 2.0}
    assert SIGMOID_LAW.value(theta, [100, 300]) == pytest.approx([0.5, 0.4 + 0.2 * 0.9])


def test_success_is_the_exponential_of_a_loss_that_falls_as_a_power():
    a, b, c, guess = 6.0, 0.4, 0.05, 0.25
    theta = {"R0": guess, "A": guess + (1 - guess) * np.exp(-c), "K": a ** (1 / b), "b": b}
    values = SUCCESS_LAW.value(theta, [1, 10, 100, 1000, 1e4])
    assert values == pytest.approx([0.2518, 0.3155, 0.5257, 0.7386, 0.8636], abs=5e-5)
    assert SUCCESS_LAW.value(theta, 1e300) == pytest.approx(0.9634, abs=5e-5)


def test_a_broken_law_has_a_slope_on_either_side_of_its_break():
    theta = {"a": 5.0, "b": 0.2, "c": 0.5, "d": 1e4}
    before, after = ([1.0, 10.0], [1e8, 1e9])
    for x, slope in ((before, -0.2), (after, -0.7)):
        low, high = BROKEN_POWER_LAW.value(theta, x)
        assert np.log10(high / low) == pytest.approx(slope, abs=1e-6)


@given(st.floats(0.1, 3), st.floats(0.1, 100), st.floats(0.05, 2))
def test_a_saturating_law_without_a_floor_is_a_power_law(scale, x, b):
    theta = {"a": scale, "b": b}
    floor = {"e": 1e-12, **theta}
    assert SATURATING_POWER_LAW.value(floor, x) == pytest.approx(POWER_LAW.value(theta, x))


@given(st.floats(0.5, 3), st.floats(100, 1e5))
def test_far_out_a_sigmoid_is_a_power_law_to_its_ceiling(steepness, middle):
    theta = {"R0": 0.3, "A": 0.7, "Cmid": middle, "B": steepness}
    far = middle * 1e3 ** (1 / steepness)
    gap = 0.7 - SIGMOID_LAW.value(theta, far)
    assert gap == pytest.approx(0.4 * (middle / far) ** steepness, rel=2e-3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: POWER_LAW.value({"a": 1}, 2), "theta must give a, b, got a"),
        (lambda: POWER_LAW.value({"a": 1, "b": 1}, 1, 2), r"x must be 1 array\(s\) for x, got 2"),
    ],
)
def test_missing_parameters_and_variables_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


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


INPUTS = np.geomspace(1, 1000, 30)


def test_the_planted_form_forecasts_best():
    rng = np.random.default_rng(0)
    for floor, best in ((1.0, SATURATING_POWER_LAW), (0.0, POWER_LAW)):
        y = (floor + 2 * INPUTS**-0.5) * np.exp(rng.normal(0, 0.003, 30))
        scores = choose_form([POWER_LAW, SATURATING_POWER_LAW], INPUTS, y)
        assert scores[0].law is best or scores[0].held_out > 0.9 * scores[1].held_out


def test_a_richer_form_never_fits_worse():
    y = (0.3 + 2 * INPUTS**-0.5) * np.exp(np.random.default_rng(1).normal(0, 0.02, 30))
    laws = [POWER_LAW, SATURATING_POWER_LAW, BROKEN_POWER_LAW]
    fits = {score.law: score.fit.objective for score in choose_form(laws, INPUTS, y)}
    assert fits[SATURATING_POWER_LAW] <= fits[POWER_LAW]
    assert fits[BROKEN_POWER_LAW] <= fits[POWER_LAW]


def test_the_largest_runs_are_held_out_in_whatever_order_they_come():
    y, order = 1 + 2 * INPUTS**-0.5, np.random.default_rng(0).permutation(30)
    for indices in (np.arange(30), order):
        score = choose_form([SATURATING_POWER_LAW], INPUTS[indices], y[indices], held_out=0.2)[0]
        assert score.fit.y.size == 24
        assert score.fit.y.min() > y[24:].max()


def test_size_may_be_another_than_the_product_of_the_variables():
    sizes, data = np.meshgrid(np.geomspace(1e8, 1e10, 5), np.geomspace(1e9, 1e11, 5))
    runs = (sizes.ravel(), data.ravel())
    theta = {"E": 1.8, "A": 480.0, "B": 2000.0, "alpha": 0.35, "beta": 0.37}
    y = TWO_VARIABLE_LAW.value(theta, *runs)
    score = choose_form([TWO_VARIABLE_LAW], runs, y, size=runs[0], held_out=0.2)[0]
    assert np.exp(score.fit.problem.logs[0]).max() == pytest.approx(np.geomspace(1e8, 1e10, 5)[3])
    assert score.held_out < 1e-3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: choose_form([], INPUTS, INPUTS), "laws must be one or more"),
        (
            lambda: choose_form([POWER_LAW], INPUTS[:4], INPUTS),
            "x, size and y must be as long as each",
        ),
        (
            lambda: choose_form([POWER_LAW], INPUTS, INPUTS, held_out=1),
            "held_out must leave runs on both",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
