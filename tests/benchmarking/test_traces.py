"""Means over time, held against scipy's integrals and a fine simulation."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import trapezoid

from perfmodel.benchmarking import time_average, time_integral

POINTS = st.lists(st.tuples(st.floats(0.01, 5), st.floats(0, 900)), min_size=2, max_size=30)


@given(points=POINTS)
def test_means_lie_within_the_samples_and_are_the_integral_over_time(points):
    gaps, values = map(np.array, zip(*points, strict=True))
    times = gaps.cumsum()
    straight, held = time_average(times, values), time_average(times, values, "held")
    assert straight == pytest.approx(trapezoid(values, times) / (times[-1] - times[0]))
    steps = sum(v * (b - a) for v, a, b in zip(values, times, times[1:], strict=False))
    assert held == pytest.approx(steps / (times[-1] - times[0]))
    for mean in (straight, held):
        assert values.min() - 1e-9 <= mean <= values.max() + 1e-9


@given(values=st.lists(st.floats(0, 900), min_size=2, max_size=30), gap=st.floats(0.1, 10))
def test_with_even_gaps_the_held_mean_is_that_of_the_samples_but_the_last(values, gap):
    times = gap * np.arange(len(values))
    assert time_average(times, values, "held") == pytest.approx(np.mean(values[:-1]), abs=1e-9)


def test_a_meter_that_samples_the_busy_phase_more_often_is_put_right():
    # 300 W for 2 s sampled each 10 ms, then 100 W for 8 s sampled each second.
    times = np.concatenate([np.arange(0, 2, 0.01), np.arange(2.0, 11.0)])
    watts = np.where(times < 2, 300.0, 100.0)
    assert watts.mean() > 280
    assert time_average(times, watts, "held") == pytest.approx(140)
    assert time_integral(times, watts, "held") == pytest.approx(1400)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: time_integral([0, 0], [1, 1]), "times must rise"),
        (lambda: time_average([0, 1], [1, 2, 3]), "values must be as many as times, 2"),
        (lambda: time_average([0, 1], [1, 2], "last"), "between must be 'straight' or 'held'"),
    ],
)
def test_times_that_do_not_rise_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
