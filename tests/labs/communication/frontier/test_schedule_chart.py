"""Every moment of the drawn schedules can be read."""

from __future__ import annotations

import pytest

from perfmodel.labs.communication.frontier.schedule_chart import (
    END,
    SCHEDULES,
    STAGES,
    _middle,
    schedule_steps,
)
from perfmodel.live.drawing import Box


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_state_can_be_read(schedule):
    for moment in range(int(END) + 1):
        assert schedule_steps(schedule, float(moment)).faults() == []


def test_the_end_and_the_memory():
    ends = [schedule_steps(name, END) for name in SCHEDULES]
    assert [scene.values["idle (%)"] for scene in ends] == pytest.approx([100 / 3] * 2)
    assert "at most 6" in ends[0].says
    assert "at most 4" in ends[1].says
    assert all(scene.values["held by stage 0"] == 0 for scene in ends)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("moment", [0.0, 1.0, 3.0, 5.5, 6.0, 9.0, 14.0, END])
def test_what_is_held_is_what_is_drawn(schedule, moment):
    """Micro-batches whose forward pass is drawn, and whose backward pass isn't to its end."""
    scene = schedule_steps(schedule, moment)
    boxes = [shape for shape in scene.shapes if isinstance(shape, Box)]
    for stage in range(STAGES):
        row = [box for box in boxes if abs(box.y + 10 - _middle(stage)) < 1]
        passes = [box for box in row if box.height == 20]
        begun = sum(box.colour == 1 for box in passes)
        ended = sum(box.colour == 2 and bool(box.label) for box in passes)
        assert scene.values[f"held by stage {stage}"] == begun - ended


def test_sheets_are_of_one_size():
    heights = {schedule_steps(n, m).height for n in SCHEDULES for m in (0.0, 5.0, END)}
    assert len(heights) == 1


def test_bad_input():
    with pytest.raises(ValueError, match="schedule must be one of GPipe, 1F1B, got 'PipeDream'"):
        schedule_steps("PipeDream", 1.0)
    with pytest.raises(ValueError, match="moment must be between 0 and 27, got 28"):
        schedule_steps("GPipe", 28)
