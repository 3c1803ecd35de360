"""The bars of ZeRO's stages: readable in every state, as high as the count says."""

from itertools import product

import pytest

from perfmodel.labs.roofline.llm_runtime.memory_bars import MOST, memory_bars
from perfmodel.live.drawing import Box
from perfmodel.roofline.training import state_bytes

STATES = list(product(range(4), (1, 2, 4, 8)))


@pytest.mark.parametrize(("stage", "gpus"), STATES)
def test_bars_can_be_read_and_add_up_to_the_states(stage, gpus):
    scene = memory_bars(7e9, stage, gpus)
    assert scene.faults() == []
    bars = [s for s in scene.shapes if isinstance(s, Box)][3:]
    assert len(bars) == 3 * gpus
    full = 16 * 7e9 * sum(bar.height for bar in bars) / gpus
    assert full / (232 - 56) == pytest.approx(state_bytes(7e9, gpus=gpus, stage=stage))


def test_sheet_and_values_are_the_same_in_every_state():
    scenes = [memory_bars(7e9, *state) for state in STATES]
    assert len({scene.height for scene in scenes}) == 1
    assert len({tuple(scene.values) for scene in scenes}) == 1


def test_refuses_more_gpus_than_fit_and_stages_that_do_not_exist():
    with pytest.raises(ValueError, match="gpus must be 8 or fewer"):
        memory_bars(7e9, 1, MOST + 1)
    with pytest.raises(ValueError, match="stage must be"):
        memory_bars(7e9, 4, 2)
