"""Every state of the drawn memory can be read and is the simulation's."""

from __future__ import annotations

import pytest

from perfmodel.labs.offloading.mpress.memory_chart import END, JOB, memory_by_stage
from perfmodel.live.drawing import Box


@pytest.mark.parametrize("layers", [24, 32, 48])
def test_every_state_can_be_read(layers):
    for moment in range(0, int(END) + 1, 3):
        scene = memory_by_stage(float(moment), layers)
        assert scene.faults() == []
        assert scene.height == memory_by_stage(0.0).height


def test_the_most_is_what_the_model_says():
    most = max(memory_by_stage(float(m)).values["stage 0 (GB)"] for m in range(int(END)))
    assert most == pytest.approx(JOB.needs[0] / 1e9)
    assert memory_by_stage(END).values["stage 0 (GB)"] == pytest.approx(JOB.states / 1e9)
    boxes = [b for b in memory_by_stage(20.0).shapes if isinstance(b, Box) and b.fill == "light"]
    assert len(boxes) >= 8 + 7 + 6


def test_bad_input():
    with pytest.raises(ValueError, match="moment must be between 0 and 57, got 58"):
        memory_by_stage(58.0)
    with pytest.raises(ValueError, match="stages must divide the 47 layers"):
        memory_by_stage(1.0, 47)
