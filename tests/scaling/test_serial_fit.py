"""The serial-fraction fit: planted values, a general solver, and the coverage it promises."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from scipy.optimize import curve_fit

from perfmodel.scaling.laws import amdahl_speedup, karp_flatt
from perfmodel.scaling.serial_fit import fit_serial_fraction

P = np.array([2, 3, 4, 6, 8, 12, 16])


def noisy_speedups(rng: np.random.Generator, s: float, noise: float) -> np.ndarray:
    return 1 / (1 / amdahl_speedup(s, P) + noise * rng.standard_normal(P.size))


@given(st.floats(0, 1))
def test_recovers_exact_data(s):
    fit = fit_serial_fraction(P, amdahl_speedup(s, P))
    assert fit.serial_fraction == pytest.approx(s, abs=1e-9)
    assert fit.standard_error < 1e-9
    assert fit.karp_flatt == pytest.approx(np.full(P.size, s), abs=1e-9)


def test_hand_value_of_two_runs():
    # 1/S - 1/p = 0.05 (p = 2), 0.15 (p = 4); slopes 0.5, 0.75: s = 0.1375 / 0.8125,
    # residuals -0.0346154, 0.0230769; one degree of freedom, t = 12.7062
    fit = fit_serial_fraction([2, 4], [1 / 0.55, 1 / 0.4])
    assert fit.unclipped == pytest.approx(0.1375 / 0.8125)
    assert fit.residuals == pytest.approx([-0.0346154, 0.0230769], abs=1e-7)
    assert fit.standard_error == pytest.approx(0.0416025 / np.sqrt(0.8125), rel=1e-5)
    assert fit.interval == (0, pytest.approx(0.1692308 + 12.7062 * 0.0461538, rel=1e-5))


def test_agrees_with_a_general_solver():
    measured = noisy_speedups(np.random.default_rng(5), 0.2, 0.02)
    fit = fit_serial_fraction(P, measured, confidence=0.9)
    (s,), ((variance,),) = curve_fit(lambda p, s: s + (1 - s) / p, P, 1 / measured, p0=[0.1])
    assert fit.unclipped == pytest.approx(s)
    assert fit.standard_error == pytest.approx(np.sqrt(variance))
    half = stats.t.ppf(0.95, P.size - 1) * fit.standard_error
    assert fit.interval == pytest.approx((s - half, s + half))


def test_interval_covers_what_it_promises():
    rng = np.random.default_rng(1)
    fits = [fit_serial_fraction(P, noisy_speedups(rng, 0.15, 0.01)) for _ in range(400)]
    covered = np.mean([fit.interval[0] <= 0.15 <= fit.interval[1] for fit in fits])
    assert 0.92 <= covered <= 0.98


def test_one_processor_runs_change_nothing():
    with_one = fit_serial_fraction([1, 1, 2, 4], [1.0, 1.1, 1.8, 3.0])
    without = fit_serial_fraction([2, 4], [1.8, 3.0])
    assert with_one.interval == without.interval
    assert with_one.residuals.tolist() == without.residuals.tolist()


def test_superlinear_data_are_reported():
    fit = fit_serial_fraction([2, 4, 8], [2.2, 4.5, 7.5])
    assert fit.superlinear == (2, 4)
    assert fit.karp_flatt == pytest.approx(karp_flatt([2.2, 4.5, 7.5], [2, 4, 8]))
    assert fit.unclipped < 0 == fit.serial_fraction
    assert fit.clipped
    assert fit.interval[0] == 0


def test_slowdown_is_clipped_at_one():
    fit = fit_serial_fraction([2, 4, 8], [0.9, 0.8, 0.7])
    assert fit.serial_fraction == 1 < fit.unclipped
    assert fit.interval[1] == 1


def test_ordinary_data_are_not_clipped():
    fit = fit_serial_fraction(P, amdahl_speedup(0.3, P))
    assert not fit.clipped
    assert fit.superlinear == ()


@pytest.mark.parametrize(
    ("processors", "speedups", "message"),
    [
        ([2, 4], [1.5], "speedups must have one value for each of the 2 processors, got 1"),
        ([1, 2], [1.0, 1.5], "processors must hold 2 or more runs on 2 or more processors"),
        ([1.5, 2], [1.0, 1.5], "processors must hold 2 or more runs on 2 or more processors"),
    ],
)
def test_runs_that_determine_no_fraction_are_refused(processors, speedups, message):
    with pytest.raises(ValueError, match=message):
        fit_serial_fraction(processors, speedups)
