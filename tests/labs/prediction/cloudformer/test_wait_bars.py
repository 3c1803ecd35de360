import pytest

from perfmodel.labs.prediction.cloudformer.hosts import BANDWIDTH
from perfmodel.labs.prediction.cloudformer.wait_bars import DEMAND, wait_bars


@pytest.mark.parametrize("machines", [1, 7, 9, 14])
@pytest.mark.parametrize("memory_share", [0.0, 0.3, 0.6, 1.0])
def test_only_the_wait_is_stretched(machines, memory_share):
    scene = wait_bars(machines, memory_share)
    assert scene.faults() == []
    stretch = max(1, machines * DEMAND / BANDWIDTH)
    time = 1 - memory_share + memory_share * stretch
    assert scene.values["performance kept (%)"] == pytest.approx(100 / time)


@pytest.mark.parametrize("machines", [0, 15])
def test_impossible_hosts_are_refused(machines):
    with pytest.raises(ValueError, match=f"machines .*{machines}"):
        wait_bars(machines, 0.5)
