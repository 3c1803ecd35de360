"""A matrix product in tiles: what a tile search chooses, and the tiles it may choose from.

C = A B with A of m x k and B of k x n, ti rows by tj columns of C with tk terms at a time. Within a
tile the innermost loop runs along a row, over the tile's columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from perfmodel.validation import Floats, finite, whole

SMALLEST = 8
"""Least size of a tile."""


class Shape(NamedTuple):
    """A product of m x k by k x n."""

    m: int
    k: int
    n: int

    def __str__(self) -> str:
        """Return the three sizes with crosses between them."""
        return f"{self.m} x {self.k} x {self.n}"

    @property
    def flops(self) -> int:
        """Operations, a multiply and an add for each term."""
        return 2 * self.m * self.k * self.n


def sizes(length: int) -> list[int]:
    """Return the tile sizes along a side: powers of two from 8 up, and the whole side.

    >>> sizes(48)
    [8, 16, 32, 48]
    """
    side, found = whole("length", length, SMALLEST), [SMALLEST]
    while 2 * found[-1] < side:
        found.append(2 * found[-1])
    return [*found, side] if side > found[-1] else found


def tiles(shape: Shape) -> NDArray[np.int64]:
    """Return all tiles (ti, tj, tk) of a shape, shape (tiles, 3).

    >>> tiles(Shape(16, 8, 8)).tolist()
    [[8, 8, 8], [16, 8, 8]]
    """
    grid = np.meshgrid(sizes(shape.m), sizes(shape.n), sizes(shape.k), indexing="ij")
    return np.stack([side.ravel() for side in grid], axis=1)


def product(left: ArrayLike, right: ArrayLike, ti: int, tj: int, tk: int) -> Floats:
    """Return the product of two matrices, computed tile by tile; tiles need not divide the sides.

    >>> product([[1, 2]], [[3], [4]], 1, 1, 1)
    array([[11.]])
    """
    a, b = finite("left", left), finite("right", right)
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise ValueError(f"right must have a row for each column of left, got {a.shape}, {b.shape}")
    result = np.zeros((a.shape[0], b.shape[1]))
    rows, columns, terms = whole("ti", ti, 1), whole("tj", tj, 1), whole("tk", tk, 1)
    multiply(np.ascontiguousarray(a), np.ascontiguousarray(b), result, rows, columns, terms)
    return result


@njit(cache=True, fastmath=True)
def multiply(a: Floats, b: Floats, c: Floats, ti: int, tj: int, tk: int) -> None:
    """Add the product of `a` and `b` to `c`, tile by tile."""
    m, n = c.shape
    terms = a.shape[1]
    for i0 in range(0, m, ti):
        for j0 in range(0, n, tj):
            for k0 in range(0, terms, tk):
                for i in range(i0, min(i0 + ti, m)):
                    for k in range(k0, min(k0 + tk, terms)):
                        # Slices of rows: so the compiler sees that the loop along them is safe to
                        # do several numbers at a time.
                        row, other = c[i, j0 : j0 + tj], b[k, j0 : j0 + tj]
                        factor = a[i, k]
                        for j in range(row.size):
                            row[j] += factor * other[j]
