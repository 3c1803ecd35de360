"""Laws by hand, their slopes by differences, and their limits."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.forecasting import (
    BROKEN_POWER_LAW,
    POWER_LAW,
    RISING_POWER_LAW,
    SATURATING_POWER_LAW,
    SIGMOID_LAW,
    SUCCESS_LAW,
    TWO_VARIABLE_LAW,
)

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
