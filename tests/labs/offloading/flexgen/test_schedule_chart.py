"""Every moment of the drawn schedules can be read, and its counts are those of the topic."""

from __future__ import annotations

import pytest

from perfmodel.labs.offloading.flexgen.schedule_chart import (
    BATCHES,
    CELLS,
    LAYERS,
    ROOM,
    SCHEDULES,
    TOKENS,
    schedule_steps,
)
from perfmodel.offloading import CellBytes, count_traffic, fewest_loads, loads_bound


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_state_can_be_read(schedule):
    scenes = [schedule_steps(schedule, done) for done in range(CELLS + 1)]
    assert [scene.faults() for scene in scenes] == [[]] * (CELLS + 1)
    assert len({scene.height for scene in scenes}) == 1


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_loads_and_peak_are_those_counted(schedule):
    scenes = [schedule_steps(schedule, done) for done in range(CELLS + 1)]
    traffic = count_traffic(SCHEDULES[schedule](), CellBytes(1, 0.0, 1 / LAYERS, 0.0))
    assert scenes[-1].values["weight loads"] == traffic.loads
    assert max(scene.values["cache held"] for scene in scenes) <= traffic.peak <= ROOM
    assert scenes[0].values["weight loads"] == 0 == scenes[-1].values["cache held"]


def test_the_diagonal_needs_the_fewest():
    held = [1, 2, 3]
    assert len(held) == TOKENS
    fewest = fewest_loads(BATCHES, LAYERS, held, ROOM)
    assert schedule_steps("diagonal", CELLS).values["weight loads"] == fewest == 16
    assert loads_bound(BATCHES, LAYERS, held, ROOM) <= fewest


def test_bad_input():
    with pytest.raises(ValueError, match="schedule must be one of row by row, .* got 'column'"):
        schedule_steps("column", 1)
    with pytest.raises(ValueError, match="done must be between 0 and 36, got 37"):
        schedule_steps("diagonal", 37)
