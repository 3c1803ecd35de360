"""The drawn chains: every state can be read, and says what the models compute."""

import pytest

from perfmodel.labs.queueing.markov_chains.disk_arrays import HOUR, YEAR, DiskGroup, time_to_loss
from perfmodel.labs.queueing.markov_chains.state_diagram import (
    Move,
    group_states,
    loop_states,
    state_diagram,
)
from perfmodel.labs.queueing.markov_chains.two_stations import Loop, jobs_at_processor
from perfmodel.live.drawing import Line


@pytest.mark.parametrize("disks", [2, 6, 11, 26])
@pytest.mark.parametrize("hours", [0.1, 1, 24, 168, 1000])
def test_groups_can_be_read_and_say_their_time(hours, disks):
    scene = group_states(hours, disks)
    assert scene.faults() == []
    exact = time_to_loss(DiskGroup(disks, (30_000 * HOUR,) * 2, hours * HOUR)) / YEAR
    assert scene.values["time to loss (years)"] == pytest.approx(exact)


@pytest.mark.parametrize("disk_time", [0.01, 0.02, 0.04, 0.05, 0.0625, 0.1, 0.2])
def test_loops_can_be_read_and_say_their_shares(disk_time):
    scene = loop_states(disk_time)
    assert scene.faults() == []
    idle = jobs_at_processor(Loop(4, 0.05, disk_time, 0.2))[0]
    assert scene.values["processor idle (%)"] == pytest.approx(100 * idle)


def test_arrows_to_and_fro_keep_apart_and_one_alone_runs_in_the_middle():
    places = {"a": (40, 50), "b": (200, 50)}
    names = {"a": "a", "b": "b"}
    alone = state_diagram(places, names, [Move("a", "b", "x")], {})
    both = state_diagram(places, names, [Move("a", "b", "x"), Move("b", "a", "y")], {})
    heights = [shape.points[0][1] for shape in both if isinstance(shape, Line)]
    assert [shape.points[0][1] for shape in alone if isinstance(shape, Line)] == [50]
    assert heights[0] < 50 < heights[1]
