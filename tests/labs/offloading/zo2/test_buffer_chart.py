"""Every moment of the drawn pipeline can be read, and says what the flow shop does."""

from __future__ import annotations

import pytest

from perfmodel.labs.offloading.zo2.buffer_chart import BLOCKS, END, TIMES, buffer_steps
from perfmodel.offloading import equal_jobs_makespan


@pytest.mark.parametrize("buffers", [1, 2, 3, 4])
def test_every_state_can_be_read(buffers):
    for moment in range(int(END) + 1):
        scene = buffer_steps(buffers, float(moment))
        assert scene.faults() == []
        assert scene.values["buffers in use"] <= buffers


@pytest.mark.parametrize("buffers", [1, 2, 3, 4])
def test_the_end(buffers):
    values = buffer_steps(buffers, END).values
    assert values["all stored (ms)"] == equal_jobs_makespan(TIMES, BLOCKS, buffers)
    assert values["computed (ms)"] == BLOCKS * TIMES[1]
    assert values["buffers in use"] == 0


def test_bad_input():
    with pytest.raises(ValueError, match="buffers must be 4 at most, got 5"):
        buffer_steps(5, 0.0)
    with pytest.raises(ValueError, match="moment must"):
        buffer_steps(2, END + 1)
