"""The drawn prompts: every state can be shown, and its boxes are the replay's counts."""

from __future__ import annotations

import pytest

from perfmodel import live
from perfmodel.labs.offloading.prefix_caching.block_chart import PATHS, WAYS, block_chart
from perfmodel.live.drawing import Box


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("capacity", [1, 4, 5, 6])
def test_boxes_are_counted(way: str, capacity: int) -> None:
    scene = block_chart(way, capacity)
    boxes = [shape for shape in scene.shapes if isinstance(shape, Box) and shape.height == 28]
    assert len(boxes) == sum(map(len, PATHS))
    assert sum(box.fill == "solid" for box in boxes) == scene.values["reused"]
    assert sum(box.fill != "light" for box in boxes) == scene.values["held"]


def test_it_is_shown() -> None:
    shown = live.drawing(
        block_chart,
        "Prompts and their blocks.",
        "Rows of boxes, one a block",
        way=live.Options("Policy", {way: way for way in WAYS}),
        capacity=live.Slider("Blocks", [4, 5, 6]),
    )
    assert "blocks are reused" in shown.text


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="way must be one of LRU"):
        block_chart("MRU", 4)
    with pytest.raises(ValueError, match="capacity must be a whole number"):
        block_chart("FIFO", 0)
