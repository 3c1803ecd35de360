"""Tests of the six kernels: examples, and properties that hold for every right version."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from perfmodel.benchmarking.mutants import Program, PropertyTest
from perfmodel.labs.benchmarking.codex_hpc.conjugate_gradient import (
    conjugate_gradient,
    laplacian,
    right_hand_side,
)
from perfmodel.labs.benchmarking.codex_hpc.kernels import axpy, gemm, gemv, jacobi, spmv
from perfmodel.validation import Floats

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
