"""What stays on the GPU, counted from the released code, against what is printed.

The code's loop stores block i - 2, computes block i - 1 and loads block i at the same time: three
blocks. The table of words and the head never leave. All else (the driver's context, activations,
logits, what the allocator keeps) is one number, fitted to the smallest model, as if it were the
same for all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import stats

from perfmodel.labs.offloading.zo2.hiding import block_weights
from perfmodel.labs.offloading.zo2.inputs import (
    HALF,
    HEADS,
    PRINTED,
    SEQUENCE,
    SHAPES,
    VOCABULARY,
)
from perfmodel.measurement.statistics.least_squares import products_inverse
from perfmodel.validation import Floats, non_negative, one_of, whole

FITTED = "1.3B"
"""The model whose printed memory the constant is fitted to."""
PREDICTED = tuple(name for name in PRINTED if name != FITTED)


def block_bytes(name: str) -> float:
    """Return the bytes of a block of OPT in 16 bits.

    >>> block_bytes("1.3B") / 1e6
    100.663296
    """
    return float(block_weights(SHAPES[_known(name)][1])) * HALF


def table_bytes(name: str) -> float:
    """Return the bytes of the table of words of OPT in 16 bits; the head has as many.

    >>> table_bytes("175B") / 1e9
    1.235484672
    """
    return float(VOCABULARY * SHAPES[_known(name)][1]) * HALF


def scores(name: str) -> float:
    """Return the scores of attention of a block of OPT for one sequence, all heads.

    >>> scores("175B") / scores("1.3B")
    3.0
    """
    return float(HEADS[_known(name)]) * SEQUENCE**2


class Counted(NamedTuple):
    """What is counted: blocks, tables of words, and bytes of a score of attention."""

    blocks: float = 3.0
    tables: float = 2.0
    score_bytes: float = 0.0


RESIDENT = Counted()
"""Three blocks, the table of words and the head."""
WITH_NOISE = Counted(blocks=3 + 1 / 3)
"""And the noise of a block's largest matrix, 4 h^2 numbers."""
WITH_PRODUCTS = Counted(blocks=3 + 4 / 3)
"""And what an update holds of it at a time: noise, its product with the slope, the weights' with
the decay, and the sum: four arrays of 4 h^2."""
WITH_SCORES = Counted(score_bytes=6.0)
"""Three blocks, and plain attention's scores: in 16 bits, and after the softmax in 32."""
WITH_CAST_SCORES = Counted(score_bytes=8.0)
"""And the softmax's result in 16 bits again, before the two before are given back."""


def constant(counted: Counted = RESIDENT, unit: float = 1.0) -> float:
    """Return the bytes that are not counted, from the printed memory of the smallest model.

    `unit` is what a printed byte stands for: 2^30 / 1e9 where GB means GiB.
    """
    return float(unit) * PRINTED[FITTED] - _counted_bytes(FITTED, counted)


def memory(name: str, counted: Counted = RESIDENT, unit: float = 1.0) -> float:
    """Return the (printed) bytes of GPU memory of a model, with the constant of the smallest.

    >>> round(memory("175B") / 1e9, 2)
    16.38
    """
    return (constant(counted, unit) + _counted_bytes(name, counted)) / float(unit)


def residual_bytes(name: str) -> float:
    """Return the printed bytes of a model that three blocks, tables and constant leave over.

    >>> round(residual_bytes("175B") / 1e6)
    1661
    """
    return PRINTED[_known(name)] - memory(name)


def residual_per_head(name: str) -> float:
    """Return the bytes left over for each head that a model has beyond those of `FITTED`.

    >>> round(residual_per_head("175B") / 1e6, 1)
    26.0
    """
    beyond = HEADS[_known(name)] - HEADS[FITTED]
    if beyond < 1:
        raise ValueError(f"name must have more than {HEADS[FITTED]} heads, got {name!r}")
    return residual_bytes(name) / beyond


class MemoryFit(NamedTuple):
    """A regression of the printed memories (bytes) on a constant, blocks and tables.

    The coefficients with their standard errors and the bounds of their intervals of 95 %.
    """

    coefficients: Floats
    errors: Floats
    low: Floats
    high: Floats


def fit_memory() -> MemoryFit:
    """Return the regression over all seven models, with Student's intervals (4 degrees)."""
    names = list(PRINTED)
    design, memories = _design(names), np.array(list(PRINTED.values()))
    coefficients = np.linalg.lstsq(design, memories, rcond=None)[0]
    free = len(names) - design.shape[1]
    spread = float(((memories - design @ coefficients) ** 2).sum()) / free
    errors = np.sqrt(spread * np.diag(products_inverse(design)))
    half = float(stats.t.ppf(0.975, free)) * errors
    return MemoryFit(coefficients, errors, coefficients - half, coefficients + half)


def predict_largest(trained_on: int) -> Floats:
    """Return the bytes that a regression over the `trained_on` smallest models gives the others."""
    whole("trained_on", trained_on, 3, len(PRINTED) - 1)
    names = list(PRINTED)
    design = _design(names)
    training = np.array([PRINTED[name] for name in names[:trained_on]])
    coefficients = np.linalg.lstsq(design[:trained_on], training, rcond=None)[0]
    return np.asarray(design[trained_on:] @ coefficients)


def compare_regression(trained_on: int) -> str:
    """Return in words how a regression over the smallest models does beside counting."""
    fitted, names = predict_largest(trained_on), list(PRINTED)[trained_on:]
    printed = np.array([PRINTED[name] for name in names])
    counted = np.array([memory(name) for name in names])
    regression, ours = (100 * abs(made / printed - 1) for made in (fitted, counted))
    nearer = int((regression < ours).sum())
    if nearer == 0:
        said = "farther off than counting each time"
    elif nearer == len(names):
        said = "nearer than counting each time"
    else:
        which = ", ".join(n for n, t, o in zip(names, regression, ours, strict=True) if t < o)
        said = f"nearer than counting only for {which}"
    pairs = ", ".join(
        f"{n} by {t:.0f} % ({o:.0f} %)" for n, t, o in zip(names, regression, ours, strict=True)
    )
    return f"A regression on the {trained_on} smallest misses (counting misses) {pairs}: {said}."


def _design(names: list[str]) -> Floats:
    return np.array([[1.0, block_bytes(name), table_bytes(name)] for name in names])


def _counted_bytes(name: str, counted: Counted) -> float:
    blocks = float(non_negative("blocks", counted.blocks))
    tables = float(non_negative("tables", counted.tables))
    each = float(non_negative("score_bytes", counted.score_bytes))
    return blocks * block_bytes(name) + tables * table_bytes(name) + each * scores(name)


def _known(name: str) -> str:
    one_of("name", name, SHAPES)
    return name
