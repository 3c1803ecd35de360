"""The six kernels ready to run, and the two rates of a machine that predict their times."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import scipy.sparse as sparse

from perfmodel.labs.benchmarking.codex_hpc.conjugate_gradient import conjugate_gradient
from perfmodel.labs.benchmarking.codex_hpc.kernels import axpy, gemm, gemv, jacobi
from perfmodel.measurement.runs import timed
from perfmodel.roofline.model import Kernel
from perfmodel.validation import Floats, one_of, positive, whole

SIZES = {
    "AXPY": 4_000_000,
    "GEMV": 3000,
    "GEMM": 600,
    "SpMV": 400_000,
    "Jacobi": 120,
    "CG": 400_000,
}
"""n of each kernel as measured in the lab: elements, rows, or points in each direction."""
NONZEROS = 7
"""Entries in a row of the sparse matrices: a point of a grid and its six neighbours."""


def kernel(name: str, n: int, nonzeros: float = NONZEROS) -> Kernel:
    """Return the work and the traffic of a kernel with words of 8 bytes and indices of 4.

    Each array is moved once and what is written isn't read first. AXPY: 2n FLOP, 24n bytes; GEMV of
    n x n: 2n^2, 8n^2 + 16n; GEMM: 2n^3, 32n^2; SpMV with z entries a row: 2zn, (12z + 20)n; a sweep
    of Jacobi over n^3 points: 6n^3, 16n^3; an iteration of CG: (2z + 10)n, (12z + 116)n.

    >>> round(kernel("AXPY", 1000).intensity, 4), kernel("GEMM", 160).intensity
    (0.0833, 10.0)
    """
    size, z = whole("n", n, 1), float(positive("nonzeros", nonzeros))
    amounts = {
        "AXPY": (2 * size, 24 * size),
        "GEMV": (2 * size**2, 8 * size**2 + 16 * size),
        "GEMM": (2 * size**3, 32 * size**2),
        "SpMV": (2 * z * size, (12 * z + 20) * size),
        "Jacobi": (6 * size**3, 16 * size**3),
        "CG": ((2 * z + 10) * size, (12 * z + 116) * size),
    }
    one_of("name", name, amounts)
    flops, moved = amounts[name]
    return Kernel(name, float(flops), float(moved))


ITERATIONS = 5
"""Of conjugate gradients in one run."""


def grid_matrix(points: int) -> sparse.csr_matrix:
    """Return the matrix of second differences on a cube of points, shape (points^3, points^3).

    >>> grid_matrix(3).shape, float(grid_matrix(3).max())
    ((27, 27), 6.0)
    """
    n = whole("points", points, 1)
    line = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
    identity = sparse.identity(n)
    parts = [
        sparse.kron(sparse.kron(a, b), c)
        for a, b, c in (
            (line, identity, identity),
            (identity, line, identity),
            (identity, identity, line),
        )
    ]
    return sparse.csr_matrix(parts[0] + parts[1] + parts[2])


def prepared() -> dict[str, tuple[Kernel, Callable[[], object]]]:
    """Return for each kernel what the model is asked about, and a call that does it.

    SpMV and CG run through SciPy's compiled product, as a loop over rows in Python would be timed
    for Python's sake. CG counts `ITERATIONS` iterations.
    """
    n = SIZES["AXPY"]
    x, y = np.ones(n), np.ones(n)
    square, product = np.ones((SIZES["GEMV"],) * 2), np.ones((SIZES["GEMM"],) * 2)
    matrix = grid_matrix(round(SIZES["SpMV"] ** (1 / 3)))
    rows = matrix.shape[0]
    right = np.random.default_rng(2).standard_normal(rows)
    calls: dict[str, Callable[[], object]] = {
        "AXPY": partial(axpy, 2.0, x, y),
        "GEMV": partial(gemv, square, np.ones(SIZES["GEMV"])),
        "GEMM": partial(gemm, product, product),
        "SpMV": lambda: matrix @ right,
        "Jacobi": partial(jacobi, np.ones((SIZES["Jacobi"],) * 3)),
        "CG": partial(conjugate_gradient, matrix, right, max_iterations=ITERATIONS),
    }
    sizes = SIZES | {"SpMV": rows, "CG": rows}
    work = {name: kernel(name, sizes[name], min(NONZEROS, matrix.nnz / rows)) for name in calls}
    iteration = work["CG"]
    work["CG"] = Kernel("CG", ITERATIONS * iteration.flops, ITERATIONS * iteration.bytes)
    return {name: (work[name], call) for name, call in calls.items()}


def seconds(call: Callable[[], object], runs: int = 7) -> Floats:
    """Return the seconds of some calls, whatever they return, after one that isn't timed.

    >>> seconds(list, 3).shape
    (3,)
    """

    def run() -> None:
        call()

    return timed(run, runs)


def machine_rates(runs: int = 7) -> tuple[float, float]:
    """Return the peak (FLOP/s, of products) and bandwidth (bytes/s, of sums) of NumPy here."""
    a = np.ones((1000, 1000))
    out = np.empty_like(a)
    peak = 2e9 / seconds(lambda: np.matmul(a, a, out=out), runs).min()
    x, y, z = (np.ones(8_000_000) for _ in range(3))
    bandwidth = 24.0 * x.size / seconds(lambda: np.add(x, y, out=z), runs).min()
    return float(peak), float(bandwidth)
