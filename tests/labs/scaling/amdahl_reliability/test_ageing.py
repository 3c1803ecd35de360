"""The ageing of a chip that follows from its heat."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfmodel.labs.scaling.amdahl_reliability.ageing import ageing
from perfmodel.scaling.heterogeneous import Chip, speedup
from perfmodel.scaling.reliability import ThermalModel

FRACTIONS = st.floats(0.01, 0.99)
CHIPS = st.builds(
    lambda small, size, big: Chip(small + size * big, size, big),
    st.floats(1.5, 200),
    st.floats(1, 64),
    st.integers(1, 20),
)


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
