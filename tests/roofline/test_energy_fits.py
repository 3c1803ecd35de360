"""Two constants from batches, prices from power, and what the data don't determine."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize

from perfmodel.roofline import AmortisedEnergy, fit_amortised, fit_power_draw


@given(st.floats(0.01, 100), st.floats(0.001, 10), st.lists(st.integers(1, 999), min_size=2))
def test_the_law_is_found_again(step, token, batches):
    batch = np.array(batches, float)
    if np.unique(batch).size < 2:
        with pytest.raises(ValueError, match="two different"):
            fit_amortised(batch, step / batch + token)
        return
    fit = fit_amortised(batch, step / batch + token)
    assert fit.energy(batch) == pytest.approx(step / batch + token, rel=1e-6)


def test_energy_at_a_batch_that_was_not_measured():
    """One over the batch exactly: no floor, and nothing negative anywhere."""
    fit = fit_amortised([8, 16, 32], [1.0, 0.5, 0.25])
    assert fit.token == pytest.approx(0, abs=1e-12)
    assert (fit.energy([1, 24, 1e6]) > 0).all()


def test_errors_are_relative():
    """A minimiser of the squared relative errors lands on the same constants."""
    batch, energy = np.array([8.0, 16, 32]), np.array([0.4548, 0.2627, 0.1651])
    fit = fit_amortised(batch, energy)
    found = minimize(
        lambda p: (((p[0] / batch + p[1]) / energy - 1) ** 2).sum(),
        [3.0, 0.1],
        method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-18},
    )
    assert [fit.step, fit.token] == pytest.approx(found.x, rel=1e-5)


def rates(seed, count=40):
    rng = np.random.default_rng(seed)
    return rng.uniform(1e11, 3e12, count), rng.uniform(1e13, 4e14, count)


@settings(deadline=None, max_examples=30)
@given(st.floats(20, 500), st.floats(1e-11, 2e-10), st.floats(1e-13, 2e-12), st.integers(0, 9))
def test_prices_are_found_where_rates_vary_freely(constant, byte, operation, seed):
    moved, done = rates(seed)
    fit = fit_power_draw(moved, done, constant + byte * moved + operation * done)
    assert fit.byte == pytest.approx(byte, rel=1e-6)
    assert fit.operation == pytest.approx(operation, rel=1e-6)
    assert fit.constant == pytest.approx(constant, rel=1e-5)
    assert fit.byte_range == pytest.approx((byte, byte), rel=1e-5)


def test_where_bytes_fall_as_operations_rise_no_price_is_determined():
    done = np.linspace(1e13, 2e14, 20)
    moved = 2.2e12 - 8e-3 * done
    power = (400 + 1e-12 * done) * (1 + 0.03 * np.random.default_rng(0).standard_normal(20))
    fit = fit_power_draw(moved, done, power)
    assert fit.byte_range[0] == 0
    assert fit.byte_range[1] > 1e-10


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 50))
def test_the_range_is_where_the_error_grows_by_a_tenth(seed):
    moved, done = rates(seed)
    noise = 1 + 0.05 * np.random.default_rng(seed).standard_normal(moved.size)
    fit = fit_power_draw(moved, done, (200 + 8e-11 * moved + 8e-13 * done) * noise)
    low, high = fit.byte_range
    assert low <= fit.byte <= high
    power = (200 + 8e-11 * moved + 8e-13 * done) * noise
    for end in (low, high):
        if end > 0:
            assert fit_power_draw(moved, done, power, end).error == pytest.approx(1.1 * fit.error)
    least = min(fit_power_draw(moved, done, power, p).error for p in np.linspace(low, high, 9))
    assert least >= fit.error * (1 - 1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_amortised([8], [1.0]), "batch must"),
        (lambda: fit_amortised([8, 16], [1.0, 1.1]), "must fall with the batch, .* negative step"),
        (lambda: fit_amortised([8, 16], [1.0, 0.45]), "measure larger batches, .* negative token"),
        (lambda: fit_amortised([8, 16], [1.0]), "batch and energy must be equally long"),
        (lambda: AmortisedEnergy(1.0, 0.1).energy(0), "batch must be above 0"),
        (lambda: fit_power_draw([1, 1], [1, 1], [1, 1]), "byte_rate must"),
        (lambda: fit_power_draw([1, 2, 3], [1, 2, 3], [1, 2]), "power must"),
        (lambda: fit_power_draw([1, 2, 3], [1, 2, 3], [1, 2, 3], -1.0), "byte must be 0 or more"),
        (lambda: fit_power_draw([1, 2, 3, 4], [1, 2, 3], [1, 2, 3]), "must be equally long"),
        (
            lambda: fit_power_draw([1, 2, 3], [1, 2, 3], [1, 2, 3]).power(-1, 1),
            "byte_rate must be 0",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
