"""Laws of speedup, efficiency and the serial fraction: printed values, limits and properties."""

import heapq

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from scipy.optimize import curve_fit

from perfmodel.scaling.amdahl_fit import fit_serial_fraction
from perfmodel.scaling.efficiency import (
    isoefficiency,
    strong_scaling_efficiency,
    weak_scaling_efficiency,
)
from perfmodel.scaling.laws import (
    amdahl_limit,
    amdahl_speedup,
    gustafson_speedup,
    karp_flatt,
    sun_ni_speedup,
)

fractions = st.floats(0, 1)
counts = st.integers(1, 10**6)


def simulated_speedup(serial: int, tasks: int, processors: int) -> float:
    """Time of a serial task and then unit tasks, each taken by the processor free first."""
    free = [float(serial)] * processors
    for _ in range(tasks):
        heapq.heappush(free, heapq.heappop(free) + 1)
    return (serial + tasks) / max(free)


class TestAmdahl:
    def test_hand_values(self):
        # 95 % parallel on 20 and 4096 processors: 1/(0.05 + 0.0475), 1/(0.05 + 0.95/4096)
        assert amdahl_speedup(0.05, 20) == pytest.approx(10.25641, rel=1e-6)
        assert amdahl_speedup(0.05, 4096) == pytest.approx(19.90766, rel=1e-6)

    @pytest.mark.parametrize("processors", [1, 2, 3, 5, 8])
    def test_simulated_job(self, processors):
        ours = amdahl_speedup(40 / 400, processors)
        assert simulated_speedup(40, 360, processors) == pytest.approx(ours, rel=1e-12)

    def test_simulated_job_with_indivisible_rest_is_slower(self):
        assert simulated_speedup(40, 361, 8) < amdahl_speedup(40 / 401, 8)

    @given(fractions, counts)
    def test_bounds(self, s, p):
        speedup = amdahl_speedup(s, p)
        assert 1 - 1e-9 <= speedup <= min(p, amdahl_limit(s)) * (1 + 1e-9)

    @given(fractions, st.integers(1, 1000))
    def test_more_processors_never_hurt(self, s, p):
        assert amdahl_speedup(s, p + 1) >= amdahl_speedup(s, p)

    def test_limit(self):
        assert amdahl_limit(0.05) == pytest.approx(20)
        assert amdahl_limit(0) == np.inf
        assert amdahl_speedup(0.05, 1e12) == pytest.approx(amdahl_limit(0.05), rel=1e-9)

    def test_broadcasts(self):
        assert amdahl_speedup([[0.1], [0.5]], [1, 2, 4]).shape == (2, 3)


class TestGustafson:
    def test_value_of_the_paper(self):
        # Gustafson 1988: 1024 processors, serial fraction 0.4 % of the parallel run
        assert gustafson_speedup(0.004, 1024) == pytest.approx(1019.908)

    @given(st.floats(0, 1), st.integers(1, 10_000))
    def test_same_run_seen_by_amdahl(self, s_parallel, p):
        serial, parallel_on_one = s_parallel, (1 - s_parallel) * p
        s_one = serial / (serial + parallel_on_one)
        assert gustafson_speedup(s_parallel, p) == pytest.approx(amdahl_speedup(s_one, p))


class TestSunNi:
    def test_hand_value(self):
        # s = 0.2, p = 16, G = 64: (0.2 + 51.2) / (0.2 + 3.2)
        assert sun_ni_speedup(0.2, 16, lambda p: p**1.5) == pytest.approx(51.4 / 3.4)

    @given(fractions, counts)
    def test_limits_are_amdahl_and_gustafson(self, s, p):
        assert sun_ni_speedup(s, p, 1) == pytest.approx(amdahl_speedup(s, p))
        assert sun_ni_speedup(s, p, p) == pytest.approx(gustafson_speedup(s, p))

    @given(fractions, st.integers(2, 1000), st.floats(0.1, 1e6))
    def test_grows_with_memory_and_stays_below_p(self, s, p, growth):
        speedup = sun_ni_speedup(s, p, growth)
        assert speedup <= sun_ni_speedup(s, p, growth * 2) * (1 + 1e-12) <= p * (1 + 1e-9)

    def test_array_of_growth(self):
        both = sun_ni_speedup(0.2, [4, 16], [1, 16])
        assert both == pytest.approx([amdahl_speedup(0.2, 4), gustafson_speedup(0.2, 16)])


class TestKarpFlatt:
    def test_hand_value(self):
        # S = 4.71 on 8: (0.21231 - 0.125) / 0.875
        assert karp_flatt(4.71, 8) == pytest.approx(0.0997877, rel=1e-5)

    @given(fractions, st.integers(2, 10_000))
    def test_inverts_amdahl(self, s, p):
        assert karp_flatt(amdahl_speedup(s, p), p) == pytest.approx(s, abs=1e-9)

    def test_superlinear_is_negative(self):
        assert karp_flatt(4.5, 4) < 0


class TestScalingEfficiency:
    def test_strong_by_hand(self):
        assert strong_scaling_efficiency([10, 6], [1, 2]) == pytest.approx([1, 10 / 12])

    def test_strong_of_amdahl_is_speedup_a_processor(self):
        p = np.array([1, 2, 4, 8])
        times = 30 / amdahl_speedup(0.1, p)
        assert strong_scaling_efficiency(times, p) == pytest.approx(amdahl_speedup(0.1, p) / p)

    def test_baseline_is_stated_and_need_not_be_one_processor(self):
        ours = strong_scaling_efficiency([6, 4, 2], [2, 4, 8], baseline=1)
        assert ours == pytest.approx([16 / 12, 1, 1])

    def test_rows_have_their_own_baseline(self):
        assert weak_scaling_efficiency([[4, 8], [3, 4]]) == pytest.approx(
            np.array([[1, 0.5], [1, 0.75]])
        )

    def test_weak_of_gustafson(self):
        # Fixed time when work grows as p: efficiency 1 whatever the serial fraction.
        assert weak_scaling_efficiency([7.0, 7.0, 7.0]) == pytest.approx([1, 1, 1])
        assert weak_scaling_efficiency([4, 5, 8], baseline=-1) == pytest.approx([2, 1.6, 1])

    @pytest.mark.parametrize("times", [[1.0, 2.0], []])
    def test_refuses_a_baseline_that_is_not_there(self, times):
        with pytest.raises(ValueError, match=r"baseline must name one of the \d runs in times"):
            weak_scaling_efficiency(times, baseline=2)


def adding(work: float, p: float) -> float:
    """T_o of adding numbers on a hypercube (Grama, Gupta & Kumar 1993)."""
    return 2 * p * np.log2(p)


def test_adding_numbers_by_hand():
    # E = 0.8 needs W = 4 T_o: 64 on 4 processors, 512 on 16
    assert isoefficiency(0.8, 4, adding) == pytest.approx(64)
    assert isoefficiency([[0.8], [0.5]], [4, 16], adding) == pytest.approx(
        np.array([[64, 512], [16, 128]])
    )


def test_overhead_that_grows_with_work():
    # T_o = p W^0.5: sqrt(W) = K p, so W = K^2 p^2
    assert isoefficiency(0.75, 10, lambda w, p: p * np.sqrt(w)) == pytest.approx(900)


@given(st.floats(0.05, 0.95), st.integers(2, 500), st.floats(0, 0.9))
def test_efficiency_at_the_solution(target, p, power):
    def overhead(work, p):
        return p * work**power

    work = isoefficiency(target, p, overhead, work_range=(1e-6, 1e60))
    assert work / (work + overhead(work, p)) == pytest.approx(target, rel=1e-6)


def test_first_crossing_is_the_one_returned():
    # E = 0.5 holds where W = T_o: W^2/100 - W + 9 = 0 at W = 10 and again at W = 90
    assert isoefficiency(0.5, 2, lambda w, p: w**2 / 100 + 9) == pytest.approx(10)


def test_smallest_problem_may_do():
    assert isoefficiency(0.9, 1, adding, work_range=(3.0, 10.0)) == 3.0


def test_unattainable_says_how_far_it_gets():
    message = r"efficiency 0\.8 is not attained on 4 processors by any work up to 1e\+15, .*0\.5"
    with pytest.raises(ValueError, match=message):
        isoefficiency(0.8, 4, lambda w, p: w)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"work_range": (5.0, 2.0)}, "work_range must rise from smallest to largest"),
    ],
)
def test_a_range_that_falls_is_refused(changed, message):
    arguments = {"efficiency": 0.8, "processors": 4, "overhead": adding} | changed
    with pytest.raises(ValueError, match=message):
        isoefficiency(**arguments)


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
