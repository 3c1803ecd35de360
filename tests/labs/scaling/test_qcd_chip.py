"""The best split of a chip against a search over all splits, tiled sweeps, and the roadmap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.scaling.qcd_chip.balance import EXTENT, chip_balance, tile_halo
from perfmodel.labs.scaling.qcd_chip.chip_area import (
    Technology,
    density_gain,
    optimum,
    performance,
    roadmap,
)
from perfmodel.labs.scaling.qcd_chip.halo import sweep, tiled_sweep
from perfmodel.scaling.stencil import WILSON, Stencil, flop_limit


@pytest.mark.parametrize("side", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("dimension", [2, 3, 4])
def test_every_tile_can_be_read_and_fetches_what_a_sweep_counts(side, dimension):
    scene = tile_halo(side, dimension)
    assert scene.faults() == []
    counted = tiled_sweep(np.ones((EXTENT,) * dimension), side).halo_words
    tiles = (EXTENT // side) ** dimension
    assert scene.values["words fetched"] == counted / tiles


@pytest.mark.parametrize("memory_share", [0.3, 0.5, 0.7, 0.8, 0.9, 0.95])
@pytest.mark.parametrize("bandwidth", [1, 2, 4])
def test_every_chip_can_be_read(memory_share, bandwidth):
    scene = chip_balance(memory_share, bandwidth)
    assert scene.faults() == []
    assert len(scene.says) <= 160


def test_links_and_units_take_as_long_at_the_best_split():
    best = optimum(Technology())
    values = chip_balance(best.memory_share, 1).values
    assert values["cycles of the links"] == pytest.approx(values["cycles of the units"])
    assert values["flop/cycle"] == pytest.approx(best.flop_rate)


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


SHAPES = [((12,), 3), ((6, 9), 3), ((4, 4, 8), 4), ((4, 4, 4, 4), 2), ((3, 6, 3, 3), 3)]


def field(shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape)


@pytest.mark.parametrize(("shape", "side"), SHAPES)
def test_tiles_do_not_change_the_answer(shape: tuple[int, ...], side: int) -> None:
    assert np.allclose(tiled_sweep(field(shape), side).field, sweep(field(shape)), rtol=1e-14)


@pytest.mark.parametrize(("shape", "side"), SHAPES)
def test_words_follow_the_surface_law(shape: tuple[int, ...], side: int) -> None:
    stencil = Stencil(len(shape), flops_per_site=2 * len(shape), face_words=1, words_per_site=2)
    flops = stencil.flops_per_site * np.prod(shape)
    assert flops / tiled_sweep(field(shape), side).halo_words == flop_limit(side, 1, stencil)


def test_sweep_of_a_single_peak() -> None:
    peak = np.zeros((5, 5))
    peak[2, 2] = 4.0
    swept = sweep(peak)
    assert swept[[1, 3, 2, 2], [2, 2, 1, 3]].tolist() == [1, 1, 1, 1]
    assert np.count_nonzero(swept) == 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tiled_sweep(np.ones((4, 6)), 4), r"side must divide the extents \(4, 6\), got 4"),
        (lambda: sweep(1.0), "field must be an array of one or more sites"),
        (lambda: sweep([]), "field must be an array of one or more sites"),
    ],
)
def test_lattices_without_sites_and_tiles_that_do_not_fit_are_refused(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


class TestRoadmap:
    SIZES = (90e-9, 65e-9, 45e-9, 32e-9, 20e-9)

    def test_density_by_hand(self) -> None:
        assert density_gain(90, [90, 45, 30]).tolist() == [1, 4, 9]
        assert density_gain(90e-9, 20e-9) == pytest.approx(20.25)

    def test_gain_along_the_edge_by_hand(self) -> None:
        first, last = roadmap([90e-9, 20e-9], "edge", Technology(area=1e12))
        assert last.flop_rate / first.flop_rate == pytest.approx(9.55, abs=0.005)

    def test_first_step_is_the_chip_given(self) -> None:
        first = Technology(area=3e6, bandwidth=2)
        assert roadmap(self.SIZES, "edge", first)[0] == optimum(first)

    def test_more_bandwidth_is_more_arithmetic_at_every_step(self) -> None:
        rates = [
            [chip.flop_rate for chip in roadmap(self.SIZES, scaling)]
            for scaling in ("constant", "edge", "density")
        ]
        assert (np.diff(rates, axis=1) > 0).all()
        assert (np.diff(rates, axis=0)[:, 1:] > 0).all()

    @pytest.mark.parametrize(
        ("scaling", "exponent"), [("constant", 1 / 4), ("edge", 3 / 4), ("density", 5 / 4)]
    )
    def test_memory_rich_gain(self, scaling, exponent: float) -> None:
        first, last = roadmap([90e-9, 20e-9], scaling, Technology(area=1e14))
        assert last.flop_rate / first.flop_rate == pytest.approx(20.25**exponent, rel=1e-3)
