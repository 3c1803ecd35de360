"""Softmax attention in three, two and one passes over the keys, on streams that count reads.

All three compute softmax(Q K^T) V exactly. They differ in how often they read the keys, which is
what `cascades` counts from the equations alone.

After Nayak et al., "FuseMax", MICRO 2024, section 3.

>>> rng = np.random.default_rng(0)
>>> keys, values = TiledRows(rng.normal(size=(8, 4)), 2), TiledRows(rng.normal(size=(8, 3)), 2)
>>> one_pass(rng.normal(size=(5, 4)), keys, values).shape, keys.passes, values.passes
((5, 3), 1.0, 1.0)
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import softmax

from perfmodel.validation import Floats, finite, whole


class TiledRows:
    """Rows of an array that can only be read tile by tile, and that count how often they are."""

    def __init__(self, rows: ArrayLike, tile: int) -> None:
        self._rows = finite("rows", rows)
        if self._rows.ndim != 2 or not self._rows.size:
            raise ValueError(f"rows must be a matrix with elements, got {self._rows.shape}")
        self._tile = whole("tile", tile, low=1)
        self._read = 0

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._rows)

    def __iter__(self) -> Iterator[Floats]:
        """Yield the rows once, `tile` at a time; the last tile may be shorter."""
        for start in range(0, len(self), self._tile):
            tile = self._rows[start : start + self._tile]
            self._read += len(tile)
            yield tile

    @property
    def width(self) -> int:
        """Elements of a row."""
        return int(self._rows.shape[1])

    @property
    def passes(self) -> float:
        """How many times all rows have been read."""
        return self._read / len(self)


def reference(queries: ArrayLike, keys: ArrayLike, values: ArrayLike) -> Floats:
    """Return softmax(Q K^T) V of Q (P, E), K (M, E) and V (M, F) with all in memory at once."""
    scores = finite("queries", queries) @ finite("keys", keys).T
    weights: Floats = softmax(scores, axis=1)
    return weights @ finite("values", values)


def three_pass(queries: ArrayLike, keys: TiledRows, values: TiledRows) -> Floats:
    """Return attention by the largest score, then the sum, then the weighted values."""
    rows = _checked(queries, keys, values)
    largest = np.full((len(rows), 1), -np.inf)
    for tile in keys:
        largest = np.maximum(largest, (rows @ tile.T).max(axis=1, keepdims=True))
    total = np.zeros((len(rows), 1))
    for tile in keys:
        total += np.exp(rows @ tile.T - largest).sum(axis=1, keepdims=True)
    output = np.zeros((len(rows), values.width))
    for tile, value in zip(keys, values, strict=True):
        output += np.exp(rows @ tile.T - largest) / total @ value
    return output


def two_pass(queries: ArrayLike, keys: TiledRows, values: TiledRows) -> Floats:
    """Return attention with a maximum and a sum for each tile, corrected in a second pass."""
    rows = _checked(queries, keys, values)
    peaks, sums = [], []
    for tile in keys:
        scores = rows @ tile.T
        peaks.append(scores.max(axis=1, keepdims=True))
        sums.append(np.exp(scores - peaks[-1]).sum(axis=1, keepdims=True))
    largest = np.max(peaks, axis=0)
    output = np.zeros((len(rows), values.width))
    for tile, value, peak in zip(keys, values, peaks, strict=True):
        output += np.exp(rows @ tile.T - peak) @ value * np.exp(peak - largest)
    corrected = np.asarray(sums) * np.exp(np.asarray(peaks) - largest)
    return np.asarray(output / corrected.sum(axis=0))


def one_pass(queries: ArrayLike, keys: TiledRows, values: TiledRows) -> Floats:
    """Return attention with a running maximum, sum and output, corrected tile by tile."""
    rows = _checked(queries, keys, values)
    largest = np.full((len(rows), 1), -np.inf)
    total = np.zeros((len(rows), 1))
    output = np.zeros((len(rows), values.width))
    for tile, value in zip(keys, values, strict=True):
        scores = rows @ tile.T
        new = np.maximum(largest, scores.max(axis=1, keepdims=True))
        weights, correction = np.exp(scores - new), np.exp(largest - new)
        total = total * correction + weights.sum(axis=1, keepdims=True)
        output = output * correction + weights @ value
        largest = new
    return output / total


def _checked(queries: ArrayLike, keys: TiledRows, values: TiledRows) -> Floats:
    rows = finite("queries", queries)
    if rows.ndim != 2 or rows.shape[1] != keys.width:
        raise ValueError(f"queries must have {keys.width} columns, got shape {rows.shape}")
    if len(keys) != len(values):
        raise ValueError(f"values must have {len(keys)} rows, got {len(values)}")
    return rows
