"""Chips of many cores: printed speedups, best designs, failures and heat."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.scaling.failures import failure_rate, failures_per_work, smallest_big_cores
from perfmodel.scaling.heterogeneous import (
    HeterogeneousChip,
    heterogeneous_speedup,
    phase_durations,
)
from perfmodel.scaling.laws import amdahl_speedup
from perfmodel.scaling.multicore import (
    asymmetric_speedup,
    best_asymmetric,
    best_dynamic,
    best_symmetric,
    core_performance,
    dynamic_speedup,
    symmetric_speedup,
)
from perfmodel.scaling.reliability import (
    BOLTZMANN,
    ThermalModel,
    arrhenius_acceleration,
    simulate_time_to_failure,
)

SPEEDUPS = [symmetric_speedup, asymmetric_speedup, dynamic_speedup]
BESTS = [best_symmetric, best_asymmetric, best_dynamic]
chips = st.tuples(st.floats(0, 1), st.integers(1, 1024), st.floats(0, 1)).map(
    lambda drawn: (drawn[0], drawn[1], 1 + drawn[2] * (drawn[1] - 1))
)


def test_hand_values():
    # f = 0.9, n = 64, r = 16: perf 4
    assert symmetric_speedup(0.9, 64, 16) == pytest.approx(1 / (0.1 / 4 + 0.9 / 16))
    assert asymmetric_speedup(0.9, 64, 16) == pytest.approx(1 / (0.1 / 4 + 0.9 / 52))
    assert dynamic_speedup(0.9, 64, 16) == pytest.approx(1 / (0.1 / 4 + 0.9 / 64))
    assert core_performance(49) == 7


@pytest.mark.parametrize("speedup", SPEEDUPS)
@given(f=st.floats(0, 1), n=st.integers(1, 1024))
def test_base_cores_are_amdahl(speedup, f, n):
    assert speedup(f, n, 1) == pytest.approx(amdahl_speedup(1 - f, n))


@pytest.mark.parametrize("speedup", SPEEDUPS)
def test_serial_code_runs_at_the_core_s_speed(speedup):
    assert speedup(0, 64, [4, 25]) == pytest.approx([2, 5])


@given(chips)
def test_asymmetric_beats_symmetric_and_dynamic_beats_both(chip):
    slack = 1 + 1e-12
    assert symmetric_speedup(*chip) <= asymmetric_speedup(*chip) * slack
    assert asymmetric_speedup(*chip) <= dynamic_speedup(*chip) * slack


@pytest.mark.parametrize("speedup", SPEEDUPS)
@given(chip=chips)
def test_faster_cores_never_hurt(speedup, chip):
    assert speedup(*chip, performance=lambda r: r**0.6) >= speedup(*chip) * (1 - 1e-12)


@pytest.mark.parametrize("speedup", SPEEDUPS)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.5, 16, 17), "core_size must be between 1 and the budget, got 17 of 16"),
    ],
)
def test_a_core_larger_than_the_chip_is_refused(speedup, arguments, message):
    with pytest.raises(ValueError, match=message):
        speedup(*arguments)


# Optima of the three equations by an independent calculation: n, f, whether core sizes are whole,
# then core size and speedup of the best chip.
OPTIMA = [
    (best_symmetric, 256, 0.5, True, 256, 16.00),
    (best_asymmetric, 256, 0.5, True, 197, 23.55),
    (best_dynamic, 256, 0.5, True, 256, 30.12),
    (best_symmetric, 256, 0.9, False, 28.4, 26.67),
    (best_asymmetric, 256, 0.9, True, 118, 65.57),
    (best_dynamic, 256, 0.9, True, 256, 102.40),
    (best_symmetric, 256, 0.975, False, 6.6, 51.24),
    (best_symmetric, 256, 0.975, True, 7, 51.21),
    (best_asymmetric, 256, 0.975, True, 66, 125.02),
    (best_dynamic, 256, 0.975, True, 256, 186.18),
    (best_symmetric, 256, 0.99, False, 2.6, 80.40),
    (best_symmetric, 256, 0.99, True, 3, 80.18),
    (best_asymmetric, 256, 0.99, True, 41, 165.75),
    (best_dynamic, 256, 0.99, True, 256, 222.61),
    (best_symmetric, 256, 0.999, True, 1, 203.98),
    (best_asymmetric, 256, 0.999, True, 11, 231.24),
    (best_dynamic, 256, 0.999, True, 256, 252.22),
    (best_symmetric, 16, 0.9, False, 1.8, 6.67),
    (best_asymmetric, 16, 0.9, False, 5.3, 8.88),
    (best_dynamic, 16, 0.9, True, 16, 12.31),
    (best_symmetric, 64, 0.9, False, 7.1, 13.33),
    (best_asymmetric, 64, 0.9, False, 24.6, 24.72),
    (best_dynamic, 64, 0.9, True, 64, 37.65),
]


@pytest.mark.parametrize(("best", "n", "f", "whole", "size", "speedup"), OPTIMA)
def test_optima_worked_out_independently(best, n, f, whole, size, speedup):
    design = best(f, n, integer=whole)
    assert design.speedup == pytest.approx(speedup, abs=0.005)
    assert design.core_size == (size if whole else pytest.approx(size, abs=0.05))


@pytest.mark.parametrize(("best", "speedup"), list(zip(BESTS, SPEEDUPS, strict=True)))
@given(f=st.floats(0, 1), n=st.integers(1, 300))
def test_no_design_beats_the_best(best, speedup, f, n):
    every = speedup(f, n, np.arange(1, n + 1))
    whole, real = best(f, n), best(f, n, integer=False)
    assert whole.speedup == every.max()
    assert speedup(f, n, whole.core_size) == whole.speedup
    fine = speedup(f, n, np.linspace(1, n, 5000)).max()
    assert real.speedup >= max(whole.speedup, fine) * (1 - 1e-7)
    assert speedup(f, n, real.core_size) == pytest.approx(real.speedup)


def test_symmetric_optimum_in_closed_form():
    # d/dr of (1-f) r^-0.5 + f r^0.5 / n is 0 at r = (1-f) n / f
    assert best_symmetric(0.9, 256, integer=False).core_size == pytest.approx(256 / 9, rel=1e-6)


def test_dynamic_fuses_the_whole_chip():
    assert best_dynamic([0.5, 0.99], [[16], [256]]).core_size.tolist() == [[16, 16], [256, 256]]


def test_linear_performance_makes_one_big_core_best():
    best = best_asymmetric(0.5, 64, performance=lambda r: r)
    assert best == (64, 64)


def test_broadcasts():
    best = best_asymmetric([0.5, 0.9, 0.99], [[16], [256]])
    assert best.speedup.shape == (2, 3)
    assert best.speedup[1, 0] == best_asymmetric(0.5, 256).speedup
    assert best.speedup[0, 2] == best_asymmetric(0.99, 16).speedup


FRACTIONS = st.floats(0.01, 0.99)


class TestChip:
    def test_small_cores_fill_what_big_ones_leave(self) -> None:
        assert HeterogeneousChip(64, 4, [1, 2, 8]).small_cores.tolist() == [60, 56, 32]

    def test_impossible_chips(self) -> None:
        message = "big_cores x core_size must leave 1 BCE or more .* got 16 x 4 of 64"
        with pytest.raises(ValueError, match=message):
            HeterogeneousChip(64, 4, 16)


class TestSpeedup:
    def test_two_big_cores_by_hand(self) -> None:
        assert heterogeneous_speedup(0.9, HeterogeneousChip(64, 4, 2)) == pytest.approx(
            1 / (0.1 / 2 + 0.9 / 56)
        )

    @pytest.mark.parametrize(
        ("f", "big_cores", "speedup", "half_unit"),
        [
            (0.9, 1, 15.38, 5e-3),
            (0.9, 2, 15.14, 5e-3),
            (0.9, 4, 14.55, 5e-3),
            (0.9, 8, 12.80, 5e-3),
            (0.5, 1, 3.871, 5e-4),
            (0.5, 2, 3.862, 5e-4),
            (0.5, 4, 3.840, 5e-4),
            (0.99, 1, 46.51, 5e-3),
            (0.99, 2, 44.09, 5e-3),
            (0.99, 4, 39.02, 5e-3),
        ],
    )
    def test_worked_by_hand(self, f, big_cores, speedup, half_unit) -> None:
        chip = HeterogeneousChip(64, 4, big_cores)
        assert heterogeneous_speedup(f, chip) == pytest.approx(speedup, abs=half_unit)

    def test_duration_by_hand(self) -> None:
        durations = phase_durations(0.9, HeterogeneousChip(64, 4, 2))
        assert sum(durations) == pytest.approx(0.066071, abs=5e-7)

    def test_serial_work_runs_at_the_big_core(self) -> None:
        assert heterogeneous_speedup(0, HeterogeneousChip(64, 9, 2)) == pytest.approx(3)

    def test_parallel_work_runs_on_all_small_cores(self) -> None:
        assert heterogeneous_speedup(1, HeterogeneousChip(64, 9, 2)) == pytest.approx(46)

    @given(FRACTIONS, st.floats(1, 60))
    def test_idle_big_core_never_beats_hill_and_marty(self, f: float, size: float) -> None:
        assert heterogeneous_speedup(f, HeterogeneousChip(64, size, 1)) < asymmetric_speedup(
            f, 64, size
        )

    def test_broadcasts_over_fractions_and_chips(self) -> None:
        assert heterogeneous_speedup([[0.5], [0.9]], HeterogeneousChip(64, 4, [1, 2, 4])).shape == (
            2,
            3,
        )


RATES = st.floats(0.01, 100)
CHIPS = st.builds(
    lambda small, size, big: HeterogeneousChip(small + size * big, size, big),
    st.floats(1.5, 200),
    st.floats(1, 64),
    st.integers(1, 20),
)


class TestEquation23:
    def test_terms_by_hand(self) -> None:
        big, small = failures_per_work(0.9, HeterogeneousChip(64, 4, 2), big_rate=6, small_rate=1)
        assert big == pytest.approx(0.15)
        assert small == pytest.approx(0.9)

    @given(FRACTIONS, CHIPS, RATES, RATES)
    def test_small_cores_term_does_not_depend_on_the_chip(self, f, chip, big, small) -> None:
        assert failures_per_work(f, chip, big, small).small == pytest.approx(f * small)

    @given(FRACTIONS, CHIPS, RATES, RATES, st.floats(0.1, 10))
    def test_dimension_of_a_rate(self, f, chip, big, small, unit) -> None:
        once = failure_rate(f, chip, big, small)
        assert failure_rate(f, chip, unit * big, unit * small) == pytest.approx(unit * once)

    @given(FRACTIONS, CHIPS, RATES, RATES)
    def test_rate_is_the_mean_over_the_two_phases(self, f, chip, big, small) -> None:
        """Independent reading: each phase's rate weighted by its share of the time."""
        serial, parallel = phase_durations(f, chip)
        rates = [big / chip.big_cores, chip.small_cores * small]
        mean = np.average(rates, weights=[float(serial), float(parallel)])
        assert failure_rate(f, chip, big, small) == pytest.approx(mean)

    def test_gain_of_a_big_core_diminishes(self) -> None:
        total = np.add(*failures_per_work(0.9, HeterogeneousChip(64, 4, np.arange(1, 15)), 6, 1))
        gains = -np.diff(total)
        assert (gains > 0).all()
        assert (np.diff(gains) < 0).all()
        assert gains[0] == pytest.approx(0.05 * 6 * (1 - 1 / 2))


class TestWorkedByHand:
    """n = 64, r = 4 (so s = 2), a big core failing 6 times as often as a small one."""

    @pytest.mark.parametrize(
        ("f", "big_cores", "per_work", "half_unit"),
        [
            (0.9, 1, 1.200, 5e-4),
            (0.9, 2, 1.050, 5e-4),
            (0.9, 4, 0.975, 5e-4),
            (0.9, 8, 0.9375, 5e-5),
            (0.5, 1, 2.000, 5e-4),
            (0.5, 2, 1.250, 5e-4),
            (0.5, 4, 0.875, 5e-4),
            (0.99, 1, 1.020, 5e-4),
            (0.99, 2, 1.005, 5e-4),
            (0.99, 4, 0.9975, 5e-5),
        ],
    )
    def test_failures_per_work(self, f, big_cores, per_work, half_unit) -> None:
        terms = failures_per_work(f, HeterogeneousChip(64, 4, big_cores), 6, 1)
        assert np.add(*terms) == pytest.approx(per_work, abs=half_unit)

    @pytest.mark.parametrize(
        ("big_cores", "per_time"), [(1, 18.46), (2, 15.89), (4, 14.18), (8, 12.00)]
    )
    def test_failures_per_time(self, big_cores, per_time) -> None:
        chip = HeterogeneousChip(64, 4, big_cores)
        assert failure_rate(0.9, chip, 6, 1) == pytest.approx(per_time, abs=0.005)

    def test_fewest_big_cores_with_a_tenth_of_the_failures(self) -> None:
        assert smallest_big_cores(0.9, 4, 6, 1, failure_fraction=0.1) == 3


class TestSmallestBigCores:
    @given(FRACTIONS, RATES, RATES, st.floats(0.05, 1))
    def test_is_enough_and_one_fewer_is_not(self, f, big, small, share) -> None:
        fewest = smallest_big_cores(f, 4, big, small, share)
        chip = HeterogeneousChip(4 * fewest + 1, 4, [max(fewest - 1, 1), fewest])
        terms = failures_per_work(f, chip, big, small)
        fractions = terms.big / np.add(*terms)
        assert fractions[1] <= share * (1 + 1e-6)
        assert fewest == 1 or fractions[0] > share


KELVIN = st.floats(250, 450)
ENERGY = st.floats(0.1, 1.5)


class TestArrhenius:
    def test_boltzmann_in_electron_volts(self) -> None:
        assert pytest.approx(8.617333262e-5, rel=1e-9) == BOLTZMANN

    @pytest.mark.parametrize(("energy", "acceleration"), [(0.9, 5.61), (0.7, 3.82)])
    def test_from_65_to_85_degrees(self, energy: float, acceleration: float) -> None:
        faster = arrhenius_acceleration(338.15, 358.15, energy)
        assert faster == pytest.approx(acceleration, abs=0.005)

    @given(KELVIN, KELVIN, KELVIN, ENERGY)
    def test_accelerations_multiply(self, a, b, c, energy) -> None:
        steps = arrhenius_acceleration(a, b, energy) * arrhenius_acceleration(b, c, energy)
        assert steps == pytest.approx(arrhenius_acceleration(a, c, energy), rel=1e-9)

    @given(KELVIN, st.floats(0.1, 50), ENERGY)
    def test_hotter_is_faster(self, cool: float, more: float, energy: float) -> None:
        assert arrhenius_acceleration(cool, cool + more, energy) > 1

    def test_no_energy_no_effect(self) -> None:
        assert arrhenius_acceleration(300, 400, 0) == 1


class TestThermalModel:
    def test_idle_core_has_the_package_temperature(self) -> None:
        assert ThermalModel().temperature(4, 0, 20) == pytest.approx(318.15 + 0.3 * 20)

    def test_bigger_core_spreads_heat_by_its_exponent(self) -> None:
        """With exponent 1 resistance falls as area grows, so power density alone counts."""
        model = ThermalModel(spreading=1, package_resistance=0)
        assert model.temperature([1, 4, 16], 1, 0) == pytest.approx(318.15 + 11)

    def test_wear_is_area_times_arrhenius(self) -> None:
        rate = ThermalModel(activation_energy=0.7).wear_out_rate(4, 358.15)
        assert rate == pytest.approx(4 * arrhenius_acceleration(338.15, 358.15, 0.7))

    def test_temperature_by_hand(self) -> None:
        """16 BCE on half of the time: 8.8 W through 10/4 K/W, and 0.3 K/W of the chip's 20 W."""
        assert ThermalModel().temperature(16, 0.5, 20) == pytest.approx(318.15 + 6 + 2.5 * 8.8)

    def test_constants_broadcast(self) -> None:
        both = ThermalModel(ambient=[300, 310], spreading=0.25).temperature(16, 0.5, 20)
        each = [
            ThermalModel(ambient=a, spreading=0.25).temperature(16, 0.5, 20) for a in (300, 310)
        ]
        assert both.tolist() == each


class TestSeriesSystem:
    @pytest.mark.parametrize("seed", range(3))
    def test_simulation_agrees_within_two_per_cent(self, seed: int) -> None:
        rates = [6.0, *np.ones(60)]
        simulated = simulate_time_to_failure(rates, runs=40_000, seed=seed)
        assert simulated.mean == pytest.approx(1 / sum(rates), rel=0.02)
        assert abs(simulated.mean - 1 / sum(rates)) < 4 * simulated.standard_error

    def test_standard_error_of_an_exponential(self) -> None:
        """Its standard deviation equals its mean."""
        simulated = simulate_time_to_failure([2.0], runs=10_000, seed=1)
        assert simulated.standard_error == pytest.approx(0.5 / 100, rel=0.05)

    def test_same_seed_same_result(self) -> None:
        assert simulate_time_to_failure([1.0, 2.0]) == simulate_time_to_failure([1.0, 2.0])
