"""Matrix products timed on a processor: the course's own data for comparing predictors.

Each shape is timed in several passes. A pass visits all shapes in its own random order, in fresh
processes pinned to one core. So luck of a process and drift of the machine show as noise between
passes, not as an effect of the shape.

The best run of all passes counts, because it is the least disturbed. On a rented core a neighbour
may halve the rate for minutes, and the median of one session doesn't show it. The noise floor is
how far the second best pass lies above the best pass.

A sweep can also call one BLAS library through its C interface, whatever library NumPy uses.

The library is a shared file with `cblas_dgemm` and `cblas_sgemm`: `libmkl_rt` of the package
`mkl`, or the `libscipy_openblas64_` that NumPy brings. Passes are those of
`product_sweep.measure`: fresh processes on one core, each pass in an order of its own.

>>> runs = recorded()
>>> runs[["m", "n", "k"]].drop_duplicates().shape[0], sorted(set(runs["precision"]))
(800, ['fp32', 'fp64'])
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from perfmodel.measurement import child
from perfmodel.measurement.cpu import blas
from perfmodel.measurement.runs import short_runs
from perfmodel.validation import one_of, positive, whole

if TYPE_CHECKING:
    import pandas as pd

RECORDED = "gemm_cpu"
CHUNK = 50
"""Shapes that one process measures."""
NEEDED = ("m", "n", "k", "precision", "pass", "best_seconds")
KEPT = ["m", "n", "k", "precision", "pass", "median_seconds", "best_seconds", "runs"]


def measure(
    count: int = 800,
    precisions: Sequence[str] = ("fp32", "fp64"),
    passes: int = 6,
    runs: int = 9,
    progress: bool = True,
) -> pd.DataFrame:
    """Time matrix products of many shapes, sizes 16 to 2048, on one core of this machine.

    Each shape is measured in `passes` different processes, 2 or more, in `runs` short runs each. A
    row for each shape, precision and pass: `m`, `n`, `k`, `precision`, `pass`, `median_seconds` and
    `best_seconds` of one product, `runs`. The library and the machine are in `attrs`.
    """
    import pandas as pd
    from rich.progress import track

    whole("passes", passes, 2)
    chunks = [(number, chunk) for number in range(passes) for chunk in _chunks(count, number)]
    frames, attributes = [], {}
    core = last_core()
    for number, chunk in track(chunks, "matrix products", disable=not progress):
        times = child.run(blas.sweep, chunk, tuple(precisions), (1,), runs, cores=core)
        attributes = times.attrs
        frames.append(times.assign(**{"pass": number}))
    together = pd.concat(frames, ignore_index=True)[KEPT]
    together = together.sort_values(["precision", "m", "n", "k", "pass"], ignore_index=True)
    together.attrs = attributes
    return together


def _chunks(count: int, number: int) -> list[list[blas.Shape]]:
    """Return the shapes in the order of a pass, cut into what one process measures."""
    wanted = blas.shapes(count)
    shuffled = [wanted[index] for index in np.random.default_rng(number).permutation(len(wanted))]
    return [shuffled[first : first + CHUNK] for first in range(0, len(wanted), CHUNK)]


def last_core() -> tuple[int] | None:
    """Return the last core that this process may use, because the first takes most interrupts."""
    return (max(os.sched_getaffinity(0)),) if hasattr(os, "sched_getaffinity") else None


def recorded() -> pd.DataFrame:
    """Return the sweep that comes with the course, as `measure` made it on one machine.

    Its `attrs` say which machine, library, versions and date.

    >>> recorded().attrs["library"]["name"]
    'openblas'
    """
    return _recorded().copy()


@cache
def _recorded() -> Any:
    with resources.as_file(resources.files(__package__) / f"{RECORDED}.csv") as path:
        return blas.load(path)


def best(frame: pd.DataFrame, precision: str = "fp64") -> pd.DataFrame:
    """Return the best time of each shape over all passes.

    Columns: `m`, `n`, `k`, `word` (bytes of an element), `seconds` of the best pass, and `second`,
    the seconds of the second best.

    >>> times = best(recorded())
    >>> bool((times["seconds"] <= times["second"]).all())
    True
    """
    missing = [name for name in NEEDED if name not in frame]
    if missing:
        raise ValueError(
            f"frame must have the columns {', '.join(NEEDED)}, got none named {', '.join(missing)}"
        )
    for name in ("m", "n", "k", "pass"):
        if frame[name].isna().any():
            raise ValueError(f"{name} must have no missing value, got {frame[name].isna().sum()}")
    if precision not in set(frame["precision"]):
        raise ValueError(
            f"precision must be one of {', '.join(sorted(set(frame['precision'])))}, "
            f"got {precision!r}"
        )
    chosen = frame[frame["precision"] == precision]
    table = chosen.pivot_table(index=["m", "n", "k"], columns="pass", values="best_seconds")
    positive("best_seconds", chosen["best_seconds"].to_numpy())
    if int((counted := table.notna().sum(axis=1)).min()) < 2:
        raise ValueError(
            f"frame must have 2 passes or more of every product, got {int(counted.min())} of "
            f"{' x '.join(map(str, counted.idxmin()))} in {precision}"
        )
    times = table.index.to_frame(index=False)
    times["word"] = np.dtype(blas.DTYPES[precision]).itemsize
    ordered = np.sort(table.to_numpy(), axis=1)
    times["seconds"], times["second"] = ordered[:, 0], ordered[:, 1]
    return times


def save(frame: pd.DataFrame, path: str | Path) -> tuple[Path, Path]:
    """Write a sweep of your own as PATH.csv with its origin in PATH.json; `load` reads it."""
    return blas.save(frame, Path(path))


def load(path: str | Path) -> pd.DataFrame:
    """Read a sweep that `save` wrote."""
    return blas.load(Path(path))


ROUTINES = {"fp64": ("dgemm", ctypes.c_double), "fp32": ("sgemm", ctypes.c_float)}
ROW_MAJOR, AS_IT_IS = 101, 111
PREFIXED = (("cblas_", "", ctypes.c_int), ("scipy_cblas_", "64_", ctypes.c_int64))
"""Prefixes and suffixes of the routines' names, and the integer type that each implies."""

Matrix = NDArray[Any]
Product = Callable[[Matrix, Matrix, Matrix], Callable[[], None]]


def product(library: Path, precision: str = "fp64") -> Product:
    """Return a function of A, B and C that returns the call which computes C = A B.

    The matrices are contiguous, in the order of C, and outlive the call. A shared library without
    such a routine is refused.
    """
    one_of("precision", precision, ROUTINES)
    loaded, (routine, real) = ctypes.CDLL(str(library)), ROUTINES[precision]
    for before, after, integer in PREFIXED:
        function = getattr(loaded, f"{before}{routine}{after}", None)
        if function is not None:
            return _bound(function, real, integer)
    raise ValueError(f"library must have cblas_{routine}, got {library}")


def _bound(function: Any, real: Any, integer: Any) -> Product:
    sizes, matrix, order = [integer] * 3, ctypes.c_void_p, ctypes.c_int
    function.argtypes = [
        *(order, order, order, *sizes, real, matrix, integer, matrix, integer),
        *(real, matrix, integer),
    ]
    function.restype = None

    def call(a: Matrix, b: Matrix, c: Matrix) -> Callable[[], None]:
        (m, k), n = a.shape, b.shape[1]
        left, right, out = (array.ctypes.data for array in (a, b, c))
        form = (ROW_MAJOR, AS_IT_IS, AS_IT_IS, m, n, k)
        return partial(function, *form, 1.0, left, k, right, n, 0.0, out, n)

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
            per_product = np.asarray(lengths) / repeats
            times = {
                "median_seconds": float(np.median(per_product)),
                "best_seconds": float(per_product.min()),
            }
            rows.append({"m": m, "n": n, "k": k, "precision": precision, **times, "runs": runs})
    return rows


def one_pass(library: Path, number: int, count: int, runs: int) -> pd.DataFrame:
    """Time `count` shapes in `runs` short runs each, in fresh processes on one core.

    The number of the pass also sets the order.
    """
    import pandas as pd

    rows = []
    for chunk in _chunks(count, number):
        rows += child.run(sweep, str(library), chunk, runs, cores=last_core())
    return pd.DataFrame(rows).assign(**{"pass": number})[KEPT]
