import pytest

from perfmodel.labs.scaling.amdahl_reliability.rotation import MOST, core_rotation


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
