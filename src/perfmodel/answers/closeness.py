"""How close an answer is to the expected one: numbers, arrays, tables and words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perfmodel.answers.words import word

_TINY = 1e-300
_ROUNDING = 1e-12
"""An error this small, relative to the largest number expected, is rounding."""


def numbers(value: Any) -> NDArray[np.float64] | None:
    """Return a value as a float array, or None where it isn't numbers all through.

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
    """Whether an answer has the expected shape and is within the tolerance.

    A scalar may come as an array or list of one element. Where 0 is expected, the tolerance is
    absolute, or relative to the largest number expected if that is less than 1. Nothing is close to
    a value that isn't finite.

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
        errors = np.abs(mine - theirs)
        errors = np.where(errors <= _ROUNDING * largest, 0.0, errors / scales)
        return float(np.max(errors, initial=0.0))


def agrees(answer: Any, right: Any, tolerance: float) -> bool:
    """Return whether `answer` is `right` within a relative `tolerance`.

    Numbers and arrays of them must have one shape; a dict is compared key by key, other sequences
    part by part. Text is compared as choices are; infinity agrees with itself.

    >>> agrees(0.1 + 0.2, 0.3, 1e-6), agrees([1, 2], np.array([1.0, 2.0]), 1e-6)
    (True, True)
    >>> agrees(" PS ", "ps", 1e-6), agrees({"a": 1}, {"a": 1, "b": 2}, 1e-6), agrees(True, 1, 0.1)
    (True, False, False)
    """
    if isinstance(right, Mapping):
        if not isinstance(answer, Mapping) or set(answer) != set(right):
            return False
        return all(agrees(answer[key], right[key], tolerance) for key in right)
    theirs, mine = numbers(right), numbers(answer)
    if theirs is None:
        return _same_other(answer, right, tolerance)
    infinite = ~np.isfinite(theirs)
    if mine is not None and mine.shape == theirs.shape and infinite.any():
        rest = close(mine[~infinite], theirs[~infinite], tolerance)
        return rest and bool((mine == theirs)[infinite].all())
    return close(answer, right, tolerance)


def _same_other(answer: Any, right: Any, tolerance: float) -> bool:
    """Compare what isn't numbers: text, truth values, and sequences that hold them."""
    answer, right = (v.tolist() if isinstance(v, np.ndarray) else v for v in (answer, right))
    if isinstance(right, str):
        return isinstance(answer, str) and word(answer) == word(right)
    if isinstance(right, Sequence):
        if not isinstance(answer, Sequence) or isinstance(answer, str):
            return False
        pairs = zip(answer, right, strict=False)
        return len(answer) == len(right) and all(agrees(a, r, tolerance) for a, r in pairs)
    if isinstance(right, bool | np.bool_):
        return isinstance(answer, bool | np.bool_) and bool(answer) == bool(right)
    return bool(np.array_equal(answer, right))


def _numeric(value: Any) -> bool:
    if isinstance(value, list | tuple | range):
        return all(_numeric(part) for part in value)
    if hasattr(value, "__array__"):
        return np.asarray(value).dtype.kind in "iufc"
    return isinstance(value, int | float | complex | np.number) and not isinstance(value, bool)
