"""What a chip gains as its features shrink."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.labs.scaling.qcd_chip.chip_area import Technology, optimum
from perfmodel.labs.scaling.qcd_chip.roadmap import density_gain, roadmap


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

    def test_unknown_scaling(self) -> None:
        with pytest.raises(ValueError, match="scaling must be one of constant, edge, density, got"):
            roadmap(self.SIZES, "pins")

    def test_feature_size_of_nothing(self) -> None:
        with pytest.raises(ValueError, match="feature_sizes must be above 0"):
            roadmap([90e-9, 0], "edge")
