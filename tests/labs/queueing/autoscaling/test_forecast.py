"""Forecasts: by hand, by the law of an autoregression, and better than both simple ones."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.queueing.autoscaling.forecast import (
    ahead,
    deviations,
    fit_autoregression,
    forecast_counts,
    mean_profile,
)
from perfmodel.labs.queueing.autoscaling.trace import MINUTES, DayPattern, drawn_rates


def test_two_steps_ahead_by_hand():
    series = [1.0, 2.0, 3.0, 0.0, 0.0]
    one = [0.5 * 2 + 0.25 * 1, 0.5 * 3 + 0.25 * 2]
    two = [0.5 * one[0] + 0.25 * 2, 0.5 * one[1] + 0.25 * 3]
    assert ahead(series, [0.5, 0.25], 1)[:4] == pytest.approx([0, 0, *one])
    assert ahead(series, [0.5, 0.25], 2) == pytest.approx([0, 0, 0, *two])


@given(st.floats(-0.99, 0.99), st.integers(1, 30))
def test_a_first_order_forecast_fades_as_a_power(memory, horizon):
    series = np.linspace(-1, 1, 40)
    expected = memory**horizon * series[: 40 - horizon]
    assert ahead(series, [memory], horizon)[horizon:] == pytest.approx(expected)


def test_a_fit_finds_the_coefficients_of_a_drawn_series():
    rng, x = np.random.default_rng(1), np.zeros(20_000)
    noise = rng.normal(size=x.size)
    for i in range(2, x.size):
        x[i] = 0.6 * x[i - 1] + 0.3 * x[i - 2] + noise[i]
    assert fit_autoregression(x, 2) == pytest.approx([0.6, 0.3], abs=0.03)


def test_a_profile_is_the_mean_of_the_days_around_the_clock():
    pattern = DayPattern(noise=0.0, bursts=0.0)
    counts = np.tile(60 * pattern.profile(), 3)
    assert mean_profile(counts, 1) == pytest.approx(60 * pattern.profile())
    assert mean_profile(counts, 31) == pytest.approx(60 * pattern.profile(), rel=1e-3)


def test_known_factors_and_weights_give_known_counts():
    profile = np.full(MINUTES, 50.0)
    counts = np.full(MINUTES, 99.5)
    assert deviations(counts, profile) == pytest.approx(np.log(2))
    assert forecast_counts(counts, profile, [0.0], 3) == pytest.approx(50)
    assert forecast_counts(counts, profile, [1.0], 3)[3:] == pytest.approx(100)
    assert forecast_counts(counts, profile, [0.5], 2)[2:] == pytest.approx(50 * 2**0.25)


@pytest.mark.parametrize("horizon", [2, 6, 11])
def test_ten_minutes_of_memory_beat_one_the_profile_and_the_last_minute(horizon):
    rng = np.random.default_rng(11)
    rates = drawn_rates(DayPattern(), 15, rng)
    counts = rng.poisson(60 * rates).astype(float)
    past, today = counts[: 14 * MINUTES], counts[14 * MINUTES :]
    profile = mean_profile(past)
    off = deviations(past, profile)
    weights = {"last": [1.0], "profile": [0.0], 1: None, 10: None}
    weights |= {p: fit_autoregression(off, p) for p in (1, 10)}
    errors = {
        name: np.std(forecast_counts(today, profile, w, horizon) - 60 * rates[14 * MINUTES :])
        for name, w in weights.items()
    }
    assert errors[10] == min(errors.values())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mean_profile(np.ones(10)), "counts must be of whole days of 1440 minutes, got 10"),
        (
            lambda: fit_autoregression(np.ones(9), 1),
            "series must be a one-dimensional sample of 10",
        ),
        (lambda: fit_autoregression(np.ones(99), 0), "order must be a whole number, 1 or more"),
        (lambda: ahead([1.0], [0.5], 0), "horizon must be a whole number, 1 or more, got 0"),
        (lambda: deviations([1.0], [0.0]), "profile must be above 0"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
