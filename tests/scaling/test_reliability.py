"""Heat, wear-out and the life of a series system, checked by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.scaling.reliability import (
    BOLTZMANN,
    ThermalModel,
    arrhenius_acceleration,
    mean_time_to_failure,
    simulate_time_to_failure,
)

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
    @given(st.lists(st.floats(0.01, 100), min_size=1, max_size=20))
    def test_no_better_than_its_worst_part(self, rates: list[float]) -> None:
        assert mean_time_to_failure(rates) <= 1 / max(rates) * (1 + 1e-12)

    @pytest.mark.parametrize("seed", range(3))
    def test_simulation_agrees_within_two_per_cent(self, seed: int) -> None:
        rates = [6.0, *np.ones(60)]
        simulated = simulate_time_to_failure(rates, runs=40_000, seed=seed)
        assert simulated.mean == pytest.approx(mean_time_to_failure(rates), rel=0.02)
        assert abs(simulated.mean - mean_time_to_failure(rates)) < 4 * simulated.standard_error

    def test_standard_error_of_an_exponential(self) -> None:
        """Its standard deviation equals its mean."""
        simulated = simulate_time_to_failure([2.0], runs=10_000, seed=1)
        assert simulated.standard_error == pytest.approx(0.5 / 100, rel=0.05)

    def test_same_seed_same_result(self) -> None:
        assert simulate_time_to_failure([1.0, 2.0]) == simulate_time_to_failure([1.0, 2.0])
