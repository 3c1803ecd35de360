"""The Execution-Cache-Memory model: hand values, saturation, and its order against the roofline."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.roofline.cache_levels import attainable_hierarchical
from perfmodel.roofline.ecm import Ecm

cycles = st.floats(0.5, 100)
loops = st.builds(Ecm, cycles, cycles, st.tuples(cycles, cycles, cycles))


class TestOneCore:
    def test_arithmetic_hides_behind_transfers_and_not_the_other_way_round(self):
        assert Ecm(20, 8, (4, 4, 10)).predictions() == (20, 20, 20, 26)
        assert Ecm(4, 8, (4, 4, 10)).predictions() == (8, 12, 16, 26)

    @given(loops)
    def test_farther_data_take_longer(self, loop):
        cycles = loop.predictions()
        assert list(cycles) == sorted(cycles)
        assert cycles[0] >= loop.overlapping

    @given(loops)
    def test_never_faster_than_with_all_transfers_overlapping(self, loop):
        # the roofline's assumption, on the same data: one FLOP a unit, a cycle a second
        parts = (loop.non_overlapping, *loop.transfers)
        best = attainable_hierarchical(1, parts, 1 / loop.overlapping, np.ones(4))
        assert 1 / loop.cycles() <= best * (1 + 1e-12)

    def test_notation(self):
        assert str(Ecm(6, 8, (10, 10, 12.7))) == "{6 || 8 | 10 | 10 | 12.7} cycles"


class TestCores:
    def test_saturation_by_hand(self):
        loop = Ecm(4, 8, (10, 10, 18))
        # 46 cycles, of which the memory is busy 18: three cores saturate it
        assert loop.saturation_cores == 3
        rates = loop.rate([1, 2, 3, 10], work=8, clock=2.3e9)
        assert rates == pytest.approx(8 * 2.3e9 * np.array([1 / 46, 2 / 46, 1 / 18, 1 / 18]))

    def test_whole_ratio_needs_no_further_core(self):
        assert Ecm(1, 0, (1, 1, 1)).saturation_cores == 3

    @given(loops)
    def test_saturated_exactly_from_there_on(self, loop):
        n = loop.saturation_cores
        full = 1 / loop.transfers[-1]
        assert loop.rate(n, 1, 1) == pytest.approx(full, rel=1e-9)
        assert n == 1 or loop.rate(n - 1, 1, 1) < full * (1 + 1e-9)

    def test_without_memory_traffic_it_scales(self):
        loop = Ecm(4, 2, (1, 0))
        assert loop.rate(64, 1, 1) == 16
        with pytest.raises(ValueError, match="transfers must include the memory's"):
            _ = loop.saturation_cores


def test_refuses_nonsense():
    with pytest.raises(ValueError, match="cycles must be above 0"):
        Ecm(0, 0, (0,))
    with pytest.raises(ValueError, match="levels must be at most 2, got 3"):
        Ecm(1, 1, (1, 1)).cycles(3)
