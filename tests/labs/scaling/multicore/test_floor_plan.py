import pytest

from perfmodel.labs.scaling.multicore.floor_plan import floor_plan


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
