"""The energy roofline: hand values, its balance points, and what time can hide but energy can't."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.roofline.energy import (
    EnergyMachine,
    average_power,
    energy_efficiency,
    energy_per_operation,
    kernel_energy,
    time_per_operation,
    work_for_traffic,
)
from perfmodel.roofline.model import attainable

CHIP = EnergyMachine(1e12, 1e11, energy_per_flop=5e-11, energy_per_byte=1e-9, constant_power=100)
chips = st.builds(
    EnergyMachine,
    st.floats(1e9, 1e15),
    st.floats(1e9, 1e13),
    st.floats(1e-13, 1e-9),
    st.floats(1e-12, 1e-8),
    st.floats(0, 500),
)
intensities = st.floats(1e-4, 1e5)


class TestHandValues:
    def test_at_the_time_balance(self):
        # 10 FLOP/byte: 50 pJ + 1000/10 pJ + 100 W x 1 ps = 250 pJ; 250 W
        assert CHIP.time_balance == 10
        assert energy_per_operation(CHIP, 10) == pytest.approx(250e-12)
        assert average_power(CHIP, 10) == pytest.approx(250)

    def test_deep_in_the_memory_bound(self):
        # 1 FLOP/byte: 50 + 1000 + 100 W x 10 ps = 2050 pJ
        assert energy_per_operation(CHIP, 1) == pytest.approx(2050e-12)
        assert average_power(CHIP, 1) == pytest.approx(205)
        assert kernel_energy(CHIP, 1e9, 1e9) == pytest.approx(2.05)

    def test_balances(self):
        assert CHIP.energy_balance == pytest.approx(20)
        assert CHIP.best_efficiency == pytest.approx(1 / 150e-12)

    def test_power_cap(self):
        # 2.5 FLOP/byte moves 50 + 400 pJ an operation; at 100 W that takes 4.5 ps, traffic 4 ps
        capped = EnergyMachine(1e12, 1e11, 5e-11, 1e-9, 100, power_cap=100)
        assert time_per_operation(capped, 2.5) == pytest.approx(4.5e-12)
        assert average_power(capped, 2.5) == pytest.approx(200)
        assert time_per_operation(capped, 0.1) == pytest.approx(100.5e-12)
        assert time_per_operation(capped, 1e6) == pytest.approx(1e-12)


class TestProperties:
    @given(chips, intensities)
    def test_efficiency_stays_below_its_best(self, chip, at):
        assert energy_efficiency(chip, at) < chip.best_efficiency

    @given(chips, intensities)
    def test_more_intensity_never_costs_more(self, chip, at):
        assert energy_efficiency(chip, at) <= energy_efficiency(chip, 1.5 * at)

    @given(chips)
    def test_power_is_highest_at_the_time_balance(self, chip):
        at = chip.time_balance * np.logspace(-3, 3, 61)
        assert average_power(chip, at).max() <= average_power(chip, chip.time_balance) * (1 + 1e-9)

    @given(chips, intensities)
    def test_time_is_that_of_the_rate_roofline(self, chip, at):
        rate = attainable(at, chip.peak, chip.bandwidth)
        assert time_per_operation(chip, at) == pytest.approx(1 / rate, rel=1e-12)

    @given(chips, intensities, st.floats(1, 400))
    def test_a_cap_holds_and_never_speeds_up(self, chip, at, cap):
        capped = EnergyMachine(
            chip.peak,
            chip.bandwidth,
            chip.energy_per_flop,
            chip.energy_per_byte,
            chip.constant_power,
            cap,
        )
        assert average_power(capped, at) <= (chip.constant_power + cap) * (1 + 1e-9)
        assert time_per_operation(capped, at) >= time_per_operation(chip, at)


class TestTradeOff:
    def test_no_change_changes_nothing(self):
        assert work_for_traffic(CHIP, 3, 1, 1) == (1, 1)

    def test_by_hand(self):
        # 1 FLOP/byte, twice the work for a quarter of the traffic: 8 FLOP/byte
        speedup, greenup = work_for_traffic(CHIP, 1, 2, 4)
        assert speedup == pytest.approx(10 / (2 * 1.25))
        assert greenup == pytest.approx(2050 / (2 * (50 + 125 + 125)))

    def test_faster_need_not_be_greener_and_the_other_way_round(self):
        # beyond the time balance more work is slower, and before the energy balance it is greener
        cheap = EnergyMachine(1e12, 1e11, 5e-12, 1e-9, constant_power=1)
        speedup, greenup = work_for_traffic(cheap, 12, 1.3, 4)
        assert speedup < 1 < greenup


def test_refuses_nonsense():
    with pytest.raises(ValueError, match="power_cap must be above 0, got 0"):
        EnergyMachine(1, 1, 1, 1, 1, 0)
    with pytest.raises(ValueError, match="intensity must be above 0"):
        energy_efficiency(CHIP, 0)
