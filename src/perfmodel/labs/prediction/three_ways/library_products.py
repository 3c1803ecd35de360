"""Products of one BLAS library through its C interface, whatever library NumPy uses.

The library is a shared file with `cblas_dgemm` and `cblas_sgemm`: `libmkl_rt` of the package
`mkl`, or the `libscipy_openblas64_` that NumPy brings. Passes are those of
`product_sweep.measure`: fresh processes on one core, each pass in an order of its own.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from perfmodel.labs.prediction.three_ways import product_sweep
from perfmodel.measurement import child
from perfmodel.measurement.cpu import blas
from perfmodel.measurement.runs import short_runs

if TYPE_CHECKING:
    import pandas as pd

ROUTINES = {"fp64": ("dgemm", ctypes.c_double), "fp32": ("sgemm", ctypes.c_float)}
ROW_MAJOR, AS_IT_IS = 101, 111
PREFIXED = (("cblas_", "", ctypes.c_int), ("scipy_cblas_", "64_", ctypes.c_int64))
"""What a library may put around the routines' names, and the integers that it then takes."""

Matrix = NDArray[Any]
Product = Callable[[Matrix, Matrix, Matrix], Callable[[], None]]


def product(library: Path, precision: str = "fp64") -> Product:
    """Return a function of A, B and C that returns the call which computes C = A B.

    The matrices are contiguous, in the order of C, and outlive the call. A shared library without
    such a routine is refused.
    """
    if precision not in ROUTINES:
        raise ValueError(f"precision must be one of {', '.join(ROUTINES)}, got {precision!r}")
    loaded, (routine, real) = ctypes.CDLL(str(library)), ROUTINES[precision]
    for before, after, integer in PREFIXED:
        found = getattr(loaded, f"{before}{routine}{after}", None)
        if found is not None:
            return _bound(found, real, integer)
    raise ValueError(f"library must have cblas_{routine}, got {library}")


def _bound(found: Any, real: Any, integer: Any) -> Product:
    sizes, matrix, order = [integer] * 3, ctypes.c_void_p, ctypes.c_int
    found.argtypes = [
        *(order, order, order, *sizes, real, matrix, integer, matrix, integer),
        *(real, matrix, integer),
    ]
    found.restype = None

    def call(a: Matrix, b: Matrix, c: Matrix) -> Callable[[], None]:
        (m, k), n = a.shape, b.shape[1]
        left, right, out = (one.ctypes.data for one in (a, b, c))
        form = (ROW_MAJOR, AS_IT_IS, AS_IT_IS, m, n, k)
        return partial(found, *form, 1.0, left, k, right, n, 0.0, out, n)

    return call


def sweep(
    library: str, wanted: list[blas.Shape], runs: int = 5, seconds: float = 1e-3
) -> list[dict[str, Any]]:
    """Time products of shapes (m, n, k) in both precisions in this process; a row for each.

    The shared library has been told to use one thread. A product is timed in some short runs of
    about `seconds`.
    """
    rows, random = [], np.random.default_rng(1)
    for precision in ROUTINES:
        multiply, kind = product(Path(library), precision), blas.DTYPES[precision]
        for m, n, k in wanted:
            a, b = (random.random(size).astype(kind) for size in ((m, k), (k, n)))
            c = np.zeros((m, n), kind)
            call = multiply(a, b, c)

            def run(times: int, call: Callable[[], None] = call) -> None:
                for _ in range(times):
                    call()

            repeats, lengths = short_runs(run, seconds, runs)
            each = np.asarray(lengths) / repeats
            times = {"median_seconds": float(np.median(each)), "best_seconds": float(each.min())}
            rows.append({"m": m, "n": n, "k": k, "precision": precision, **times, "runs": runs})
    return rows


def one_pass(library: Path, number: int, count: int, runs: int) -> pd.DataFrame:
    """Time `count` shapes in `runs` short runs each, in fresh processes on one core.

    The number of the pass also sets the order.
    """
    import pandas as pd

    wanted = blas.shapes(count)
    order = np.random.default_rng(number).permutation(len(wanted))
    shuffled = [wanted[place] for place in order]
    rows = []
    core = (max(os.sched_getaffinity(0)),)
    for first in range(0, count, product_sweep.CHUNK):
        some = shuffled[first : first + product_sweep.CHUNK]
        rows += child.run(sweep, str(library), some, runs, cores=core)
    return pd.DataFrame(rows).assign(**{"pass": number})[product_sweep.KEPT]
