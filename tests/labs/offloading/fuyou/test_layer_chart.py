from itertools import pairwise

import numpy as np
import pytest

from perfmodel.labs.offloading.fuyou.layer_chart import (
    GROUPS,
    end,
    layer_steps,
    played,
    row_times,
    visits,
)
from perfmodel.live.drawing import Box


def test_one_group_is_the_sum_and_many_near_the_largest():
    spans = [played(groups).makespan for groups in (*GROUPS, 40)]
    assert spans[0] == pytest.approx(end()) == visits().sum()
    assert (np.diff(spans) < 0).all()
    assert row_times().max() <= spans[-1] <= 1.05 * row_times().max()


@pytest.mark.parametrize("groups", GROUPS)
def test_boxes_lie_beside_each_other_and_none_is_in_the_future(groups):
    half = layer_steps(groups, 18.0)
    boxes = [shape for shape in half.shapes if isinstance(shape, Box)]
    assert 0 < len(boxes) <= 6 * groups
    whole = layer_steps(groups, np.ceil(end()))
    assert sum(isinstance(shape, Box) for shape in whole.shapes) == 6 * groups
    assert whole.values["groups done"] == groups
    for row in {box.y for box in boxes}:
        spans = sorted((box.x, box.x + box.width) for box in boxes if box.y == row)
        assert all(a[1] <= b[0] + 1e-6 for a, b in pairwise(spans))


def test_nothing_is_drawn_at_the_start():
    assert not any(isinstance(shape, Box) for shape in layer_steps(4, 0.0).shapes)


def test_refuses():
    with pytest.raises(ValueError, match="moment must be between 0 and"):
        layer_steps(2, 1000.0)
    with pytest.raises(ValueError, match="groups must be a whole number, 1 or more, got 0"):
        layer_steps(0, 1.0)
