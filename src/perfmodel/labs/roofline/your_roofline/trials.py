"""Kernels that are compared with the reader's own roofline: counted beforehand, then run.

Every kernel runs on one core, and its intensity is counted from its description; bytes are those
that *move*, so a line that is read before it is overwritten counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import threadpoolctl
from numpy.typing import ArrayLike
from scipy import sparse

from perfmodel.labs.roofline.your_roofline.core import MOST
from perfmodel.measurement.cpu.pinned_threads import PinnedThreads
from perfmodel.measurement.runs import Runs, short_runs, timed
from perfmodel.roofline import intensity
from perfmodel.roofline.cache_levels import MemoryLevel
from perfmodel.roofline.layer_conditions import stencil_kernel
from perfmodel.roofline.model import Kernel, Roofline
from perfmodel.validation import Floats, positive, sample, whole

ROW = 16
"""Nonzeros in each row of the sparse matrices."""


@dataclass(frozen=True)
class Trial:
    """A kernel's count, and a call that runs it once."""

    kernel: Kernel
    run: Callable[[], object]
    by: str
    """Who wrote the loop: numba, a BLAS library, SciPy."""


def trials(size: int, order: int = 1000, seed: int = 1) -> list[Trial]:
    """Return the kernels with their counts, each on about `size` bytes, the product apart."""
    from perfmodel.labs.roofline.your_roofline import kernels as your_kernels
    from perfmodel.measurement.cpu import stream_kernels

    count, n = whole("size", size, 1 << 20) // 8, whole("order", order, 1)
    random = np.random.default_rng(seed)
    a, b, c = (random.random(count // 3) for _ in range(3))
    side = int((count / 2) ** 0.5)
    u, v = random.random((side, side)), np.zeros((side, side))
    weights = (0.5, 0.125, 0.125, 0.125, 0.125)
    left, right, product = random.random((n, n)), random.random((n, n)), np.empty((n, n))
    near, far = (_matrix(size // (12 * ROW), scattered, random) for scattered in (False, True))
    x = random.random(near.shape[0])
    triad = replace(intensity.stream_kernel("triad", a.size), name="triad")
    inner = Kernel("dot", 2.0 * a.size, 16.0 * a.size)
    points = replace(stencil_kernel((side - 2, side - 2)), name="stencil")
    dense = replace(intensity.gemm_kernel(n, n, n), name="GEMM")
    rows = near.shape[0]
    banded = replace(intensity.spmv_kernel(rows, near.nnz), name="SpMV banded")
    return [
        Trial(triad, lambda: stream_kernels.triad(a, b, c), "numba"),
        Trial(inner, lambda: your_kernels.dot(b, c), "numba"),
        Trial(points, lambda: your_kernels.five_points(u, v, weights), "numba"),
        Trial(banded, lambda: near @ x, "SciPy"),
        Trial(replace(banded, name="SpMV scattered"), lambda: far @ x, "SciPy"),
        Trial(dense, lambda: np.matmul(left, right, out=product), "NumPy's BLAS"),
    ]


def measure_trials(
    trials: Sequence[Trial], team: PinnedThreads, rounds: int = 4, seconds: float = 0.1
) -> list[Runs]:
    """Return the runs of the `trials` on the one core of `team`, each in the FLOP of its count.

    The kernels take turns in `rounds` rounds, so that a busy moment hits none of them in every
    round. In a turn no pass over the data is begun after `seconds`, three apart. Libraries are held
    to one thread.
    """
    if len(team) != 1:
        raise ValueError(f"team must be one thread, got {len(team)}")
    times: list[list[Floats]] = [[] for _ in trials]
    with threadpoolctl.threadpool_limits(1):
        for _ in range(whole("rounds", rounds, 1)):
            for trial, passes in zip(trials, times, strict=True):
                passes.append(timed(partial(_once, trial, team), max_seconds=seconds))
    return [
        Runs(t.kernel.name, t.kernel.flops, "FLOP", np.concatenate(passes), 1, team.pinned, t.by)
        for t, passes in zip(trials, times, strict=True)
    ]


def dots(
    levels: Sequence[MemoryLevel], team: PinnedThreads, in_order: bool = False, runs: int = 20
) -> Floats:
    """Return the FLOP/s of dot products whose data lie in each of `levels`, shape (levels,).

    On the one core of `team`, added in whatever order is fastest or `chronological_split`; the best
    of this many `runs` counts.
    """
    from perfmodel.labs.roofline.your_roofline import kernels as your_kernels

    loop = your_kernels.again_in_order if in_order else your_kernels.again
    rates = []
    for level in levels:
        a, b = np.full((2, max(8, int(level.capacity or MOST) // 16)), 0.5)
        out = np.zeros(8)

        def run(times: int, a: Floats = a, b: Floats = b, out: Floats = out) -> float:
            return team.run(lambda _: loop(a, b, out, times))

        repeats, seconds = short_runs(run, 1e-3, runs)
        rates.append(2.0 * a.size * repeats / float(seconds.min()))
    return np.array(rates)


def leave_one_out(kernels: Sequence[Kernel], rates: ArrayLike, roof: Roofline) -> dict[str, Floats]:
    """Predict each kernel's measured rate (FLOP/s) from the others', or from the roof alone.

    By the roofline, which sees no rate at all; the roofline times the geometric mean of the other
    kernels' shares of it (graybox); a straight line through the other kernels, of log rate by log
    intensity (regression).
    """
    measured = positive("rates", sample("rates", rates, 3))
    if measured.size != len(kernels):
        raise ValueError(
            f"rates must have one value a kernel, got {measured.size} for {len(kernels)}"
        )
    at = np.array([kernel.intensity for kernel in kernels])
    attainable = roof.attainable(at)
    fractions = np.log(measured / attainable)
    others = (fractions.sum() - fractions) / (fractions.size - 1)
    lines = []
    for k in range(at.size):
        keep = np.arange(at.size) != k
        slope, height = np.polyfit(np.log(at[keep]), np.log(measured[keep]), 1)
        lines.append(np.exp(height + slope * np.log(at[k])))
    return {
        "roofline": attainable,
        "roofline times the others' share": attainable * np.exp(others),
        "line through the others": np.array(lines),
    }


def _once(trial: Trial, team: PinnedThreads) -> float:
    return team.run(lambda _: trial.run())


def _matrix(rows: int, scattered: bool, random: np.random.Generator) -> sparse.csr_matrix:
    """Return a square matrix with `ROW` nonzeros a row, near the diagonal or anywhere."""
    index = np.arange(rows, dtype=np.int32)[:, None] + np.arange(ROW, dtype=np.int32)
    columns = random.integers(rows, size=index.shape, dtype=np.int32) if scattered else index % rows
    starts = np.arange(0, rows * ROW + 1, ROW, dtype=np.int32)
    parts = (np.full(rows * ROW, 0.5), columns.ravel(), starts)
    return sparse.csr_matrix(parts, shape=(rows, rows))
