"""The six kernels of the study, as NumPy writes them.

Tests of the six kernels: examples, and properties that hold for every right version.

Wrong versions of the six kernels, each with one bug of a kind that people and models write.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from perfmodel.benchmarking.mutants import Program, PropertyTest
from perfmodel.labs.benchmarking.codex_hpc.conjugate_gradient import (
    Solved,
    aliased_gradient,
    conjugate_gradient,
    laplacian,
    right_hand_side,
)
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
    """Return A x, where row i of A holds `values[starts[i]:starts[i + 1]]` in those `columns`.

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


REFERENCES: Mapping[str, Program] = {
    "AXPY": axpy,
    "GEMV": gemv,
    "GEMM": gemm,
    "SpMV": spmv,
    "Jacobi": jacobi,
    "CG": conjugate_gradient,
}
"""The right version of each kernel."""
Rows = list[list[float]]
POINTS = 12
"""Unknowns of the systems that the tests of CG solve."""


def _drawn(*shape: int) -> Floats:
    return np.random.default_rng(sum(shape)).standard_normal(shape)


def _kept(call: Program, *arrays: Floats) -> bool:
    copies = [array.copy() for array in arrays]
    call(*copies)
    return all(np.array_equal(old, new) for old, new in zip(arrays, copies, strict=True))


def _sparse(rows: Rows) -> tuple[Floats, NDArray[np.intp], NDArray[np.intp]]:
    dense = np.array(rows)
    return (
        dense[dense != 0],
        np.nonzero(dense)[1],
        np.concatenate([[0], (dense != 0).sum(axis=1).cumsum()]),
    )


_FULL: Rows = [[2.0, 0, 1], [0, 3, 0], [4, 0, 5]]
_HOLED: Rows = [[0.0, 2, 0], [0, 0, 0], [1, 0, 3]]


def _multiplies(program: Program, rows: Rows) -> bool:
    x = np.array([1.0, 10.0, 100.0])
    return np.allclose(program(*_sparse(rows), x), np.array(rows) @ x)


def _grid(field: Program) -> Floats:
    return np.asarray(field(*np.meshgrid(*[np.arange(5.0)] * 3, indexing="ij")))


def _fixed(program: Program, field: Program) -> bool:
    return np.allclose(program(_grid(field)), _grid(field))


def _spreads(program: Program) -> bool:
    grid = np.zeros((5, 5, 5))
    grid[2, 2, 2] = 6.0
    new = program(grid)
    return bool(new[2, 2, 2] == 0 and new[2, 2, 1] == new[1, 2, 2] == 1)


def _residual(program: Program, scale: float = 1.0) -> float:
    a, b = laplacian(POINTS), scale * right_hand_side(POINTS)
    return float(np.linalg.norm(b - a @ program(a, b).x) / np.linalg.norm(b))


TESTS: Mapping[str, Mapping[str, PropertyTest]] = {
    "AXPY": {
        "example": lambda f: np.allclose(f(2.0, np.ones(3), np.arange(3.0)), [2, 3, 4]),
        "linear in a": lambda f: np.allclose(
            f(5.0, _drawn(4), _drawn(4)) - f(2.0, _drawn(4), _drawn(4)), 3 * _drawn(4)
        ),
        "arguments kept": lambda f: _kept(lambda x, y: f(2.0, x, y), _drawn(4), _drawn(4)),
    },
    "GEMV": {
        "example": lambda f: np.allclose(f(np.eye(3), np.ones(3)), 1),
        "not square": lambda f: np.allclose(f(np.ones((2, 3)), np.ones(3)), [3, 3]),
        "linear in x": lambda f: np.allclose(
            f(_drawn(4, 4), -_drawn(4)), -f(_drawn(4, 4), _drawn(4))
        ),
    },
    "GEMM": {
        "example": lambda f: np.allclose(f(np.eye(3), np.eye(3)), np.eye(3)),
        "identity": lambda f: np.allclose(f(_drawn(3, 3), np.eye(3)), _drawn(3, 3)),
        "not square": lambda f: np.allclose(
            f(np.ones((2, 3)), np.ones((3, 4))), np.full((2, 4), 3)
        ),
        "order": lambda f: np.allclose(
            f(_drawn(3, 3), _drawn(3, 3).T)[0, 0], (_drawn(3, 3)[0] ** 2).sum()
        ),
    },
    "SpMV": {
        "identity": lambda f: _multiplies(f, np.eye(3).tolist()),
        "full rows": lambda f: _multiplies(f, _FULL),
        "an empty row": lambda f: _multiplies(f, _HOLED),
    },
    "Jacobi": {
        "constant kept": lambda f: _fixed(f, lambda x, y, z: np.ones_like(x)),
        "linear field kept": lambda f: _fixed(f, lambda x, y, z: x + 2 * y - z),
        "a point spreads": _spreads,
        "argument kept": lambda f: _kept(f, _drawn(4, 4, 4)),
    },
    "CG": {
        "small residual": lambda f: _residual(f) < 1e-6,
        "small b": lambda f: _residual(f, 1e-6) < 1e-6,
        "n iterations": lambda f: (
            f(laplacian(POINTS), right_hand_side(POINTS)).iterations <= POINTS
        ),
        "tolerance asked for": lambda f: (
            f(laplacian(POINTS), right_hand_side(POINTS), 0.5).residuals[-2] > 0.5
        ),
    },
}
"""By kernel and by what is tested; each returns whether a program passes."""


def _axpy_in_place(a: float, x: Floats, y: Floats) -> Floats:
    x *= a
    return x + y


def _axpy_short(a: float, x: Floats, y: Floats) -> Floats:
    out = y.copy()
    out[:-1] += a * x[:-1]
    return out


def _gemm_square(a: Floats, b: Floats) -> Floats:
    n = len(a)
    return np.array([[a[i, :n] @ b[:n, j] for j in range(n)] for i in range(n)])


def _spmv_reduced(values: Floats, columns: Whole, starts: Whole, x: Floats) -> Floats:
    """Add up between the starts of rows by `reduceat`, which gives an empty row a neighbour's."""
    return np.asarray(np.add.reduceat(values * x[columns], starts[:-1]))


def _spmv_shifted(values: Floats, columns: Whole, starts: Whole, x: Floats) -> Floats:
    y = np.zeros(len(starts) - 1)
    for row in range(len(y)):
        part = slice(starts[row], starts[row + 1] - 1)
        y[row] = values[part] @ x[columns[part]]
    return y


def _spmv_in_order(values: Floats, columns: Whole, starts: Whole, x: Floats) -> Floats:
    y = np.zeros(len(starts) - 1)
    for row in range(len(y)):
        part = slice(starts[row], starts[row + 1])
        y[row] = values[part] @ x[: starts[row + 1] - starts[row]]
    return y


def _inner(grid: Floats, sums: Floats) -> Floats:
    new = grid.copy()
    new[1:-1, 1:-1, 1:-1] = sums
    return new


def _shifted(grid: Floats, axis: int) -> Floats:
    """Return the sum of both neighbours along an axis, of the inner points."""
    inner = [slice(1, -1)] * 3
    low, high = list(inner), list(inner)
    low[axis], high[axis] = slice(None, -2), slice(2, None)
    return np.asarray(grid[tuple(low)] + grid[tuple(high)])


def _jacobi_in_place(grid: Floats) -> Floats:
    for i in range(1, grid.shape[0] - 1):
        grid[i, 1:-1, 1:-1] = _inner_plane(grid, i)
    return grid


def _inner_plane(grid: Floats, i: int) -> Floats:
    plane = grid[i]
    beside = plane[:-2, 1:-1] + plane[2:, 1:-1] + plane[1:-1, :-2] + plane[1:-1, 2:]
    return np.asarray((beside + grid[i - 1, 1:-1, 1:-1] + grid[i + 1, 1:-1, 1:-1]) / 6)


def _jacobi_wrapped(grid: Floats) -> Floats:
    beside = [np.roll(grid, step, axis) for axis in range(3) for step in (-1, 1)]
    return np.asarray(sum(beside) / 6)


def _steepest(a: Floats, b: Floats, tolerance: float = 1e-8) -> Solved:
    x, r = np.zeros_like(b), b.copy()
    norms = [float(np.sqrt(r @ r))]
    while norms[-1] > tolerance * norms[0] and len(norms) < 4000:
        image = a @ r
        step = (r @ r) / (r @ image)
        x, r = x + step * r, r - step * image
        norms.append(float(np.sqrt(r @ r)))
    return Solved(x, np.array(norms) / norms[0])


def _loose(a: Floats, b: Floats, tolerance: float = 1e-8) -> Solved:
    return conjugate_gradient(a, b, max(tolerance, 1e-3))


def _absolute(a: Floats, b: Floats, tolerance: float = 1e-8) -> Solved:
    return conjugate_gradient(a, b, tolerance / float(np.sqrt(b @ b)))


PLANTED: Mapping[str, Mapping[str, Program]] = {
    "AXPY": {
        "a left out": lambda a, x, y: x + y,
        "minus for plus": lambda a, x, y: a * x - y,
        "last element left out": _axpy_short,
        "writes over x": _axpy_in_place,
    },
    "GEMV": {
        "transposed": lambda a, x: a.T @ x,
        "last column left out": lambda a, x: a[:, :-1] @ x[:-1],
        "magnitudes": lambda a, x: np.abs(a @ x),
    },
    "GEMM": {
        "elementwise": lambda a, b: a * b,
        "second transposed": lambda a, b: a @ b.T,
        "square sizes only": _gemm_square,
        "exchanged": lambda a, b: b @ a,
    },
    "SpMV": {
        "empty rows get a neighbour's": _spmv_reduced,
        "last of each row left out": _spmv_shifted,
        "columns ignored": _spmv_in_order,
        "starts taken for columns": lambda v, c, s, x: np.array(
            [v[s[i] : s[i + 1]].sum() * x[i] for i in range(len(s) - 1)]
        ),
    },
    "Jacobi": {
        "1/8 for 1/6": lambda g: _inner(g, (_shifted(g, 0) + _shifted(g, 1) + _shifted(g, 2)) / 8),
        "third direction left out": lambda g: _inner(g, (_shifted(g, 0) + _shifted(g, 1)) / 4),
        "writes over its input": _jacobi_in_place,
        "wraps around the edge": _jacobi_wrapped,
        "does nothing": lambda g: g.copy(),
    },
    "CG": {
        "one array, two names": aliased_gradient,
        "steepest descent": _steepest,
        "stops at 0.1 %": _loose,
        "absolute tolerance": _absolute,
    },
}
"""By kernel and by bug."""
