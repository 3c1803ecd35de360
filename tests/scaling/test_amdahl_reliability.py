"""Eq. 23, the chip under it, and the ageing that follows from its heat."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfmodel.scaling.amdahl_reliability import (
    ageing,
    failure_rate,
    failures,
    smallest_big_cores,
)
from perfmodel.scaling.heterogeneous import Chip, phases, speedup
from perfmodel.scaling.multicore import asymmetric_speedup
from perfmodel.scaling.reliability import ThermalModel

FRACTIONS = st.floats(0.01, 0.99)
RATES = st.floats(0.01, 100)
CHIPS = st.builds(
    lambda small, size, big: Chip(small + size * big, size, big),
    st.floats(1.5, 200),
    st.floats(1, 64),
    st.integers(1, 20),
)


class TestChip:
    def test_small_cores_fill_what_big_ones_leave(self) -> None:
        assert Chip(64, 4, [1, 2, 8]).small_cores.tolist() == [60, 56, 32]

    @pytest.mark.parametrize(
        ("fields", "said"),
        [
            ((64, 4, 16), "big_cores x core_size must leave 1 BCE or more .* got 16 x 4 of 64"),
            ((64, 0.5, 1), "core_size must be 1 or more, got 0.5"),
            ((64, 4, 0), "big_cores must be 1 or more, got 0"),
            ((np.nan, 4, 1), "budget must be finite, got nan"),
        ],
    )
    def test_impossible_chips(self, fields, said: str) -> None:
        with pytest.raises(ValueError, match=said):
            Chip(*fields)


class TestSpeedup:
    def test_two_big_cores_by_hand(self) -> None:
        assert speedup(0.9, Chip(64, 4, 2)) == pytest.approx(1 / (0.1 / 2 + 0.9 / 56))

    def test_serial_work_runs_at_the_big_core(self) -> None:
        assert speedup(0, Chip(64, 9, 2)) == pytest.approx(3)

    def test_parallel_work_runs_on_all_small_cores(self) -> None:
        assert speedup(1, Chip(64, 9, 2)) == pytest.approx(46)

    @given(FRACTIONS, st.floats(1, 60))
    def test_idle_big_core_never_beats_hill_and_marty(self, f: float, size: float) -> None:
        assert speedup(f, Chip(64, size, 1)) < asymmetric_speedup(f, 64, size)

    def test_broadcasts_over_fractions_and_chips(self) -> None:
        assert speedup([[0.5], [0.9]], Chip(64, 4, [1, 2, 4])).shape == (2, 3)

    @pytest.mark.parametrize("fraction", [-0.1, 1.2, np.nan])
    def test_fraction_out_of_range(self, fraction: float) -> None:
        with pytest.raises(ValueError, match="parallel_fraction must be"):
            speedup(fraction, Chip(64, 4, 1))


class TestEquation23:
    def test_terms_by_hand(self) -> None:
        big, small = failures(0.9, Chip(64, 4, 2), big_rate=6, small_rate=1)
        assert big == pytest.approx(0.15)
        assert small == pytest.approx(0.9)

    @given(FRACTIONS, CHIPS, RATES, RATES)
    def test_small_cores_term_does_not_depend_on_the_chip(self, f, chip, big, small) -> None:
        assert failures(f, chip, big, small).small == pytest.approx(f * small)

    @given(FRACTIONS, CHIPS, RATES, RATES, st.floats(0.1, 10))
    def test_dimension_of_a_rate(self, f, chip, big, small, unit) -> None:
        once = failure_rate(f, chip, big, small)
        assert failure_rate(f, chip, unit * big, unit * small) == pytest.approx(unit * once)

    @given(FRACTIONS, CHIPS, RATES, RATES)
    def test_rate_is_the_mean_over_the_two_phases(self, f, chip, big, small) -> None:
        """Independent reading: each phase's rate weighted by its share of the time."""
        serial, parallel = phases(f, chip)
        rates = [big / chip.big_cores, chip.small_cores * small]
        mean = np.average(rates, weights=[float(serial), float(parallel)])
        assert failure_rate(f, chip, big, small) == pytest.approx(mean)

    def test_gain_of_a_big_core_diminishes(self) -> None:
        total = np.add(*failures(0.9, Chip(64, 4, np.arange(1, 15)), 6, 1))
        gains = -np.diff(total)
        assert (gains > 0).all()
        assert (np.diff(gains) < 0).all()
        assert gains[0] == pytest.approx(0.05 * 6 * (1 - 1 / 2))

    @pytest.mark.parametrize("name", ["big_rate", "small_rate"])
    def test_rate_must_be_above_zero(self, name: str) -> None:
        rates = {"big_rate": 6, "small_rate": 1} | {name: 0}
        with pytest.raises(ValueError, match=f"{name} must be above 0, got 0"):
            failures(0.9, Chip(64, 4, 2), **rates)


class TestSmallestBigCores:
    @given(FRACTIONS, RATES, RATES, st.floats(0.05, 1))
    def test_is_enough_and_one_fewer_is_not(self, f, big, small, share) -> None:
        fewest = smallest_big_cores(f, 4, big, small, share)
        chip = Chip(4 * fewest + 1, 4, [max(fewest - 1, 1), fewest])
        terms = failures(f, chip, big, small)
        shares = terms.big / np.add(*terms)
        assert shares[1] <= share * (1 + 1e-6)
        assert fewest == 1 or shares[0] > share

    @pytest.mark.parametrize(("share", "said"), [(0, "above 0"), (1.5, "between 0 and 1")])
    def test_share_out_of_range(self, share: float, said: str) -> None:
        with pytest.raises(ValueError, match=f"share must be {said}, got {share}"):
            smallest_big_cores(0.9, 4, 6, 1, share)

    def test_without_parallel_work_no_number_is_enough(self) -> None:
        with pytest.raises(ValueError, match="parallel_fraction must be above 0"):
            smallest_big_cores(0, 4, 6, 1, 0.1)


class TestAgeing:
    def test_without_heat_only_active_area_counts(self) -> None:
        """All at the reference temperature: failures per work = area x time, whatever b is."""
        cold = ThermalModel(ambient=338.15, core_resistance=0, package_resistance=0)
        terms = ageing(0.9, Chip(64, 4, [1, 2, 4]), cold).failures
        assert terms.big == pytest.approx([0.2, 0.2, 0.2])
        assert terms.small == pytest.approx([0.9, 0.9, 0.9])

    def test_rotation_cools_big_cores(self) -> None:
        hot = ageing(0.5, Chip(64, 4, [1, 2, 3, 4]), ThermalModel()).big_temperature
        assert (np.diff(hot) < 0).all()

    def test_temperatures_by_hand(self) -> None:
        """f = 0.9, n = 13, r = 4, b = 2: busy shares 0.05 : 0.18, that is 5/23 and 18/23."""
        found = ageing(0.9, Chip(13, 4, 2), ThermalModel())
        package = 318.15 + 0.3 * 1.1 * (4 * 5 + 5 * 18) / 23
        assert found.big_temperature == pytest.approx(package + 10 / 2 * 1.1 * 4 * (5 / 2) / 23)
        assert found.small_temperature == pytest.approx(package + 10 * 1.1 * 18 / 23)

    @given(FRACTIONS, CHIPS)
    def test_work_and_time_agree_through_the_speedup(self, f: float, chip: Chip) -> None:
        found = ageing(f, chip, ThermalModel())
        assert found.work_to_failure == pytest.approx(
            found.time_to_failure * speedup(f, chip), rel=1e-9
        )
        assert found.work_to_failure * np.add(*found.failures) == pytest.approx(1)

    @given(FRACTIONS, CHIPS, st.floats(1, 30))
    def test_warmer_air_shortens_life(self, f: float, chip: Chip, warmer: float) -> None:
        cool = ThermalModel()
        warm = replace(cool, ambient=cool.ambient + warmer)
        assert ageing(f, chip, warm).time_to_failure < ageing(f, chip, cool).time_to_failure
