"""Wrong versions of the six kernels, each with one bug of a kind that people and models write."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perfmodel.benchmarking.mutants import Program
from perfmodel.labs.benchmarking.codex_hpc.conjugate_gradient import (
    Solved,
    aliased_gradient,
    conjugate_gradient,
)
from perfmodel.labs.benchmarking.codex_hpc.kernels import Whole
from perfmodel.validation import Floats


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
