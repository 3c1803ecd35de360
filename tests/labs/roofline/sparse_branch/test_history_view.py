"""The drawn history: readable, and its deciding bits counted."""

import pytest

from perfmodel.labs.roofline.sparse_branch.history_view import history_view
from perfmodel.live.drawing import Cells


@pytest.mark.parametrize(
    ("seen", "found"), [((), 0), (range(1, 13), 0), (range(1, 65), 1), ((37, 71), 2)]
)
def test_view_can_be_read_and_counts_what_decides(seen, found):
    scene = history_view(seen, 10)
    assert scene.faults() == []
    assert scene.values["deciding bits seen"] == found
    (grid,) = [shape for shape in scene.shapes if isinstance(shape, Cells)]
    assert len(grid.filled) == len(seen)


def test_lags_lie_row_by_row():
    (grid,) = [s for s in history_view([16, 17], 2, [17]).shapes if isinstance(s, Cells)]
    assert set(grid.filled) == {(0, 15), (1, 0)}
    assert list(grid.outlined) == [(1, 0)]


@pytest.mark.parametrize("lag", [0, 129])
def test_refuses_lags_outside_the_history(lag):
    with pytest.raises(ValueError, match="lags must be from 1 to 128"):
        history_view([lag], 1)
