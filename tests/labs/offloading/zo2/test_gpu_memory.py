"""Counted memory: the constant, what each count adds, and the regression beside it."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.labs.offloading.zo2 import gpu_memory
from perfmodel.labs.offloading.zo2.gpu_memory import (
    FITTED,
    RESIDENT,
    WITH_NOISE,
    WITH_PRODUCTS,
    block_bytes,
    constant,
    fit_memory,
    memory,
    predict_largest,
    table_bytes,
)
from perfmodel.labs.offloading.zo2.inputs import PRINTED, SHAPES, VOCABULARY


def test_blocks_and_tables_by_hand():
    megabytes = [100.7, 157.3, 402.7, 629.1, 1233, 2038, 3624]
    assert [block_bytes(n) / 1e6 for n in SHAPES] == pytest.approx(megabytes, rel=1e-3)
    weights = [
        layers * block_bytes(n) + 2 * VOCABULARY * width for n, (layers, width) in SHAPES.items()
    ]
    gigabytes = [2.6, 5.3, 13.3, 25.7, 59.9, 131.4, 349]
    assert np.array(weights) / 1e9 == pytest.approx(gigabytes, rel=0.01)


@pytest.mark.parametrize("counted", [RESIDENT, WITH_NOISE, WITH_PRODUCTS])
@pytest.mark.parametrize("unit", [1.0, 2**30 / 1e9])
def test_the_constant_is_fitted_to_one_model(counted, unit):
    assert memory(FITTED, counted, unit) == pytest.approx(PRINTED[FITTED])
    rest = constant(counted, unit) + counted.blocks * block_bytes("175B")
    rest += counted.tables * table_bytes("175B")
    assert memory("175B", counted, unit) * unit == pytest.approx(rest)


def test_a_prediction_by_hand():
    """3.75 GB less three blocks and two tables of 1.3B, and those of 13B added."""
    assert memory("13B") / 1e9 == pytest.approx(3.75 - 0.302 - 0.4118 + 1.8874 + 1.0296, abs=1e-3)


def test_more_blocks_take_more_of_the_largest():
    ours = [memory("175B", c) for c in (RESIDENT, WITH_NOISE, WITH_PRODUCTS)]
    assert ours == sorted(ours)


def test_the_regression_is_the_sheets():
    fit = fit_memory()
    assert fit.coefficients == pytest.approx([2.89e9, 3.40, 2.34], rel=2e-3)
    assert (fit.high - fit.coefficients) / fit.errors == pytest.approx([2.776] * 3, abs=1e-3)
    assert fit.high + fit.low == pytest.approx(2 * fit.coefficients)
    assert fit.low[1] < 3 < fit.high[1]


def test_a_regression_finds_what_it_was_made_from(monkeypatch):
    made = {n: 2e9 + 3.0 * block_bytes(n) + 2.0 * table_bytes(n) for n in PRINTED}
    monkeypatch.setattr(gpu_memory, "PRINTED", made)
    assert fit_memory().coefficients == pytest.approx([2e9, 3.0, 2.0])
    assert predict_largest(3) == pytest.approx(list(made.values())[3:])


def test_bad_input():
    with pytest.raises(ValueError, match="name must be one of 1.3B"):
        memory("7B")
    with pytest.raises(ValueError, match="trained_on must be 3 to 6, got 7"):
        predict_largest(7)
    with pytest.raises(ValueError, match="blocks must be 0 or more"):
        memory("13B", gpu_memory.Counted(blocks=-1))
