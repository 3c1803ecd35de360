"""Every state of the drawn schedule can be read and is the schedule."""

from __future__ import annotations

import pytest

from perfmodel.labs.offloading.hybrimoe.gantt import NAMES, placement_steps
from perfmodel.labs.offloading.hybrimoe.layers import CACHED, LOADS, expert_jobs
from perfmodel.live.drawing import Box
from perfmodel.offloading import two_ended_list

PER_TOKEN = (0.2e-3, 0.5e-3, 1e-3)


@pytest.mark.parametrize("per_token", PER_TOKEN)
@pytest.mark.parametrize("placed", range(7))
def test_every_state_can_be_read(placed, per_token):
    scene = placement_steps(placed, per_token)
    assert scene.faults() == []
    assert scene.height == placement_steps(0, 1e-3).height
    left = [b.label for b in scene.shapes if isinstance(b, Box) and ":" in b.label]
    assert len(left) == len(LOADS) - placed


@pytest.mark.parametrize("per_token", PER_TOKEN)
def test_the_end_is_the_makespan(per_token):
    scene = placement_steps(6, per_token)
    schedule = two_ended_list(expert_jobs(LOADS, CACHED, per_token))
    assert scene.values["finished (ms)"] == pytest.approx(1e3 * schedule.makespan)
    bars = [b for b in scene.shapes if isinstance(b, Box) and b.label in tuple(NAMES)]
    fetched = int((schedule.fetched > 0).sum())
    assert len(bars) == len(LOADS) + fetched


def test_bad_input():
    with pytest.raises(ValueError, match="placed must be between 0 and 6, got 7"):
        placement_steps(7)
    with pytest.raises(ValueError, match="per_token must be between 0 and 0.001"):
        placement_steps(1, 1.0)
