"""Meters against the true mean of a known cycle."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.benchmarking import time_average
from perfmodel.labs.benchmarking.efficientllm.power_cycle import (
    TRAINING,
    Phase,
    PowerCycle,
    clock_times,
    event_times,
)
from perfmodel.labs.benchmarking.efficientllm.sampled_trace import METERS, readings, sampled_trace

PHASE = st.builds(
    Phase, st.sampled_from("abc"), st.floats(0.01, 1), st.floats(0, 900, allow_subnormal=False)
)


@given(phases=st.lists(PHASE, min_size=1, max_size=4))
def test_a_fast_clock_finds_the_mean_power(phases):
    cycle = PowerCycle(tuple(phases))
    times = clock_times(cycle.period / 4000, cycle.period)
    assert cycle.power_at(times).mean() == pytest.approx(cycle.mean_power, rel=0.01, abs=0.5)
    assert cycle.power_at(times + 3 * cycle.period).mean() == pytest.approx(
        cycle.power_at(times).mean(), rel=0.01, abs=0.5
    )


@pytest.mark.parametrize("offset", [0.0, 0.03, 0.089, 0.1, 0.129])
def test_a_clock_in_step_with_the_cycle_sees_one_phase_only(offset):
    watts = TRAINING.power_at(clock_times(TRAINING.period, 100 * TRAINING.period, offset))
    assert np.ptp(watts) == 0
    assert abs(watts.mean() - TRAINING.mean_power) > 100


def test_jitter_breaks_the_step():
    times = clock_times(TRAINING.period, 4000 * TRAINING.period, jitter=0.49, seed=1)
    assert (np.diff(times) > 0).all()
    assert TRAINING.power_at(times).mean() == pytest.approx(TRAINING.mean_power, rel=0.03)


@given(fast=st.floats(0.002, 0.02), slow=st.floats(0.01, 0.2))
def test_readings_at_events_need_their_times(fast, slow):
    end = 7 * TRAINING.period
    times = event_times(TRAINING, {"compute": fast, "exchange": slow}, end)
    watts = TRAINING.power_at(times)
    held = time_average([*times, end], [*watts, watts[-1]], "held")
    assert held == pytest.approx(TRAINING.mean_power)


@pytest.mark.parametrize("meter", METERS)
def test_every_meter_can_be_drawn(meter):
    scene = sampled_trace(meter)
    assert scene.faults() == []
    watts = TRAINING.power_at(readings(meter))
    assert scene.values["mean of the readings (W)"] == pytest.approx(watts.mean())


def test_the_mean_by_hand():
    assert TRAINING.mean_power == pytest.approx((0.09 * 650 + 0.04 * 300) / 0.13)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: PowerCycle(()), "phases must be one or more"),
        (lambda: PowerCycle((Phase("a", 0.0, 1.0),)), "duration must be above 0"),
        (lambda: clock_times(0, 1), "gap must be above 0"),
        (lambda: clock_times(1, 1, jitter=0.5), "jitter must be below 0.5, got 0.5"),
        (lambda: event_times(TRAINING, {"compute": 0, "exchange": 1}, 1), "gaps must be above 0"),
        (lambda: readings("hourly"), "meter must be one of 10 ms"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
