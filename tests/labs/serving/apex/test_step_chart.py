import pytest

from perfmodel.labs.serving.apex.replay import decoder_steps, fitted
from perfmodel.labs.serving.apex.step_chart import CONTEXT, LONGEST, plan_step, step_parts
from perfmodel.live.drawing import Box


@pytest.mark.parametrize("tensor", [2, 4, 8])
def test_parts_are_the_step(tensor):
    steps = decoder_steps(tensor, fitted())
    for sequences in (1, 40):
        whole = float(steps.seconds(0, sequences, sequences * CONTEXT))
        assert step_parts(tensor, sequences).sum() == pytest.approx(whole)


@pytest.mark.parametrize("tensor", [2, 4, 8])
@pytest.mark.parametrize("sequences", [1, 3, 8, 32, 64])
def test_boxes_stay_on_the_sheet_and_idle_copies_have_none(tensor, sequences):
    scene = plan_step(tensor, sequences)
    boxes = [shape for shape in scene.shapes if isinstance(shape, Box)]
    assert all(box.x + box.width <= 351 for box in boxes)
    assert scene.values["step (ms)"] <= LONGEST
    busy = min(sequences, 8 // tensor) * tensor
    rows = {box.y for box in boxes if box.x == pytest.approx(50)}
    assert len(rows) == busy


def test_copies_share_the_sequences():
    one, four = plan_step(8, 32), plan_step(2, 32)
    assert four.values["step (ms)"] > one.values["step (ms)"]
    alone = step_parts(2, 8).sum()
    assert four.values["tokens/s"] == pytest.approx(4 * 8 / alone)


def test_refuses():
    with pytest.raises(ValueError, match="sequences must be a whole number, 1 or more, got 0"):
        plan_step(8, 0)
