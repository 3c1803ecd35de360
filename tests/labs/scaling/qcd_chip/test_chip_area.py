"""The best split of a chip, against a search over all splits."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.scaling.qcd_chip.chip_area import Technology, optimum, performance
from perfmodel.scaling.stencil import WILSON, Stencil, flop_limit

TECHNOLOGIES = st.builds(
    Technology, st.floats(1e4, 1e9), st.floats(1, 1e5), st.floats(0.1, 10), st.floats(0.01, 100)
)
STENCILS = st.one_of(
    st.just(WILSON), st.builds(Stencil, st.integers(1, 4), *[st.floats(1, 500)] * 3)
)


class TestOptimum:
    @given(TECHNOLOGIES, STENCILS)
    def test_both_constraints_bind(self, technology: Technology, stencil: Stencil) -> None:
        best = optimum(technology, stencil)
        area = technology.area_per_flop * best.flop_rate + technology.area_per_word * best.memory
        assert area == pytest.approx(technology.area, rel=1e-6)
        allowed = flop_limit(best.side, technology.bandwidth, stencil)
        assert best.flop_rate == pytest.approx(float(allowed))

    @pytest.mark.parametrize(
        ("area", "side", "flop_rate", "memory_share"),
        [(1e6, 8.244, 113.3, 0.887), (4e6, 11.889, 163.5, 0.959), (16e6, 16.928, 232.8, 0.985)],
    )
    def test_independent_bisection(self, area, side, flop_rate, memory_share) -> None:
        best = optimum(Technology(area=area))
        assert best.side == pytest.approx(side, abs=5e-4)
        assert best.flop_rate == pytest.approx(flop_rate, abs=0.05)
        assert best.memory_share == pytest.approx(memory_share, abs=5e-4)

    def test_arithmetic_grows_with_the_fourth_root_of_the_area(self) -> None:
        small, large = (optimum(Technology(area=area)).flop_rate for area in (4e6, 16e6))
        assert np.log(large / small) / np.log(4) == pytest.approx(0.255, abs=5e-4)

    def test_area_for_twice_the_arithmetic_by_hand(self) -> None:
        """From side 8 to side 16 at one word/cycle: 110 flop/cycle more, 15 times the memory."""
        chip = Technology()
        units = float(flop_limit(16, 1) - flop_limit(8, 1)) * chip.area_per_flop
        memory = float(WILSON.memory(16) - WILSON.memory(8)) * chip.area_per_word
        assert units + memory == pytest.approx(11.9e6, abs=0.05e6)
        assert memory / (units + memory) == pytest.approx(0.991, abs=5e-4)

    @given(TECHNOLOGIES, STENCILS)
    def test_no_split_is_better(self, technology: Technology, stencil: Stencil) -> None:
        best = optimum(technology, stencil)
        others = performance(np.linspace(0, 1, 1001), technology, stencil)
        assert others.max() <= best.flop_rate * (1 + 1e-6)
        at_best = performance(best.memory_share, technology, stencil)
        assert at_best == pytest.approx(best.flop_rate, rel=1e-6)

    @given(TECHNOLOGIES, STENCILS, st.sampled_from(["area", "bandwidth"]))
    def test_more_to_spend_is_more_arithmetic(self, technology, stencil, name) -> None:
        richer = {**vars(technology), name: 2 * getattr(technology, name)}
        less, more = (optimum(t, stencil).flop_rate for t in (technology, Technology(**richer)))
        if name == "area":
            assert more > less
        else:  # with bandwidth enough, nearly all is arithmetic already
            assert more >= less * (1 - 1e-6)

    @pytest.mark.parametrize("dimension", [2, 3, 4])
    def test_memory_rich_limit_is_a_root_of_the_area(self, dimension: int) -> None:
        stencil = Stencil(dimension, 1320, 12, 192)
        small, big = (optimum(Technology(area=a), stencil).flop_rate for a in (1e15, 1e16))
        assert np.log10(big / small) == pytest.approx(1 / dimension, abs=1e-3)

    def test_bandwidth_rich_limit_is_all_units(self) -> None:
        best = optimum(Technology(area=1e6, bandwidth=1e6))
        assert best.flop_rate == pytest.approx(1e6 / 1000, rel=1e-3)


class TestPerformance:
    def test_empty_at_both_ends(self) -> None:
        assert performance([0, 1], Technology()).tolist() == [0, 0]

    def test_rises_then_falls(self) -> None:
        values = performance(np.linspace(0, 1, 201), Technology())
        peak = int(values.argmax())
        assert 0 < peak < 200
        assert (np.diff(values[: peak + 1]) > 0).all()
        assert (np.diff(values[peak:]) < 0).all()

    @pytest.mark.parametrize("share", [-0.01, 1.01, np.nan])
    def test_share_out_of_range(self, share: float) -> None:
        with pytest.raises(ValueError, match="memory_share must be"):
            performance(share, Technology())


@pytest.mark.parametrize("place", range(4))
def test_technology_needs_everything(place: int) -> None:
    values = list(astuple(Technology()))
    values[place] = 0.0
    name = list(vars(Technology()))[place]
    with pytest.raises(ValueError, match=rf"{name} must be above 0, got 0\.0"):
        Technology(*values)
