"""The best split against a search, by hand, and what using the model does to it."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import minimize_scalar

from perfmodel.forecasting import (
    TWO_VARIABLE_LAW,
    allocation_exponent,
    compute_optimal,
    lifetime_optimal,
)

THETA = {"E": 1.8172, "A": 482.01, "B": 2085.43, "alpha": 0.3478, "beta": 0.3658}
exponents = st.floats(0.15, 0.8)


@given(exponents, exponents, st.floats(1, 4), st.floats(1, 4), st.floats(18, 26))
def test_no_other_split_has_less_loss(alpha, beta, size, data, budget):
    theta = {"E": 1.0, "A": 10**size, "B": 10**data, "alpha": alpha, "beta": beta}
    best = compute_optimal(theta, 10**budget)

    def loss(log_size):
        parameters = np.exp(log_size)
        return float(TWO_VARIABLE_LAW.value(theta, parameters, 10**budget / 6 / parameters))

    assert 6 * best.parameters * best.tokens == pytest.approx(10**budget)
    for factor in (0.5, 0.9, 1.1, 2.0):
        assert loss(np.log(best.parameters)) <= loss(np.log(best.parameters * factor)) + 1e-12


def test_the_replications_constants_at_chinchillas_budget():
    best = compute_optimal(THETA, 5.76e23)
    assert best.parameters == pytest.approx(7.22e10, rel=0.01)
    assert best.tokens_per_parameter == pytest.approx(18.4, rel=0.01)
    assert allocation_exponent(THETA) == pytest.approx(0.5126, abs=5e-5)


def test_the_size_grows_by_the_exponent():
    one, hundred = (compute_optimal(THETA, c).parameters for c in (1e20, 1e22))
    assert np.log10(hundred / one) / 2 == pytest.approx(allocation_exponent(THETA))


def test_samples_are_broadcast():
    many = {name: np.array([value, value]) for name, value in THETA.items()}
    assert compute_optimal(many, 1e22).tokens.shape == (2,)


def test_without_use_the_lifetime_is_the_training():
    best = compute_optimal(THETA, 1e22)
    loss = float(TWO_VARIABLE_LAW.value(THETA, best.parameters, best.tokens))
    assert lifetime_optimal(THETA, loss, 0).parameters == pytest.approx(best.parameters, rel=1e-4)


def test_a_model_that_is_used_more_is_smaller_and_trained_longer():
    used = [lifetime_optimal(THETA, 2.0, tokens) for tokens in (0, 1e12, 1e13, 1e14)]
    assert (np.diff([item.parameters for item in used]) < 0).all()
    assert (np.diff([item.tokens for item in used]) > 0).all()
    for item in used:
        assert TWO_VARIABLE_LAW.value(THETA, *item) == pytest.approx(2.0)


@pytest.mark.parametrize("served", [1e25, 1e30, 1e35])
def test_the_most_used_models_have_the_least_size_that_reaches_the_loss(served):
    """Then log(size) is nearly flat, and tokens follow from where its slope meets the training's.

    With shares s and 1 - s of the gap, s / (alpha (1 - s)) = 6 tokens / (2 served beta) to the
    leading order, as 1 - s is small.
    """
    best = lifetime_optimal(THETA, 2.0, served)
    left = THETA["B"] / best.tokens ** THETA["beta"] / (2.0 - THETA["E"])
    assert best.parameters == pytest.approx(
        (THETA["A"] / (2.0 - THETA["E"])) ** (1 / THETA["alpha"]), rel=0.01
    )
    training = 6 * best.tokens / (2 * served * THETA["beta"])
    assert training == pytest.approx(left / THETA["alpha"], rel=0.01)


def test_the_lifetime_cost_is_least():
    served = 5e12

    def cost(log_size):
        gap = 2.0 - THETA["E"] - THETA["A"] * np.exp(-THETA["alpha"] * log_size)
        tokens = (THETA["B"] / gap) ** (1 / THETA["beta"]) if gap > 0 else np.inf
        return np.log(np.exp(log_size) * (6 * tokens + 2 * served))

    smallest = np.log((THETA["A"] / (2.0 - THETA["E"])) ** (1 / THETA["alpha"]))
    result = minimize_scalar(cost, bounds=(smallest + 0.01, smallest + 6), method="bounded")
    best = lifetime_optimal(THETA, 2.0, served)
    assert np.log(best.parameters) == pytest.approx(result.x, abs=1e-3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compute_optimal({**THETA, "alpha": -1}, 1e20), "alpha must be above 0"),
    ],
)
def test_a_law_without_an_optimum_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
