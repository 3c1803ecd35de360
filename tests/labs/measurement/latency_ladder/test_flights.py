"""The drawing of loads on their way: readable in every state, and true to equation (3)."""

from __future__ import annotations

import pytest

from perfmodel.labs.measurement.latency_ladder.flights import MOST, ROOM, TURNS, loads_in_flight
from perfmodel.live.drawing import Box

SCENES = {count: loads_in_flight(count) for count in range(1, MOST + 1)}


@pytest.mark.parametrize("count", SCENES)
def test_every_state_can_be_read_on_a_sheet_of_one_size(count):
    assert SCENES[count].faults() == []
    assert SCENES[count].height == SCENES[1].height


@pytest.mark.parametrize("count", SCENES)
def test_as_many_loads_are_drawn_as_there_is_room_for(count):
    boxes = [shape for shape in SCENES[count].shapes if isinstance(shape, Box)]
    assert len(boxes) == TURNS * min(count, ROOM) == SCENES[count].values["lines in 600 ns"]
    starts = [(box.x, box.y) for box in boxes]
    assert len(set(starts)) == len(starts)


def test_bandwidth_is_lines_over_time():
    for scene in SCENES.values():
        lines = scene.values["lines in 600 ns"]
        assert scene.values["bandwidth (GB/s)"] == pytest.approx(64 * lines / 600)


def test_more_chains_than_rows_are_refused():
    with pytest.raises(ValueError, match="chains must be 8 at most"):
        loads_in_flight(MOST + 1)
