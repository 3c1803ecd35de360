"""A matrix product in tiles, to time on your own processor: its data movement and its loops.

The product of two n x n matrices is done tile by tile, ti rows by tj columns of the result with tk
terms at a time. A tile that stays in fast memory saves traffic; a short inner loop costs time.

>>> float(words(192, 64, 64, 64)), float(loop_starts(192, 64, 64, 64))
(442368.0, 110592.0)
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, finite, positive, whole


def words(n: int, ti: ArrayLike, tj: ArrayLike, tk: ArrayLike) -> Floats:
    """Return n³/tj + n³/ti + 2 n³/tk, the words that tiles load and store."""
    rows, columns, terms = _sizes(ti, tj, tk)
    return whole("n", n, low=1) ** 3 * (1 / columns + 1 / rows + 2 / terms)


def loop_starts(n: int, ti: ArrayLike, tj: ArrayLike, tk: ArrayLike) -> Floats:
    """Return how often the innermost loop, over the tj columns of a tile, is begun."""
    _, columns, _ = _sizes(ti, tj, tk)
    return whole("n", n, low=1) ** 3 / columns


def product(left: ArrayLike, right: ArrayLike, ti: int, tj: int, tk: int) -> Floats:
    """Return the product of square matrices, by tiles that need not divide their order.

    >>> product([[1, 2], [3, 4]], [[0, 1], [1, 0]], 1, 2, 1)
    array([[2., 1.],
           [4., 3.]])
    """
    a, b = finite("left", left), finite("right", right)
    if a.ndim != 2 or a.shape[0] != a.shape[1] or a.shape != b.shape:
        raise ValueError(
            f"left and right must be square and of one shape, got {a.shape} and {b.shape}"
        )
    rows, columns, terms = whole("ti", ti, 1), whole("tj", tj, 1), whole("tk", tk, 1)
    result = np.zeros_like(a)
    _multiply(np.ascontiguousarray(a), np.ascontiguousarray(b), result, rows, columns, terms)
    return result


@njit(cache=True)
def _multiply(a: Floats, b: Floats, c: Floats, ti: int, tj: int, tk: int) -> None:
    n = len(a)
    for i0 in range(0, n, ti):
        for j0 in range(0, n, tj):
            for k0 in range(0, n, tk):
                for i in range(i0, min(i0 + ti, n)):
                    for k in range(k0, min(k0 + tk, n)):
                        factor = a[i, k]
                        for j in range(j0, min(j0 + tj, n)):
                            c[i, j] += factor * b[k, j]


def _sizes(ti: ArrayLike, tj: ArrayLike, tk: ArrayLike) -> tuple[Floats, Floats, Floats]:
    return positive("ti", ti), positive("tj", tj), positive("tk", tk)
