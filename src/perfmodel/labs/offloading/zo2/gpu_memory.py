"""What stays on the GPU, counted from the released code, against what is printed.

The code's loop stores block i - 2, computes block i - 1 and loads block i at the same time: three
blocks. The table of words and the head never leave. All else (the driver's context, activations,
logits, what the allocator keeps) is one number, fitted to the smallest model.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import stats

from perfmodel.labs.offloading.zo2.hiding import block_weights
from perfmodel.labs.offloading.zo2.inputs import HALF, PRINTED, SHAPES, VOCABULARY
from perfmodel.validation import Floats, non_negative

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


class Counted(NamedTuple):
    """What is counted, in blocks and in tables of words."""

    blocks: float = 3.0
    tables: float = 2.0


RESIDENT = Counted()
"""Three blocks, the table of words and the head."""
WITH_NOISE = Counted(blocks=3 + 1 / 3)
"""And the noise of a block's largest matrix, 4 h^2 numbers."""
WITH_PRODUCTS = Counted(blocks=4.0)
"""And that noise scaled, twice, before it is added: three arrays of 4 h^2."""


def constant(counted: Counted = RESIDENT, unit: float = 1.0) -> float:
    """Return the bytes that are not counted, from the printed memory of the smallest model.

    Parameters
    ----------
    counted : Counted
    unit : float
        What a printed byte stands for: 2^30 / 1e9 where GB means GiB.
    """
    return float(unit) * PRINTED[FITTED] - _counted_bytes(FITTED, counted)


def memory(name: str, counted: Counted = RESIDENT, unit: float = 1.0) -> float:
    """Return the bytes of GPU memory of a model, with the constant of the smallest.

    Parameters
    ----------
    name : str
        A model of `inputs.SHAPES`.
    counted : Counted
    unit : float
        As in `constant`; the result is in the same printed bytes.

    Examples
    --------
    >>> round(memory("175B") / 1e9, 2)
    16.38
    """
    return (constant(counted, unit) + _counted_bytes(name, counted)) / float(unit)


class MemoryFit(NamedTuple):
    """A regression of the printed memories on a constant, blocks and tables.

    Attributes
    ----------
    coefficients, errors : ndarray, shape (3,)
        Bytes, blocks and tables, and their standard errors.
    low, high : ndarray, shape (3,)
        Bounds of the intervals of 95 %.
    """

    coefficients: Floats
    errors: Floats
    low: Floats
    high: Floats


def fit_memory() -> MemoryFit:
    """Return the regression over all seven models, with Student's intervals (4 degrees)."""
    names = list(PRINTED)
    design, memories = _design(names), np.array(list(PRINTED.values()))
    found = np.linalg.lstsq(design, memories, rcond=None)[0]
    free = len(names) - design.shape[1]
    spread = float(((memories - design @ found) ** 2).sum()) / free
    errors = np.sqrt(spread * np.diag(np.linalg.inv(design.T @ design)))
    half = float(stats.t.ppf(0.975, free)) * errors
    return MemoryFit(found, errors, found - half, found + half)


def predict_largest(trained_on: int) -> Floats:
    """Return the bytes that a regression over the smallest models predicts for the others.

    Parameters
    ----------
    trained_on : int
        Of the seven, 3 to 6.

    Returns
    -------
    ndarray, shape (7 - trained_on,)
    """
    if trained_on not in range(3, len(PRINTED)):
        raise ValueError(f"trained_on must be 3 to {len(PRINTED) - 1}, got {trained_on!r}")
    names = list(PRINTED)
    design = _design(names)
    seen = np.array([PRINTED[name] for name in names[:trained_on]])
    found = np.linalg.lstsq(design[:trained_on], seen, rcond=None)[0]
    return np.asarray(design[trained_on:] @ found)


def _design(names: list[str]) -> Floats:
    return np.array([[1.0, block_bytes(name), table_bytes(name)] for name in names])


def _counted_bytes(name: str, counted: Counted) -> float:
    blocks = float(non_negative("blocks", counted.blocks))
    tables = float(non_negative("tables", counted.tables))
    return blocks * block_bytes(name) + tables * table_bytes(name)


def _known(name: str) -> str:
    if name not in SHAPES:
        raise ValueError(f"name must be one of {', '.join(SHAPES)}, got {name!r}")
    return name
