import numpy as np
import pytest

from perfmodel.labs.queueing.who_is_sampling.bus_stop import bus_stop
from perfmodel.queueing.distributions.service import mean_residual
from perfmodel.queueing.distributions.workloads import BUS_GAPS
from perfmodel.queueing.operational_analysis.sampling import wait_for_next


@pytest.mark.parametrize("short", [1, 2.5, 4, 5.5, 7, 8.5, 10])
def test_every_stop_can_be_read_and_its_wait_is_that_of_passengers(short):
    scene = bus_stop(short)
    assert scene.faults() == []
    gaps = np.array([*[short] * 4, 100 - 9 * short, *[short] * 5])
    waits = wait_for_next(gaps.cumsum(), np.linspace(0.005, 99.995, 10_000))
    assert scene.values["mean wait (min)"] == pytest.approx(waits.mean(), rel=0.01)


def test_the_extreme_is_the_chapter_s_timetable():
    scene = bus_stop(1)
    assert scene.values["mean wait (min)"] == pytest.approx(float(mean_residual(BUS_GAPS)))
    assert scene.values["in the marked gap"] == 18


@pytest.mark.parametrize("short", [0.5, 11])
def test_impossible_gaps_are_refused(short):
    with pytest.raises(ValueError, match=f"short .*{short}"):
        bus_stop(short)
