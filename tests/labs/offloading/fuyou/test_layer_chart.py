from itertools import pairwise

import numpy as np
import pytest

from perfmodel.labs.offloading.fuyou.forms import PHASES, fitted
from perfmodel.labs.offloading.fuyou.layer_chart import (
    BATCH,
    DRIVES,
    GROUPS,
    channel_times,
    end,
    layer_steps,
    played,
    visits,
)
from perfmodel.live.drawing import Box


@pytest.mark.parametrize("channels", [1, 2])
def test_one_group_is_the_sum_and_many_near_the_largest(channels):
    spans = [played(groups, channels).makespan for groups in (*GROUPS, 40)]
    largest = channel_times(channels).max()
    assert spans[0] == pytest.approx(end()) == visits().sum()
    assert all(largest - 1e-9 <= span < spans[0] - 1e-3 for span in spans[1:])
    assert spans[-1] <= 1.05 * largest


def test_limit_is_the_backward_phase_of_the_form():
    """In turn, as in (5): the longer of 2/3 g b and 14/15 d/n + c. At once: of all three."""
    model = fitted(PHASES)
    gpu, ssds = model.sample * BATCH * 2 / 3, model.drive / DRIVES * 14 / 15
    assert channel_times(1).max() == pytest.approx(max(gpu, ssds + model.fixed))
    assert channel_times(2).max() == pytest.approx(max(gpu, ssds, model.fixed))
    forward = max(model.sample * BATCH / 3, model.drive / DRIVES / 15)
    assert channel_times(1).max() + forward == pytest.approx(float(model.seconds(BATCH, DRIVES)))


def test_eight_groups_are_no_better_than_four():
    assert played(8).makespan > played(4).makespan
    assert played(8, 2).makespan < played(4, 2).makespan


@pytest.mark.parametrize("groups", GROUPS)
def test_boxes_lie_beside_each_other_and_none_is_in_the_future(groups):
    half = layer_steps(groups, 18.0)
    boxes = [shape for shape in half.shapes if isinstance(shape, Box)]
    assert 0 < len(boxes) <= 6 * groups
    whole = layer_steps(groups, np.ceil(end()))
    assert sum(isinstance(shape, Box) for shape in whole.shapes) == 6 * groups
    assert whole.values["groups done"] == groups
    rows = sorted({box.y for box in whole.shapes if isinstance(box, Box)})
    for together in ([rows[0], rows[4]], *([row] for row in rows[1:4])):
        spans = sorted((box.x, box.x + box.width) for box in boxes if box.y in together)
        assert all(a[1] <= b[0] + 1e-6 for a, b in pairwise(spans))


def test_nothing_is_drawn_at_the_start():
    assert not any(isinstance(shape, Box) for shape in layer_steps(4, 0.0).shapes)


def test_refuses():
    with pytest.raises(ValueError, match="moment must be between 0 and"):
        layer_steps(2, 1000.0)
    with pytest.raises(ValueError, match="groups must be a whole number, 1 or more, got 0"):
        layer_steps(0, 1.0)
    with pytest.raises(ValueError, match="channels must be between 1 and 2"):
        played(2, 3)
