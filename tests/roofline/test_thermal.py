"""Heating up to a limit, by formula, by an equation solver and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import solve_ivp

from perfmodel.roofline.thermal import ThermalBody, throttled, tokens_within

PHONE = ThermalBody(3.0, 80.0)


def test_formula_solves_the_equation():
    def slope(_, temperature):
        return (10 - (temperature - PHONE.ambient) / PHONE.resistance) / PHONE.capacity

    solved = solve_ivp(slope, (0, 300), [30.0], rtol=1e-9, atol=1e-9).y[0, -1]
    assert float(PHONE.temperature(300, 10, start=30.0)) == pytest.approx(solved, rel=1e-7)


@given(r=st.floats(0.5, 10), c=st.floats(1, 500), over=st.floats(1.05, 10))
def test_limit_is_reached_when_the_formula_says(r, c, over):
    body = ThermalBody(r, c)
    power = over * body.sustained_power(50)
    assert float(body.temperature(body.time_to_limit(power, 50), power)) == pytest.approx(50)


def test_sustained_power_never_reaches_the_limit():
    assert PHONE.time_to_limit(PHONE.sustained_power(48), 48) == np.inf


def test_simulation_throttles_on_time_and_stays_below():
    times, powers, temperatures = throttled(PHONE, 13.8, 48, 600, step=0.05)
    first = times[np.argmax(powers < 13.8)]
    assert first == pytest.approx(PHONE.time_to_limit(13.8, 48), abs=0.1)
    assert temperatures.max() < 48.05
    energy = powers.sum() * 0.05
    expected = tokens_within(PHONE, 13.8, 13.8, 48, 600)
    assert energy == pytest.approx(expected, rel=1e-3)


def test_cool_device_is_never_slowed():
    assert tokens_within(PHONE, 10, 2, 48, 100) == 1000
    assert (throttled(PHONE, 2, 48, 100)[1] == 2).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: PHONE.sustained_power(20), "limit must be above the ambient 25, got 20"),
        (lambda: PHONE.temperature(-1, 5), "time must be 0 or more"),
        (lambda: PHONE.time_to_limit(0, 48), "power must be above 0"),
        (lambda: tokens_within(PHONE, 0, 5, 48, 10), "rate must be above 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
