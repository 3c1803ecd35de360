"""The ageing of a chip that follows from its heat, designs on the front of two aims."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.scaling.amdahl_reliability.ageing import (
    MOST,
    ageing,
    core_rotation,
    drawn_constants,
)
from perfmodel.scaling.heterogeneous import HeterogeneousChip, heterogeneous_speedup
from perfmodel.scaling.reliability import ThermalModel

FRACTIONS = st.floats(0.01, 0.99)
CHIPS = st.builds(
    lambda small, size, big: HeterogeneousChip(small + size * big, size, big),
    st.floats(1.5, 200),
    st.floats(1, 64),
    st.integers(1, 20),
)


class TestAgeing:
    def test_without_heat_only_active_area_counts(self) -> None:
        """All at the reference temperature: failures per work = area x time, whatever b is."""
        cold = ThermalModel(ambient=338.15, core_resistance=0, package_resistance=0)
        terms = ageing(0.9, HeterogeneousChip(64, 4, [1, 2, 4]), cold).failures
        assert terms.big == pytest.approx([0.2, 0.2, 0.2])
        assert terms.small == pytest.approx([0.9, 0.9, 0.9])

    def test_rotation_cools_big_cores(self) -> None:
        hot = ageing(0.5, HeterogeneousChip(64, 4, [1, 2, 3, 4]), ThermalModel()).big_temperature
        assert (np.diff(hot) < 0).all()

    def test_temperatures_by_hand(self) -> None:
        """f = 0.9, n = 13, r = 4, b = 2: busy shares 0.05 : 0.18, that is 5/23 and 18/23."""
        aged = ageing(0.9, HeterogeneousChip(13, 4, 2), ThermalModel())
        package = 318.15 + 0.3 * 1.1 * (4 * 5 + 5 * 18) / 23
        assert aged.big_temperature == pytest.approx(package + 10 / 2 * 1.1 * 4 * (5 / 2) / 23)
        assert aged.small_temperature == pytest.approx(package + 10 * 1.1 * 18 / 23)

    @given(FRACTIONS, CHIPS)
    def test_work_and_time_agree_through_the_speedup(
        self, f: float, chip: HeterogeneousChip
    ) -> None:
        aged = ageing(f, chip, ThermalModel())
        assert aged.work_to_failure == pytest.approx(
            aged.time_to_failure * heterogeneous_speedup(f, chip), rel=1e-9
        )
        assert aged.work_to_failure * np.add(*aged.failures) == pytest.approx(1)

    @given(FRACTIONS, CHIPS, st.floats(1, 30))
    def test_warmer_air_shortens_life(
        self, f: float, chip: HeterogeneousChip, warmer: float
    ) -> None:
        cool = ThermalModel()
        warm = replace(cool, ambient=cool.ambient + warmer)
        assert ageing(f, chip, warm).time_to_failure < ageing(f, chip, cool).time_to_failure


class TestDrawnConstants:
    def test_same_seed_same_constants(self) -> None:
        first, second, other = (drawn_constants(5, seed).power for seed in (0, 0, 1))
        assert np.array_equal(first, second)
        assert not np.array_equal(first, other)

    def test_lab_s_own_constants_lie_inside(self) -> None:
        drawn = drawn_constants(4000)
        for name in ("ambient", "power", "core_resistance", "package_resistance", "spreading"):
            values = getattr(drawn, name)
            assert values.min() <= getattr(ThermalModel(), name) * 1.01
            assert values.max() >= getattr(ThermalModel(), name)

    def test_each_set_is_a_model_of_its_own(self) -> None:
        drawn = drawn_constants(3)
        together = ageing(0.7, HeterogeneousChip(64, 4, [1, 2, 4]), drawn).work_to_failure
        names = vars(ThermalModel()).keys() - {"reference"}
        second = ThermalModel(**{name: float(getattr(drawn, name)[1, 0]) for name in names})
        alone = ageing(0.7, HeterogeneousChip(64, 4, [1, 2, 4]), second).work_to_failure
        assert together[1] == pytest.approx(alone)

    def test_relief_is_no_matter_of_course(self) -> None:
        """With 1 % sequential work a second big core costs more small cores than it relieves."""
        aged = ageing(0.99, HeterogeneousChip(64, 4, [1, 8]), ThermalModel(package_resistance=0))
        assert aged.work_to_failure[1] < aged.work_to_failure[0]


@pytest.mark.parametrize("big_cores", range(1, MOST + 1))
@pytest.mark.parametrize("parallel_fraction", [0.5, 0.7, 0.9])
def test_every_rotation_can_be_read(big_cores, parallel_fraction):
    scene = core_rotation(big_cores, parallel_fraction)
    assert scene.faults() == []
    assert len(scene.says) <= 160


def test_a_rotation_by_hand():
    values = core_rotation(2, 0.5).values
    assert values["speedup"] == pytest.approx(1 / (0.25 + 0.5 / 8))
    assert values["a big core is on (%)"] == pytest.approx(100 * 0.25 / (0.25 + 0.0625) / 2)
