"""What a chip for another program loses, and the floor plans."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.scaling.multicore.floor_plan import floor_plan
from perfmodel.labs.scaling.multicore.tasks import speedup_lost
from perfmodel.scaling import asymmetric_speedup


@pytest.mark.parametrize("kind", ["symmetric", "asymmetric", "dynamic"])
@pytest.mark.parametrize("core_size", [1, 4, 16, 64])
def test_every_plan_can_be_read(kind, core_size):
    scene = floor_plan(kind, core_size)
    assert scene.faults() == []
    assert len(scene.says) <= 160


@pytest.mark.parametrize(
    ("kind", "parallel"),
    [("symmetric", 0.9 * 16 / (4 * 64)), ("asymmetric", 0.9 / 52), ("dynamic", 0.9 / 64)],
)
def test_phases_by_hand(kind, parallel):
    values = floor_plan(kind, 16).values
    assert values["serial time"] == pytest.approx(0.1 / 4)
    assert values["parallel time"] == pytest.approx(parallel)


def test_hand_value():
    # A program without serial code is fastest on base cores alone: 256 against 16 on one big core.
    assert speedup_lost([0.0], [1, 256]) == pytest.approx(np.array([[0, 1 - 16 / 256]]), abs=1e-6)


@given(st.floats(0, 1), st.floats(1, 256))
def test_it_is_a_share_that_only_the_best_size_has_at_zero(serial, size):
    lost = speedup_lost([serial], [size])
    assert lost.shape == (1, 1)
    assert -1e-6 <= lost.item() < 1


def test_a_row_a_program_and_a_column_a_chip():
    lost = speedup_lost([0.1, 0.5], [10, 50, 90])
    assert lost.shape == (2, 3)
    kept = asymmetric_speedup(0.5, 256, [10, 50, 90])
    assert (1 - lost[1]) / (1 - lost[1, 0]) == pytest.approx(kept / kept[0])
