"""The six kernels of the study, as NumPy writes them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from perfmodel.validation import Floats

Whole = NDArray[np.intp]


def axpy(a: float, x: Floats, y: Floats) -> Floats:
    """Return a x + y.

    >>> axpy(2.0, np.ones(2), np.ones(2))
    array([3., 3.])
    """
    return a * x + y


def gemv(a: Floats, x: Floats) -> Floats:
    """Return the product of a matrix, shape (m, n), and a vector, shape (n,).

    >>> gemv(np.ones((2, 3)), np.ones(3))
    array([3., 3.])
    """
    return np.asarray(a @ x)


def gemm(a: Floats, b: Floats) -> Floats:
    """Return the product of two matrices, shapes (m, k) and (k, n).

    >>> gemm(np.ones((1, 3)), np.ones((3, 2)))
    array([[3., 3.]])
    """
    return np.asarray(a @ b)


def spmv(values: Floats, columns: Whole, starts: Whole, x: Floats) -> Floats:
    """Return the product of a sparse matrix in compressed rows and a vector.

    Row i holds `values[starts[i]:starts[i + 1]]`, in the `columns` of the same places.

    >>> spmv(np.array([2.0, 3.0]), np.array([1, 0]), np.array([0, 1, 2]), np.array([1.0, 10.0]))
    array([20.,  3.])
    """
    y = np.zeros_like(x, shape=len(starts) - 1)
    for row in range(len(y)):
        part = slice(starts[row], starts[row + 1])
        y[row] = (values[part] * x[columns[part]]).sum()
    return y


def jacobi(grid: Floats) -> Floats:
    """Return a sweep over a three-dimensional grid: inner points become the mean of 6 neighbours.

    >>> float(jacobi(np.ones((3, 3, 3)))[1, 1, 1])
    1.0
    """
    new = grid.copy()
    new[1:-1, 1:-1, 1:-1] = (
        grid[:-2, 1:-1, 1:-1]
        + grid[2:, 1:-1, 1:-1]
        + grid[1:-1, :-2, 1:-1]
        + grid[1:-1, 2:, 1:-1]
        + grid[1:-1, 1:-1, :-2]
        + grid[1:-1, 1:-1, 2:]
    ) / 6
    return new
