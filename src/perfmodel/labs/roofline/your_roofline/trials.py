"""The reader's own roofline: one core's roof and ceilings, and kernels that are held against it.

The roof is made of capacities that were measured: multiply-adds in registers for the peak, the
faster of reading and the triad for the bandwidth. Bytes are those that *move*, here and in the
kernels' counts, so a line that is read before it is overwritten counts on both sides. Every kernel
runs on one core, and its intensity is counted beforehand from its description.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import threadpoolctl
from numpy.typing import ArrayLike
from scipy import sparse

from perfmodel.machines import Machine
from perfmodel.measurement.cpu import battery, latency, peak, stream
from perfmodel.measurement.cpu.caches import Hierarchy
from perfmodel.measurement.cpu.team import Team, usable
from perfmodel.measurement.runs import Runs, short_runs, timed
from perfmodel.roofline import intensity
from perfmodel.roofline.cache_levels import Level
from perfmodel.roofline.layer_conditions import stencil_kernel
from perfmodel.roofline.model import Ceiling, Kernel, Roofline
from perfmodel.validation import Floats, positive, sample, whole

MOST = 256 << 20
"""Bytes that a kernel's data take at most."""

ROW = 16
"""Nonzeros in each row of the sparse matrices."""

PER_READ = 24 / 32
"""Share of the triad's traffic that STREAM counts where a line is read before it is written."""


@dataclass(frozen=True)
class Core:
    """What one core of a machine can do, and what all can together."""

    peak: float
    """FLOP/s of one core, in double precision."""
    bandwidth: float
    """Bytes/s that move between one core and memory."""
    ceilings: tuple[Ceiling, ...]
    levels: tuple[Level, ...]
    """Reading bandwidth of one core from each cache and, last, from memory."""
    cores: int
    all_peak: float
    all_bandwidth: float

    @property
    def roof(self) -> Roofline:
        """One core's roofline, with those of its ceilings that lie below the roof."""
        held = tuple(c for c in self.ceilings if c.value < self.peak)
        return Roofline("one core", self.peak, self.bandwidth, held)

    @property
    def all_roof(self) -> Roofline:
        """The roofline of all cores together; never below that of one."""
        peak, bandwidth = max(self.all_peak, self.peak), max(self.all_bandwidth, self.bandwidth)
        return Roofline(f"{self.cores} cores", peak, bandwidth)


@dataclass(frozen=True)
class Trial:
    """A kernel's count, and a call that runs it once."""

    kernel: Kernel
    run: Callable[[], object]
    by: str
    """Who wrote the loop: numba, a BLAS library, SciPy."""


def in_core_peak(
    clock: ArrayLike, lanes: ArrayLike, pipes: ArrayLike = 2, fused: bool = True
) -> Floats:
    """Return a core's peak from its description: clock x lanes x pipes x 2 with fused multiply-add.

    Parameters
    ----------
    clock : array_like
        Hertz, at the moment of the measurement.
    lanes : array_like
        Numbers in a vector register.
    pipes : array_like
        Instructions of this kind that can start in a cycle.
    fused : bool
        Whether an instruction multiplies and adds.

    Examples
    --------
    >>> float(in_core_peak(3e9, 8)), float(in_core_peak(3e9, 1, fused=False))
    (96000000000.0, 6000000000.0)
    """
    width = positive("lanes", lanes) * positive("pipes", pipes)
    return np.asarray(positive("clock", clock) * width * (2 if fused else 1))


def measure_core(caches: Hierarchy, runs: int = 20) -> Core:
    """Measure roof and ceilings in a few seconds; the suite does it with more care.

    The best of so many `runs` of each kind counts. Raises Unavailable if this processor's kind is
    unknown, so that no machine code can be made for it.
    """
    widest, size = peak.widest("fp64"), data_bytes(caches)
    with Team(1) as team:
        rates = {v: peak.measure_peak(v, team, runs).best for v in peak.variants(["fp64"])}
        sizes = [(f"L{level.level}", bytes_) for level, bytes_ in battery.level_sizes(caches)]
        levels = tuple(
            Level(name, latency.measure_reading(bytes_, team, runs).best, float(bytes_))
            for name, bytes_ in [*sizes, ("memory", size)]
        )
        alone = max(levels[-1].bandwidth, _moved(team, size, runs))
    with Team(len(usable())) as team:
        everyone = peak.measure_peak(widest, team, runs).best
        reading = latency.measure_reading(size // len(team), team, runs).best
        together = max(reading, _moved(team, size, runs))
    held = _ceilings(rates, widest)
    return Core(rates[widest], alone, held, levels, len(usable()), everyone, together)


def raised(core: Core, saved: Machine) -> Core:
    """Return `core` with its roofs raised to what the suite once saw on the same machine.

    A capacity is the most that was ever seen: a busy moment can only lower it. Bandwidths of the
    suite are the triad's by STREAM's count, and become traffic here.
    """

    def best(here: float, quantity: str, per: float = 1.0) -> float:
        return max(here, saved.value(quantity) / per) if saved.has(quantity) else here

    return replace(
        core,
        peak=best(core.peak, "peak_fp64_one_core"),
        bandwidth=best(core.bandwidth, "memory_bandwidth_one_core", PER_READ),
        all_peak=best(core.all_peak, "peak_fp64"),
        all_bandwidth=best(core.all_bandwidth, "memory_bandwidth", PER_READ),
    )


def data_bytes(caches: Hierarchy) -> int:
    """Return the bytes of a kernel's data: four times the last cache, 64 to 256 MiB.

    >>> from perfmodel.measurement.cpu.caches import CacheLevel
    >>> data_bytes(Hierarchy((CacheLevel(3, 30 << 20, 4),), 64, "sysfs")) >> 20
    120
    """
    return min(max(battery.LEAST_BEYOND, 4 * caches.last_level()), MOST)


def trials(size: int, order: int = 1000, seed: int = 1) -> list[Trial]:
    """Return the kernels with their counts, each on about `size` bytes, the product apart.

    Parameters
    ----------
    size : int
        Bytes of a kernel's data, 1 MiB or more.
    order : int
        Rows and columns of the dense matrices.
    seed : int
        Of the values and of the scattered columns.
    """
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


def measure(
    trials: Sequence[Trial], team: Team, rounds: int = 4, seconds: float = 0.1
) -> list[Runs]:
    """Return the runs of kernels on the one core of `team`, each in the FLOP of its count.

    The kernels take turns, so that a busy moment hits none of them in every round. In a turn no
    pass over the data is begun after `seconds`, three apart. Libraries are held to one thread.
    """
    if len(team) != 1:
        raise ValueError(f"team must be one thread, got {len(team)}")
    times: list[list[Floats]] = [[] for _ in trials]
    with threadpoolctl.threadpool_limits(1):
        for _ in range(whole("rounds", rounds, 1)):
            for trial, found in zip(trials, times, strict=True):
                found.append(timed(partial(_once, trial, team), max_seconds=seconds))
    return [
        Runs(t.kernel.name, t.kernel.flops, "FLOP", np.concatenate(found), 1, team.pinned, t.by)
        for t, found in zip(trials, times, strict=True)
    ]


def dots(levels: Sequence[Level], team: Team, in_order: bool = False, runs: int = 20) -> Floats:
    """Return the FLOP/s of dot products whose data lie in each of `levels`, shape (levels,)."""
    from perfmodel.labs.roofline.your_roofline import kernels as your_kernels

    loop = your_kernels.again_in_order if in_order else your_kernels.again
    rates = []
    for level in levels:
        a, b = np.full((2, max(8, int(level.capacity or MOST) // 16)), 0.5)
        out = np.zeros(8)

        def run(times: int, a: Floats = a, b: Floats = b, out: Floats = out) -> float:
            return team.run(lambda _: loop(a, b, out, times))

        repeats, found = short_runs(run, 1e-3, runs)
        rates.append(2.0 * a.size * repeats / float(found.min()))
    return np.array(rates)


def left_out(kernels: Sequence[Kernel], rates: ArrayLike, roof: Roofline) -> dict[str, Floats]:
    """Predict each kernel's measured rate (FLOP/s) from the others', or from the roof alone.

    Returns
    -------
    dict of str to ndarray, shape (kernels,)
        FLOP/s: the roofline, which sees no rate at all; the roofline times the geometric mean of
        the other kernels' shares of it (graybox); a straight line through the other kernels, of log
        rate by log intensity (regression).
    """
    seen = positive("rates", sample("rates", rates, 3))
    if seen.size != len(kernels):
        raise ValueError(f"rates must have one value a kernel, got {seen.size} for {len(kernels)}")
    at = np.array([kernel.intensity for kernel in kernels])
    most = roof.attainable(at)
    shares = np.log(seen / most)
    others = (shares.sum() - shares) / (shares.size - 1)
    lines = []
    for k in range(at.size):
        keep = np.arange(at.size) != k
        slope, height = np.polyfit(np.log(at[keep]), np.log(seen[keep]), 1)
        lines.append(np.exp(height + slope * np.log(at[k])))
    return {
        "roofline": most,
        "roofline times the others' share": most * np.exp(others),
        "line through the others": np.array(lines),
    }


def _ceilings(rates: dict[peak.Variant, float], widest: peak.Variant) -> tuple[Ceiling, ...]:
    """Return what is left of the peak without vectors, fused multiply-adds, or both."""
    named = {
        "without FMA": replace(widest, fused=False),
        "without SIMD": replace(widest, vector_bits=0),
        "without both": replace(widest, vector_bits=0, fused=False),
    }
    names = named if widest.fused else {"without SIMD": named["without SIMD"]}
    return tuple(
        Ceiling(name, rates[named[name]], "compute") for name in names if named[name] in rates
    )


def _once(trial: Trial, team: Team) -> float:
    return team.run(lambda _: trial.run())


def _moved(team: Team, size: int, runs: int) -> float:
    """Return the triad's traffic in bytes/s, read lines that are overwritten included."""
    triad = stream.stream_loops()["triad"]
    found = stream.measure_bandwidth(triad, stream.Arrays(team, size // 3), runs, max_seconds=0.3)
    return found.best * triad.moved / triad.counted


def _matrix(rows: int, scattered: bool, random: np.random.Generator) -> sparse.csr_matrix:
    """Return a square matrix with `ROW` nonzeros a row, beside the diagonal or anywhere."""
    place = np.arange(rows, dtype=np.int32)[:, None] + np.arange(ROW, dtype=np.int32)
    columns = random.integers(rows, size=place.shape, dtype=np.int32) if scattered else place % rows
    starts = np.arange(0, rows * ROW + 1, ROW, dtype=np.int32)
    parts = (np.full(rows * ROW, 0.5), columns.ravel(), starts)
    return sparse.csr_matrix(parts, shape=(rows, rows))
