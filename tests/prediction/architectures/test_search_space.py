"""Networks of two search spaces: their codes, and what is counted in them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays

from perfmodel.prediction.architectures.search_space import (
    EDGES,
    SPACES,
    counts,
    flops,
    one_hot,
    used_counts,
)

CELLS = arrays.arrays(int, st.tuples(st.integers(1, 20), st.just(6)), elements=st.integers(0, 4))


@given(CELLS)
def test_counts_are_those_of_the_code(choices):
    counted = counts(one_hot(choices))
    for code, name in enumerate(SPACES["nb201"].operations[1:], start=1):
        assert counted[name].tolist() == (choices == code).sum(axis=1).tolist()
    assert counted["base"].tolist() == [1.0] * len(choices)


def test_one_hot_says_where():
    cell = one_hot([[3, 0, 0, 0, 0, 4]]).iloc[0]
    assert cell[cell > 0].index.tolist() == ["0-1 conv3x3", "2-3 pool"]
    layers = one_hot([[8] * 21 + [0]], "fbnet").iloc[0]
    assert layers[layers > 0].index.tolist() == ["layer 22 k3e1"]
    assert len(layers) == 22 * 8


def test_flops_by_hand():
    # 3x3: 9 x 512^2 in each of three stages; batch norms 57,344 over the stages; 5 cells a stage.
    result = flops(one_hot([[3, 0, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0], [0, 1, 4, 0, 0, 0], [3] * 6]))
    assert result.tolist() == [
        5 * (3 * 2_359_296 + 57_344),
        5 * (3 * 262_144 + 57_344),
        0,
        214_056_960,
    ]


def test_used_counts_by_hand():
    # Edges 0-1, 0-2, 1-2, 0-3, 1-3, 2-3.
    cells = [[3, 3, 3, 3, 3, 3], [3, 0, 2, 1, 0, 0], [3, 0, 2, 0, 0, 4], [0, 0, 0, 0, 0, 3]]
    result = used_counts(one_hot(cells))
    assert result["alive"].tolist() == [1, 1, 1, 0]
    assert result["conv3x3"].tolist() == [6, 0, 1, 0]
    assert result["conv1x1"].tolist() == [0, 0, 1, 0]
    assert result["skip"].tolist() == [0, 1, 0, 0]
    assert result["pool"].tolist() == [0, 0, 1, 0]


@given(CELLS)
def test_what_is_used_leads_to_the_output(choices):
    result = used_counts(one_hot(choices))
    for row, cell in enumerate(choices):
        steps = np.eye(4)
        for (source, to), code in zip(EDGES, cell, strict=True):
            steps[source, to] += code > 0
        reach = np.linalg.matrix_power(steps, 3) > 0
        assert bool(result["alive"][row]) is bool(reach[0, 3])
        for code, name in enumerate(SPACES["nb201"].operations[1:], start=1):
            ends = [to for (_, to), chosen in zip(EDGES, cell, strict=True) if chosen == code]
            assert result[name][row] == reach[0, 3] * sum(reach[to, 3] for to in ends)


def test_cells_without_a_path_from_input_to_output():
    every = one_hot(list(product(range(5), repeat=6)))
    assert (used_counts(every)["alive"] == 0).sum() == 341


def test_a_code_that_is_no_network_is_refused():
    with pytest.raises(ValueError, match="choices must be from 0 to 4"):
        one_hot([[5, 0, 0, 0, 0, 0]])
    with pytest.raises(ValueError, match=r"choices must be whole numbers of shape \(n, 6\)"):
        one_hot([[1, 2, 3]])
