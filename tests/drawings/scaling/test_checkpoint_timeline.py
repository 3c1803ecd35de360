"""The drawing of saves and interruptions: its boxes are what the model counts."""

from __future__ import annotations

import pytest

from perfmodel.drawings import checkpoint_timeline
from perfmodel.live.drawing import Box


@pytest.mark.parametrize("interval", [0.2, 0.5, 1.0, 4.0])
@pytest.mark.parametrize("save", [0.05, 0.25])
def test_boxes_add_up_to_the_hours(interval: float, save: float) -> None:
    scene = checkpoint_timeline(interval, save)
    hour = (344 - 16) / 4.4
    boxes = [s for s in scene.shapes if isinstance(s, Box) and s.height == 22]
    for colour, name in ((1, "work kept (h)"), (3, "saving (h)"), (2, "done again (h)")):
        drawn = sum(box.width for box in boxes if box.colour == colour) / hour
        assert drawn == pytest.approx(scene.values[name], abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((0.1, 0.1), "interval must be between 0.2 and 4"), ((1, -1), "save must be between 0 and 1")],
)
def test_bad_input(arguments: tuple[float, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        checkpoint_timeline(*arguments)
