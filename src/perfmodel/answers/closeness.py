"""Comparison of numbers with expected ones, within a relative tolerance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TINY = 1e-300


def numbers(value: Any) -> NDArray[np.float64] | None:
    """Return plain data as a float array, or None where it isn't numbers all through.

    Truth values, text, and complex numbers with an imaginary part are not numbers here.

    >>> numbers([1, 2.5])
    array([1. , 2.5])
    >>> numbers(["1", 2]) is None
    True
    """
    if not _numeric(value):
        return None
    try:
        array = np.asarray(value)
        if array.dtype.kind == "c" and not np.any(array.imag):
            array = array.real
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
        return array.astype(np.float64) if array.dtype.kind in "iuf" else None
    except (ValueError, TypeError, OverflowError):
        return None


def close(value: Any, expected: Any, tolerance: float) -> bool:
    """Whether an answer and what is expected are finite, of one shape, and within the tolerance.

    A scalar may come as an array or list of one element. Where 0 is expected, the tolerance is
    absolute, or relative to the largest number expected if that is less than 1.

    >>> close([2.0], 2.01, 0.01), close(2.0, np.array([2.0, 2.0]), 0.01), close(True, 1, 0.01)
    (True, False, False)
    """
    return off(value, expected) <= tolerance * (1 + 1e-9)


def off(value: Any, expected: Any) -> float:
    """Return the largest relative error, infinite where the two can't be compared.

    >>> off([1.0, 2.2], [1.0, 2.0]), off("1", 1.0)
    (0.10000000000000009, inf)
    """
    if type(value) is float and type(expected) is float:
        scale = abs(expected) if abs(expected) > _TINY else 1.0
        error = abs(value - expected)
        return error / scale if math.isfinite(error) else math.inf
    mine, theirs = numbers(value), numbers(expected)
    if mine is None or theirs is None:
        return math.inf
    if theirs.size == 1 and mine.size == 1:
        mine, theirs = mine.reshape(()), theirs.reshape(())
    if mine.shape != theirs.shape or not np.isfinite([mine, theirs]).all():
        return math.inf
    sizes = np.abs(theirs)
    largest = float(sizes.max(initial=0.0))
    scales = np.where(sizes > _TINY, sizes, min(largest, 1.0) if largest > _TINY else 1.0)
    with np.errstate(all="ignore"):
        return float(np.max(np.abs(mine - theirs) / scales, initial=0.0))


def _numeric(value: Any) -> bool:
    if isinstance(value, list):
        return all(_numeric(part) for part in value)
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "iufc"
    return isinstance(value, int | float | complex | np.number) and not isinstance(value, bool)
