"""The drawing of a cell: readable for every cell, and it uses what the counts use."""

from itertools import product

import pytest

from perfmodel.labs.prediction.help.cell_drawing import cell_graph
from perfmodel.prediction.architectures.search_space import one_hot, used_counts

CELLS = ["".join(digits) for digits in product("0134", repeat=6)][::41]


@pytest.mark.parametrize("cell", [*CELLS, "333000", "042020", "000004", "222222", "444444"])
def test_is_readable_and_agrees_with_the_counts(cell):
    scene = cell_graph(cell)
    assert scene.faults() == []
    counted = used_counts(one_hot([[int(digit) for digit in cell]]))
    del counted["always"], counted["alive"]
    assert scene.values["used"] == sum(float(number[0]) for number in counted.values())
    dashed = sum(getattr(shape, "dashed", False) for shape in scene.shapes)
    assert dashed == scene.values["operations"] - scene.values["used"]


@pytest.mark.parametrize("cell", ["33300", "33300x", "333005"])
def test_wants_six_digits_of_operations(cell):
    with pytest.raises(ValueError, match="cell must be 6 digits"):
        cell_graph(cell)
