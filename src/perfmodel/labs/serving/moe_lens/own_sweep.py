"""Your machine sweeps a matrix of weights from a mapped file and multiplies it by a batch.

The rate of reading and that of computing are measured apart: the matrix is read once from end to
end, and a small matrix that caches hold is multiplied. From the two comes the time of a sweep by
its batch, before a sweep was timed. One thread; the file is temporary and deleted.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

from perfmodel.measurement import median_interval, timed_in_turns
from perfmodel.serving import saturating_tokens
from perfmodel.validation import Floats, whole

WIDTH = 4096
"""Rows and columns of the matrix."""
SMALL = 512
"""Rows and columns of the one in the caches."""
WEIGHT = 4
"""Bytes of a weight."""
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128)
DOUBLED = 2.0
"""Times as long as for two vectors: there arithmetic is said to have taken over."""
Clock = Callable[[], float]


@dataclass(frozen=True, eq=False)
class SweepTimes:
    """Seconds of each repetition."""

    reading: Floats
    """Of reading the matrix once, shape (repeats,)."""
    computing: Floats
    """Of a small product, shape (repeats,)."""
    sweeps: Floats
    """Of a sweep with each batch, shape (batches, repeats)."""
    batches: Sequence[int] = BATCHES
    """Vectors that share a sweep; the first two are 1 and 2."""
    width: int = WIDTH
    """Rows and columns of the matrix."""

    @property
    def read_rate(self) -> float:
        """Bytes/s, median."""
        return float(WEIGHT * self.width**2 / np.median(self.reading))

    @property
    def compute_rate(self) -> float:
        """FLOP/s, median."""
        return float(2 * SMALL**3 / np.median(self.computing))

    @property
    def corner(self) -> float:
        """Vectors for which computing takes as long as reading."""
        return float(saturating_tokens(self.compute_rate, self.read_rate, 2 / WEIGHT))

    @property
    def expected(self) -> tuple[float, float, float]:
        """Batch at which a sweep takes twice as long as for two if both overlap, and its ends.

        The ends are those at which both times lie at an end of their intervals (95 % each).
        """
        (fast, slow), (quick, tardy) = map(median_interval, (self.reading, self.computing))
        ends = (
            self.corner * read / np.median(self.reading) * np.median(self.computing) / compute
            for read, compute in ((fast, tardy), (slow, quick))
        )
        middle, low, high = (DOUBLED * max(float(corner), 2.0) for corner in (self.corner, *ends))
        return middle, low, high

    def forecast(self, batch: float) -> tuple[float, float]:
        """Return the seconds of a sweep if reading and computing overlap, and if they don't."""
        read = WEIGHT * self.width**2 / self.read_rate
        compute = 2 * self.width**2 * batch / self.compute_rate
        return max(read, compute), read + compute

    @property
    def doubling(self) -> tuple[float, float, float]:
        """Batch at which a sweep takes twice as long as for two: median and interval's ends.

        For a single vector libraries take another way. Each repetition's times are interpolated on
        logarithms; infinite where none is so long.
        """
        logs = np.log(np.asarray(self.batches, np.float64))
        batches = []
        for times in self.sweeps.T:
            longer = np.flatnonzero(times[2:] >= DOUBLED * times[1])
            if not longer.size:
                batches.append(np.inf)
                continue
            index = int(longer[0]) + 2
            ends = np.log(times[index - 1 : index + 1] / times[1] / DOUBLED)
            batches.append(float(np.exp(np.interp(0.0, ends, logs[index - 1 : index + 1]))))
        ordered = np.sort(batches)
        if not np.isfinite(ordered).all():
            return float(np.median(ordered)), float(ordered[0]), np.inf
        low, high = median_interval(ordered)
        return float(np.median(ordered)), low, high


def time_sweeps(
    width: int = WIDTH,
    repeats: int = 7,
    batches: Sequence[int] = BATCHES,
    folder: Path | None = None,
    clock: Clock = perf_counter,
) -> SweepTimes:
    """Map a matrix from a temporary file, and time reading, computing and sweeps in turns.

    By one thread; sweeps have `batches` vectors, rising from 1 and 2. One repetition more is made
    first and left out, after which the file's pages are in memory.
    """
    count, side = whole("repeats", repeats, 6), whole("width", width, 1)
    sizes = [whole("batches", batch, 1) for batch in batches]
    if sizes[:2] != [1, 2] or (np.diff(sizes) <= 0).any():
        raise ValueError(f"batches must rise from 1 and 2, got {list(batches)}")
    rng = np.random.default_rng(0)
    small = rng.random((SMALL, SMALL), np.float32)
    vectors = rng.random((side, sizes[-1]), np.float32)
    inputs = [np.ascontiguousarray(vectors[:, :size]) for size in sizes]
    with tempfile.TemporaryDirectory(dir=folder) as temporary, threadpool_limits(1):
        path = Path(temporary) / "weights"
        rng.random((side, side), np.float32).tofile(path)
        weights = np.memmap(path, np.float32, "r", shape=(side, side))
        flat = weights.reshape(-1)
        factors = [(flat, flat), (small, small), *((weights, vectors) for vectors in inputs)]
        works = [partial(_multiply, *pair) for pair in factors]
        measured = timed_in_turns(works, count, clock=clock)
        del weights, flat, factors, works
    return SweepTimes(measured[0], measured[1], measured[2:], tuple(sizes), side)


def conclusion(times: SweepTimes) -> str:
    """Return a sentence that compares the measured doubling with the forecast."""
    expected, earliest, latest = times.expected
    said = (
        f"Reading at {times.read_rate / 1e9:.1f} GB/s and computing at "
        f"{times.compute_rate / 1e9:.0f} GFLOP/s take equally long for {times.corner:.0f} "
        "vectors. If they overlap, a sweep takes twice as long as with two vectors at "
        f"{expected:.0f} vectors ({earliest:.0f} to {latest:.0f}); "
    )
    median, low, high = times.doubling
    if not np.isfinite(high):
        return said + (
            f"in some repetitions it didn't up to {times.batches[-1]}, so this can't be tested."
        )
    said += f"measured: {median:.0f} ({low:.0f} to {high:.0f}, 95 %). "
    ratio = np.median(times.sweeps[1]) / times.forecast(2)[0]
    if low <= latest and earliest <= high:
        said += "The intervals overlap, so there is no clear difference. "
    elif high < earliest:
        said += (
            "It comes earlier. Reading and computing may overlap only in part, or this product may "
            "compute more slowly than the small one. "
        )
    else:
        said += "It comes later. "
    return said + (
        f"With two vectors a sweep took {ratio:.1f} times the forecast"
        + (
            ". The library may copy the weights into another order first, which costs as much as "
            "several vectors' arithmetic."
            if ratio > 1.25
            else "."
        )
    )


def _multiply(left: np.ndarray, right: np.ndarray) -> None:
    left @ right
