"""STREAM over array sizes on this machine, the model fitted to it, and two programs compared.

A sweep times one loop at many sizes. `fit` finds the overhead and the bandwidth of `traffic` in it.
`ratio_of_medians` and `permutation_p_value` test whether two samples of times differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, stats

from perfmodel.labs.measurement.stream_on_your_machine.traffic import SCALAR
from perfmodel.measurement.cpu.pinned_threads import PinnedThreads, static_chunks
from perfmodel.measurement.cpu.stream import UNIT, Pass
from perfmodel.measurement.runs import short_runs
from perfmodel.measurement.statistics.intervals import RESAMPLES, check_level, percentile_interval
from perfmodel.validation import Floats, positive, sample, whole

SizedLoop = Callable[[int], Callable[[], object]]
"""Takes a number of elements and returns the call that runs the loop over them."""


def numpy_triad(a: Floats, b: Floats, c: Floats) -> None:
    """Set a = b + 3 c in two passes that write where they are told to."""
    np.multiply(c, SCALAR, out=a)
    np.add(a, b, out=a)


def single_thread(loop: Pass, a: Floats, b: Floats, c: Floats) -> SizedLoop:
    """Return the job that calls `loop` directly on one thread, on the beginnings of a, b and c."""

    def job(elements: int) -> Callable[[], object]:
        x, y, z = a[:elements], b[:elements], c[:elements]
        return lambda: loop(x, y, z)

    return job


def threaded(team: PinnedThreads, loop: Pass, a: Floats, b: Floats, c: Floats) -> SizedLoop:
    """Return the job in which each thread of `team`, started again, has its part of a, b, c."""

    def job(elements: int) -> Callable[[], object]:
        parts = [(a[part], b[part], c[part]) for part in static_chunks(elements, len(team), UNIT)]
        return lambda: team.run(lambda member: loop(*parts[member]))

    return job


@dataclass(frozen=True, eq=False)
class Sweep:
    """LoopTimes of one loop at several sizes."""

    elements: np.ndarray
    """Of each array, shape (sizes,)."""
    counted: int
    """Bytes that the loop counts an element."""
    seconds: Floats
    """Of a call, shape (sizes, runs)."""

    def __post_init__(self) -> None:
        """Refuse times that don't belong to the sizes."""
        if np.ndim(self.seconds) != 2 or len(self.seconds) != len(self.elements):
            raise ValueError(
                f"seconds must have a row for each of the {len(self.elements)} sizes, "
                f"got shape {np.shape(self.seconds)}"
            )
        positive("elements", self.elements)
        positive("seconds", self.seconds)

    @property
    def traffic(self) -> Floats:
        """Counted bytes of a call, shape (sizes,)."""
        return np.asarray(self.counted * self.elements, float)

    @property
    def rates(self) -> Floats:
        """Counted bytes/s in the median run, shape (sizes,)."""
        return np.asarray(self.traffic / np.median(self.seconds, axis=1))

    def within(self, low: float, high: float) -> Sweep:
        """Return the sizes of which `low` to `high` elements."""
        chosen = (self.elements >= low) & (self.elements <= high)
        return Sweep(self.elements[chosen], self.counted, self.seconds[chosen])


def sweep(
    job: SizedLoop, sizes: Sequence[int], counted: int, *, seconds: float = 1e-3, runs: int = 15
) -> Sweep:
    """Time a loop of `counted` bytes an element at each size, in runs of about `seconds`."""
    rows = []
    for elements in sizes:
        call = job(whole("sizes", elements, 1))
        count, lengths = short_runs(_repeated(call), seconds, runs)
        rows.append(lengths / count)
    return Sweep(np.asarray(sizes), counted, np.array(rows))


@dataclass(frozen=True)
class Fit:
    """Overhead and bandwidth of a loop, with 95 % bootstrap intervals over its runs."""

    overhead: float
    """Seconds."""
    bandwidth: float
    """Counted bytes/s; infinite where times that don't grow with the size bound none from above."""
    overhead_interval: tuple[float, float]
    bandwidth_interval: tuple[float, float]
    half_size_interval: tuple[float, float]
    residuals: Floats = field(compare=False)
    """Measured median over fitted time, less 1, shape (sizes,)."""

    @property
    def half_size(self) -> float:
        """Counted bytes at which half of the bandwidth is reached."""
        return self.overhead * self.bandwidth


def fit(measured: Sweep, resamples: int = 400, seed: int = 0) -> Fit:
    """Fit T = T_fork + Q / B to the medians of a sweep, with equal weights for all sizes.

    Relative residuals are made small, because times of small loops are short and as well known as
    the others. Neither T_fork nor 1 / B may be negative. If a disturbance outweighs the bytes, 1 /
    B is 0, and B and an end of its interval are infinite. The intervals resample the runs at each
    size. They don't cover a wrong model, for example sizes that span two levels of cache.
    """
    if len(measured.elements) < 3:
        raise ValueError(f"measured must have three sizes or more, got {len(measured.elements)}")
    medians = np.median(measured.seconds, axis=1)
    overhead, pace = _fitted(measured.traffic, medians)
    rng = np.random.default_rng(seed)
    draws = []
    for _ in range(whole("resamples", resamples, 1)):
        drawn = rng.choice(measured.seconds, measured.seconds.shape[1], axis=1)
        draws.append(_fitted(measured.traffic, np.median(drawn, axis=1)))
    overheads, paces = np.transpose(draws)
    bandwidths = _inverse(paces)
    return Fit(
        overhead,
        float(_inverse(pace)),
        overhead_interval=percentile_interval(overheads),
        bandwidth_interval=percentile_interval(bandwidths),
        half_size_interval=percentile_interval(overheads * bandwidths),
        residuals=medians / (overhead + measured.traffic * pace) - 1,
    )


def ratio_of_medians(
    first: ArrayLike, second: ArrayLike, confidence: float = 0.95
) -> tuple[float, float, float]:
    """Return the median of the second sample over the first's, and its bootstrap interval.

    >>> ratio_of_medians([1.0, 1.0, 1.0], [2.0, 2.0, 2.0])
    (2.0, 2.0, 2.0)
    """
    x = positive("first", sample("first", first, 2))
    y = positive("second", sample("second", second, 2))
    ratio = float(np.median(y) / np.median(x))
    if not (np.ptp(x) or np.ptp(y)):
        return ratio, ratio, ratio
    ends = stats.bootstrap(
        (x, y),
        lambda x, y, axis: np.median(y, axis=axis) / np.median(x, axis=axis),
        n_resamples=RESAMPLES,
        confidence_level=check_level(confidence),
        method="percentile",
        random_state=np.random.default_rng(0),
    ).confidence_interval
    return ratio, float(ends.low), float(ends.high)


def permutation_p_value(first: ArrayLike, second: ArrayLike, seed: int = 0) -> float:
    """Return the p-value of a permutation test of the two medians.

    If both programs were the same, the labels of the times would mean nothing: the share of
    shuffled labels that make the logarithms of the medians differ as much as they do. Two times or
    more each.
    """
    x = np.log(positive("first", sample("first", first, 2)))
    y = np.log(positive("second", sample("second", second, 2)))
    test = stats.permutation_test(
        (x, y),
        lambda x, y, axis: np.median(x, axis=axis) - np.median(y, axis=axis),
        vectorized=True,
        n_resamples=RESAMPLES,
        random_state=np.random.default_rng(seed),
    )
    return float(test.pvalue)


def _repeated(call: Callable[[], object]) -> Callable[[int], None]:
    def run(times: int) -> None:
        for _ in range(times):
            call()

    return run


def _fitted(traffic: Floats, seconds: Floats) -> tuple[float, float]:
    """Return the overhead in seconds and the seconds a byte, of which one may be 0."""
    scale = traffic.max()
    columns = np.stack([np.ones_like(traffic), traffic / scale], axis=1) / seconds[:, None]
    overhead, slope = optimize.nnls(columns, np.ones_like(traffic))[0]
    return float(overhead), float(slope / scale)


def _inverse(values: ArrayLike) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(1 / np.asarray(values))
