"""Eq. 23 by hand, its dimensions, and the number of big cores that it asks for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.scaling.failures import failure_rate, failures_per_work, smallest_big_cores
from perfmodel.scaling.heterogeneous import HeterogeneousChip, phase_durations

FRACTIONS = st.floats(0.01, 0.99)
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
        assert smallest_big_cores(0.9, 4, 6, 1, share=0.1) == 3


class TestSmallestBigCores:
    @given(FRACTIONS, RATES, RATES, st.floats(0.05, 1))
    def test_is_enough_and_one_fewer_is_not(self, f, big, small, share) -> None:
        fewest = smallest_big_cores(f, 4, big, small, share)
        chip = HeterogeneousChip(4 * fewest + 1, 4, [max(fewest - 1, 1), fewest])
        terms = failures_per_work(f, chip, big, small)
        fractions = terms.big / np.add(*terms)
        assert fractions[1] <= share * (1 + 1e-6)
        assert fewest == 1 or fractions[0] > share
