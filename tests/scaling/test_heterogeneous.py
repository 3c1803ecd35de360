"""A chip of big and small cores, and its speedup."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from perfmodel.scaling.heterogeneous import (
    HeterogeneousChip,
    heterogeneous_speedup,
    phase_durations,
)
from perfmodel.scaling.multicore import asymmetric_speedup

FRACTIONS = st.floats(0.01, 0.99)


class TestChip:
    def test_small_cores_fill_what_big_ones_leave(self) -> None:
        assert HeterogeneousChip(64, 4, [1, 2, 8]).small_cores.tolist() == [60, 56, 32]

    @pytest.mark.parametrize(
        ("fields", "message"),
        [
            ((64, 4, 16), "big_cores x core_size must leave 1 BCE or more .* got 16 x 4 of 64"),
            ((64, 4, 0), "big_cores must be 1 or more, got 0"),
        ],
    )
    def test_impossible_chips(self, fields, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            HeterogeneousChip(*fields)


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
