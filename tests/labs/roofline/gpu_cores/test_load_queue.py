"""Issue cycles of loads: the closed form, limits, and what a larger unit would change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.roofline.gpu_cores.load_queue import MemoryUnit, issue_cycles, steady_period

UNITS = st.builds(
    MemoryUnit, st.integers(1, 8), st.integers(1, 6), st.integers(1, 4), st.just(2), st.just(10)
)


class TestIssueCycles:
    @pytest.mark.parametrize("active", [1, 2, 3, 4])
    def test_closed_form(self, active: int) -> None:
        cycles = issue_cycles(active, 20)
        later = np.arange(15) * max(4, 2 * active)
        for core in range(active):
            assert cycles[core].tolist() == [2, 3, 4, 5, 6, *(13 + 2 * core + later).tolist()]

    def test_tenth_load_of_four_sub_cores(self) -> None:
        """The sixth issues at 13, 15, 17 and 19; four more follow, 8 cycles apart."""
        assert issue_cycles(4, 10)[:, -1].tolist() == [45, 47, 49, 51]
        assert steady_period(4) == 8

    @settings(max_examples=40, deadline=None)
    @given(st.integers(1, 5), UNITS)
    def test_a_longer_queue_never_delays(self, active, unit) -> None:
        longer = MemoryUnit(
            unit.places + 1, unit.address_cycles, unit.shared_cycles, unit.first_cycle, unit.depth
        )
        assert (issue_cycles(active, 12, longer) <= issue_cycles(active, 12, unit)).all()

    @settings(max_examples=40, deadline=None)
    @given(st.integers(1, 5), UNITS)
    def test_rate_is_that_of_the_slowest_stage_or_of_the_queue(self, active, unit) -> None:
        cycles = issue_cycles(active, 60, unit)
        period = (cycles[0, -1] - cycles[0, 39]) / 20
        turnaround = (unit.depth + 1) / unit.places
        assert period == pytest.approx(max(steady_period(active, unit), turnaround), rel=0.1)

    def test_one_load(self) -> None:
        assert issue_cycles(3, 1).tolist() == [[2], [2], [2]]


class TestBadInput:
    def test_counts(self) -> None:
        with pytest.raises(ValueError, match="active must be a whole number, 1 or more, got 0"):
            issue_cycles(0, 3)
        with pytest.raises(ValueError, match="loads must be a whole number, 1 or more, got 0"):
            issue_cycles(1, 0)
        with pytest.raises(ValueError, match="places must be a whole number, 1 or more, got 0"):
            MemoryUnit(places=0)
