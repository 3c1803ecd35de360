"""What learned nets are given, checked and brought into arrays: rows, sets of vectors.

>>> values, there = padded([np.array([[1.0], [2.0]]), np.array([[3.0]])])
>>> values[:, :, 0].tolist(), there.tolist()
([[1.0, 2.0], [3.0, 0.0]], [[1.0, 1.0], [1.0, 0.0]])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from perfmodel.validation import Floats, finite


def matrix(X: Any) -> Floats:
    """Return rows of numbers `X` as an array of shape (n, p)."""
    rows = finite("X", np.asarray(X, dtype=float))
    if rows.ndim != 2 or 0 in rows.shape:
        raise ValueError(f"X must have shape (n, p), got {rows.shape}")
    return rows


def scale(values: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of each column of `values`; 1 where none changes.

    >>> [part.tolist() for part in scale(np.array([[1.0, 5.0], [3.0, 5.0]]))]
    [[2.0, 5.0], [1.0, 1.0]]
    """
    varies = np.ptp(values, axis=0) > 0
    return values.mean(axis=0), np.where(varies, values.std(axis=0), 1.0)


def vectors(X: Any) -> list[Floats]:
    """Return each set or sequence of vectors in `X` as an array of shape (t, p), all with one p."""
    sets = [finite("X", np.asarray(rows, dtype=float)) for rows in _samples(X)]
    for index, rows in enumerate(sets):
        if rows.ndim != 2 or 0 in rows.shape or rows.shape[1] != sets[0].shape[1]:
            raise ValueError(
                f"X must hold arrays of shape (t, p) with one p, got {rows.shape} as sample {index}"
            )
    return sets


def _samples(X: Any) -> list[Any]:
    if hasattr(X, "columns"):
        if len(X.columns) != 1:
            raise ValueError(f"X must have one column of samples, got {list(X.columns)}")
        X = X.iloc[:, 0]
    samples = list(X)
    if not samples:
        raise ValueError("X must hold one sample or more, got none")
    return samples


def padded(parts: list[NDArray[Any]]) -> tuple[NDArray[Any], NDArray[np.float32]]:
    """Return samples (t, p) as one array (n, longest t, p), and 1 where there is something."""
    longest = max(len(part) for part in parts)
    values = np.zeros((len(parts), longest, parts[0].shape[1]), parts[0].dtype)
    there = np.zeros((len(parts), longest), np.float32)
    for row, part in enumerate(parts):
        values[row, : len(part)], there[row, : len(part)] = part, 1.0
    return values, there
