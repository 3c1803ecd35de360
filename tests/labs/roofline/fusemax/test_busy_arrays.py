"""The chip's drawing: readable in every design, filled as far as the model says."""

import pytest

from perfmodel.labs.roofline.fusemax.busy_arrays import busy_arrays
from perfmodel.labs.roofline.fusemax.inputs import BERT, XLM
from perfmodel.labs.roofline.fusemax.latency import DESIGNS, utilization
from perfmodel.live.drawing import Box


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("model", [BERT, XLM])
def test_arrays_can_be_read_and_are_filled_to_their_share(design, model):
    scene = busy_arrays(design, model, 1024)
    assert scene.faults() == []
    fills = [s.height for s in scene.shapes if isinstance(s, Box) and not s.label]
    assert fills == pytest.approx([100 * share for share in utilization(design, model, 1024)])
    busier = "vector" if fills[1] > fills[0] else "matrix"
    assert f"The {busier} array is the busier one" in scene.says
