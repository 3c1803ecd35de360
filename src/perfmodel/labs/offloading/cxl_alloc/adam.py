"""An Adam step in NumPy, written as formulas, and the bytes that it moves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from perfmodel.validation import positive, whole

Singles = NDArray[np.float32]

WORD = 4
"""Bytes of a number in single precision."""
ARRAYS = 4
"""Weights, momentum, variance, gradients."""
MUST = (4 + 3) * WORD
"""Bytes an element that any way moves: four arrays read, three written."""
PASSES = {
    "0.9 m": 3,
    "0.1 g": 3,
    "their sum": 3,
    "into m": 3,
    "0.95 v": 3,
    "0.05 g": 3,
    "0.05 g g": 3,
    "sum of both": 3,
    "into v": 3,
    "root of v": 3,
    "plus a small number": 2,
    "0.0001 m": 3,
    "quotient": 3,
    "w less that": 3,
}
"""Words an element that each operation on whole arrays moves: what it reads, what it writes, and
what it overwrites unread, which is fetched first. NumPy writes into a temporary array where an
operation has one."""
MOVED = WORD * sum(PASSES.values())
"""Bytes an element that `in_expressions` moves where no cache holds the arrays."""


def in_expressions(w: Singles, m: Singles, v: Singles, g: Singles) -> Singles:
    """Do one Adam step on the weights w, and return them."""
    m[:] = 0.9 * m + 0.1 * g
    v[:] = 0.95 * v + 0.05 * g * g
    w -= 1e-4 * m / (np.sqrt(v) + 1e-8)
    return w


def states(size: int, gradient: float = 1.0) -> tuple[Singles, Singles, Singles, Singles]:
    """Return weights, momentum, variance and gradients of `size` elements; all gradients equal."""
    count, scale = whole("size", size, 1), float(positive("gradient", gradient))
    ramp = np.linspace(0.5, 1.5, count, dtype=np.float32)
    return ramp.copy(), 0.1 * scale * ramp, 0.2 * scale**2 * ramp, scale * ramp[::-1]
