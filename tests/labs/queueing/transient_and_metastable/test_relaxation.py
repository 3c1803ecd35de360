"""The way to the steady state: exact against the matrix exponential, fluid and replicas."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.linalg import expm

from perfmodel.labs.queueing.transient_and_metastable.relaxation import (
    exact_mean,
    fluid_mean,
    relaxation_time,
    replicas,
)


@pytest.mark.parametrize(("load", "start"), [(0.5, 0), (0.8, 12), (1.3, 3)])
def test_exact_is_the_matrix_exponential(load, start):
    size = 60
    rates = np.diag([load] * (size - 1), 1) + np.diag([1.0] * (size - 1), -1)
    rates -= np.diag(rates.sum(axis=1))
    expected = [expm(rates * t)[start] @ np.arange(size) for t in (0.5, 3.0, 8.0)]
    np.testing.assert_allclose(exact_mean(load, start, [0.5, 3.0, 8.0]), expected, rtol=1e-9)


def test_the_distance_falls_at_the_relaxation_time_in_the_end():
    """Far out the slowest mode is alone, but for a power of the time: the rate lies just above."""
    rho, tau = 0.6, float(relaxation_time(0.6))
    times = tau * np.array([12.0, 13.0])
    gaps = rho / (1 - rho) - exact_mean(rho, 0, times)
    rate = np.log(gaps[0] / gaps[1])
    assert rate == pytest.approx(1 + 1.5 * np.log(13 / 12), abs=0.02)


@given(st.floats(0.01, 0.98))
def test_relaxation_rises_with_load(rho):
    assert relaxation_time(rho + 0.01) > relaxation_time(rho) > 1
    assert relaxation_time(rho, 3.0) == pytest.approx(3 * relaxation_time(rho))


@settings(max_examples=15, deadline=None)
@given(load=st.floats(0.1, 1.5), start=st.integers(0, 30))
def test_the_exact_mean_lies_above_the_fluid(load, start):
    times = np.linspace(0, 40, 9)
    exact = exact_mean(load, start, times)
    assert exact[0] == start
    assert (exact >= fluid_mean(load, start, times) - 1e-9).all()


def test_a_long_queue_is_a_fluid():
    times = np.linspace(0, 200, 5)
    np.testing.assert_allclose(exact_mean(0.5, 400, times), fluid_mean(0.5, 400, times), rtol=1e-9)


def test_replicas_cover_the_exact_mean():
    times = np.array([0.0, 5.0, 20.0, 80.0])
    runs = replicas(0.7, 10, times, 600, seed=2)
    error = runs.std(axis=0, ddof=1) / np.sqrt(600)
    assert (runs[:, 0] == 10).all()
    assert (abs(runs.mean(axis=0) - exact_mean(0.7, 10, times)) <= 4 * error).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: relaxation_time(1.0), "utilization must be"),
        (lambda: exact_mean(0.0, 0, [1.0]), "load must be above 0"),
        (lambda: exact_mean(0.5, -1, [1.0]), "start must be"),
        (lambda: exact_mean(0.5, 0, [-1.0]), "times must be 0 or more"),
        (lambda: exact_mean(0.5, 0, [1e9]), "times must be up to 666667 at load 0.5"),
        (lambda: replicas(0.5, 0, [1.0], 0), "runs must be"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
