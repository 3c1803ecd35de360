"""The drawing of a sub-core: readable, of one size, and of the model's cycles."""

import pytest

from perfmodel.labs.roofline.gpu_cores.load_queue import steady_period
from perfmodel.labs.roofline.gpu_cores.sub_core import sub_core


@pytest.mark.parametrize("active", [1, 2, 3, 4])
def test_every_state_can_be_read_and_names_the_slower_stage(active):
    scene = sub_core(active)
    assert scene.faults() == []
    assert scene.height == sub_core(1).height
    stage = "shared stage" if steady_period(active) > steady_period(1) else "address unit"
    assert f"the {stage} decides: {steady_period(active)} cycles" in scene.says
