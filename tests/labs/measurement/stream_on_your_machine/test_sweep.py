"""Sweeps over sizes, the fit of two constants to one, and the comparison of two samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.measurement.stream_on_your_machine import sweep, traffic
from perfmodel.measurement.cpu.team import Team


def made_sweep(overhead, bandwidth, noise, sizes=(100, 1000, 10_000, 100_000), runs=25):
    elements = np.array(sizes)
    rng = np.random.default_rng(3)
    seconds = traffic.loop_time(24 * elements, overhead, bandwidth)[:, None]
    return sweep.Sweep(
        elements, 24, seconds * (1 + noise * rng.exponential(size=(elements.size, runs)))
    )


@settings(max_examples=10, deadline=None)
@given(overhead=st.floats(1e-7, 1e-4), bandwidth=st.floats(1e9, 1e11))
def test_fit_returns_what_made_the_times(overhead, bandwidth):
    found = sweep.fit(made_sweep(overhead, bandwidth, 0), resamples=2)
    assert found.overhead == pytest.approx(overhead, rel=1e-6)
    assert found.bandwidth == pytest.approx(bandwidth, rel=1e-6)
    assert found.half_size == pytest.approx(overhead * bandwidth, rel=1e-6)
    assert abs(found.residuals).max() < 1e-6


def test_intervals_hold_the_fit_and_widen_with_noise():
    few, many = (sweep.fit(made_sweep(2e-6, 2e10, noise)) for noise in (0.02, 0.2))
    for found in (few, many):
        assert found.overhead_interval[0] < found.overhead < found.overhead_interval[1]
        assert found.half_size_interval[0] < found.half_size < found.half_size_interval[1]
    assert np.ptp(many.bandwidth_interval) > 3 * np.ptp(few.bandwidth_interval)


def test_rates_of_a_sweep_are_counted_bytes_over_median_times():
    found = sweep.Sweep(np.array([10, 20]), 24, np.array([[1.0, 2, 9], [4, 4, 4]]))
    assert found.rates.tolist() == [120, 120]
    assert found.within(15, 30).elements.tolist() == [20]


def test_sweep_runs_the_loop_over_each_size():
    a, b, c = np.zeros(4096), np.full(4096, 2.0), np.full(4096, 5.0)
    job = sweep.alone(sweep.numpy_triad, a, b, c)
    found = sweep.sweep(job, [64, 2048], 24, seconds=1e-4, runs=3)
    assert found.seconds.shape == (2, 3)
    assert a[:2048].tolist() == [17.0] * 2048
    assert not a[2048:].any()
    assert sweep.fresh_triad(a, b, c).tolist() == [17.0] * 4096


def test_a_sweep_states_the_time_of_one_call(monkeypatch):
    monkeypatch.setattr(sweep, "short_runs", lambda run, seconds, runs: (4, np.array([4.0, 8.0])))
    found = sweep.sweep(lambda elements: lambda: None, [3], 24)
    assert found.seconds.tolist() == [[1.0, 2.0]]


def test_a_team_computes_all_parts():
    a, b, c = np.zeros(1000), np.full(1000, 2.0), np.full(1000, 5.0)
    with Team(1) as team:
        sweep.together(team, sweep.numpy_triad, a, b, c)(1000)()
    assert a.tolist() == [17.0] * 1000


def test_ratio_and_shuffling_tell_different_samples_from_equal_ones():
    rng = np.random.default_rng(0)
    one, two = rng.lognormal(0, 0.1, (2, 40))
    ratio, low, high = sweep.ratio_of_medians(one, 1.5 * two)
    assert low < ratio < high
    assert 1 < low < 1.5 < high
    assert sweep.shuffled(one, 1.5 * two) < 0.01
    assert sweep.shuffled(one, two) > 0.05


def test_times_that_do_not_grow_bound_no_bandwidth_from_above():
    found = sweep.fit(sweep.Sweep(np.array([1, 10, 100]), 24, np.array([[3.0], [2.0], [1.0]])))
    assert found.bandwidth == np.inf
    assert found.half_size == np.inf
    assert 1 < found.overhead < 3
    assert found.residuals == pytest.approx(np.array([3, 2, 1]) / found.overhead - 1)


def test_a_draw_without_growth_leaves_the_interval_open_above():
    """Some draws of the runs of 1 and 3 s have a median above that of the next size."""
    seconds = np.array([[1.0, 1.0, 3.0, 3.0, 1.0], [2.0] * 5, [2.1] * 5])
    found = sweep.fit(sweep.Sweep(np.array([1, 10, 100]), 24, seconds))
    assert np.isfinite(found.bandwidth)
    assert found.bandwidth_interval[1] == found.half_size_interval[1] == np.inf
    assert 0 < found.bandwidth_interval[0] <= found.bandwidth


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sweep.fit(made_sweep(1, 1, 0, (1, 2))), "three sizes or more"),
        (lambda: sweep.ratio_of_medians([1.0, 0.0], [1.0, 1.0]), "first must be above 0"),
        (lambda: sweep.Sweep(np.ones(2), 24, np.ones(3)), "a row for each of the 2 sizes"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
