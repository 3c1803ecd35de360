"""The drawing of dealt rows: readable, and dealt as the protocol says."""

import pytest

from perfmodel.labs.prediction.ncpp.deal_drawing import RUNS, dealt_rows
from perfmodel.labs.prediction.ncpp.folds import PROTOCOLS
from perfmodel.live.drawing import Cells


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_is_readable_and_tests_one_row_in_five(protocol):
    scene = dealt_rows(protocol)
    assert scene.faults() == []
    (cells,) = (shape for shape in scene.shapes if isinstance(shape, Cells))
    assert len(cells.filled) == cells.rows * cells.columns
    tested = {place for place, (_, fill) in cells.filled.items() if fill == "hatch"}
    assert len(tested) == len(cells.filled) / RUNS
    runs = {row for row, _ in tested}
    assert (len(runs) == 1) is (protocol == "whole runs")


def test_wants_a_protocol():
    with pytest.raises(ValueError, match="protocol must be one of random rows, whole runs"):
        dealt_rows("whole servers")
