"""The form is chosen by larger runs: the best fit may be the worst forecast."""

import numpy as np
import pytest

from perfmodel.forecasting import (
    BROKEN_POWER_LAW,
    POWER_LAW,
    SATURATING_POWER_LAW,
    TWO_VARIABLE_LAW,
    choose_form,
)

X = np.geomspace(1, 1000, 30)


def test_the_planted_form_forecasts_best():
    rng = np.random.default_rng(0)
    for floor, best in ((1.0, SATURATING_POWER_LAW), (0.0, POWER_LAW)):
        y = (floor + 2 * X**-0.5) * np.exp(rng.normal(0, 0.003, 30))
        scores = choose_form([POWER_LAW, SATURATING_POWER_LAW], X, y)
        assert scores[0].law is best or scores[0].held_out > 0.9 * scores[1].held_out


def test_a_richer_form_never_fits_worse():
    y = (0.3 + 2 * X**-0.5) * np.exp(np.random.default_rng(1).normal(0, 0.02, 30))
    laws = [POWER_LAW, SATURATING_POWER_LAW, BROKEN_POWER_LAW]
    fits = {score.law: score.fit.objective for score in choose_form(laws, X, y)}
    assert fits[SATURATING_POWER_LAW] <= fits[POWER_LAW]
    assert fits[BROKEN_POWER_LAW] <= fits[POWER_LAW]


def test_the_largest_runs_are_held_out_in_whatever_order_they_come():
    y, order = 1 + 2 * X**-0.5, np.random.default_rng(0).permutation(30)
    for indices in (np.arange(30), order):
        score = choose_form([SATURATING_POWER_LAW], X[indices], y[indices], held_out=0.2)[0]
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
        (lambda: choose_form([], X, X), "laws must be one or more"),
        (lambda: choose_form([POWER_LAW], X[:4], X), "x, size and y must be as long as each"),
        (lambda: choose_form([POWER_LAW], X, X, held_out=1), "held_out must leave runs on both"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
