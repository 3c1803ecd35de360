"""Little's law by two counters: the mean time inside, from a system that has timed no job.

Take a car park with a counter at the gate. One accumulator adds, at every event, the number of
cars inside times the seconds since the last event; the other adds each car's stay when it leaves.
The first cuts the area between arrivals and departures into columns and the second into rows, so
that they agree, and N = X R is what is left after dividing. Disks and web servers export the
first accumulator; this module reads it.

Sources: J. D. C. Little, "A proof for the queuing formula L = lambda W", Operations Research 9(3),
1961; P. J. Denning and J. P. Buzen, "The operational analysis of queueing network models", ACM
Computing Surveys 10(3), 1978; a poll of C. Xia at the workshop TeaPACS 2021.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.ledger import Claim, Trend, half_unit
from perfmodel.queueing.operational import little_population
from perfmodel.queueing.sample_path import POLICIES, arrival_times, departures
from perfmodel.queueing.service import Exponential
from perfmodel.validation import Floats, finite, sample


@dataclass(frozen=True)
class Reading:
    """What the two exported counters show at one instant; both only ever grow."""

    time: float
    """Seconds."""
    finished: int
    """Jobs completed so far."""
    area: float
    """Job-seconds spent inside so far by all jobs, finished or not."""


@dataclass(frozen=True)
class Window:
    """What two readings of the counters say of the time between them."""

    elapsed: float
    """Seconds."""
    completions: int
    population: float
    """Mean number of jobs inside, N."""
    throughput: float
    """Completions per second, X."""
    response_time: float
    """Mean time inside by Little's law, R = N / X, in seconds."""


def between(first: Reading, last: Reading) -> Window:
    """Return mean population, throughput and response time between two readings.

    Parameters
    ----------
    first, last : Reading
        Of the same counters; at least one job must have finished between them.

    Returns
    -------
    Window
        N = area / elapsed, X = completions / elapsed, R = N / X.

    Raises
    ------
    ValueError
        If no time has passed, no job has finished, or a counter has gone down.

    Examples
    --------
    >>> between(Reading(0.0, 0, 0.0), Reading(60.0, 1800, 270.0)).response_time
    0.15
    """
    elapsed, done = last.time - first.time, last.finished - first.finished
    area = last.area - first.area
    if not elapsed > 0:
        raise ValueError(f"last.time must be above first.time = {first.time!r}, got {last.time!r}")
    if done < 1:
        raise ValueError(f"last.finished must be above {first.finished!r}, got {last.finished!r}")
    if area < 0:
        raise ValueError(f"last.area must be {first.area!r} or more, got {last.area!r}")
    return Window(elapsed, done, area / elapsed, done / elapsed, area / done)


def read_path(arrivals: ArrayLike, departures: ArrayLike, time: float) -> Reading:
    """Return what the counters of a recorded sample path show at an instant.

    Parameters
    ----------
    arrivals, departures : array_like
        Instants in seconds, one of each for a job, shape (n,).
    time : float
        Instant of the reading in seconds.

    Returns
    -------
    Reading

    Raises
    ------
    ValueError
        If the lengths differ or a job leaves before it comes.

    Examples
    --------
    >>> read_path([0, 1], [4, 3], 2.0)
    Reading(time=2.0, finished=0, area=3.0)
    """
    came, left = _path(arrivals, departures)
    now = float(finite("time", time))
    return Reading(now, int((left <= now).sum()), area_inside(came, left, -np.inf, now))


def jobs_inside(arrivals: ArrayLike, departures: ArrayLike, times: ArrayLike) -> Floats:
    """Return the number of jobs inside at the instants `times`, just before what happens then.

    Parameters
    ----------
    arrivals, departures : array_like
        Instants in seconds, one of each for a job, shape (n,).
    times : array_like
        Instants at which to look, any shape.

    Returns
    -------
    ndarray
        Jobs that came before the instant and had not left before it.

    Raises
    ------
    ValueError
        If the lengths differ or a job leaves before it comes.

    Examples
    --------
    >>> print(jobs_inside([0, 1], [4, 3], [0, 1, 2, 3.5, 5]))
    [0. 1. 2. 1. 0.]
    """
    came, left = _path(arrivals, departures)
    when = finite("times", times)
    inside = np.searchsorted(np.sort(came), when) - np.searchsorted(np.sort(left), when)
    return np.asarray(inside, dtype=float)


def area_inside(arrivals: ArrayLike, departures: ArrayLike, start: float, end: float) -> float:
    """Return job-seconds from `start` to `end` by columns: number inside times time, per event.

    Parameters
    ----------
    arrivals, departures : array_like
        Instants in seconds, one of each for a job, shape (n,).
    start, end : float
        The window in seconds; either may be infinite.

    Returns
    -------
    float
        The area between the staircases of arrivals and departures.

    Raises
    ------
    ValueError
        If the lengths differ, a job leaves before it comes, or `end` is below `start`.

    Examples
    --------
    >>> area_inside([0, 1], [4, 3], 0, 10)
    6.0
    """
    came, left = _window(arrivals, departures, start, end)
    instants = np.concatenate([came, left])
    steps = np.repeat([1, -1], [came.size, left.size])
    order = np.argsort(instants, kind="stable")
    return float(np.cumsum(steps[order])[:-1] @ np.diff(instants[order]))


def time_spent(arrivals: ArrayLike, departures: ArrayLike, start: float, end: float) -> float:
    """Return job-seconds from `start` to `end` by rows: one job's time inside after another's.

    Parameters
    ----------
    arrivals, departures, start, end
        As for `area_inside`.

    Returns
    -------
    float
        Sum over the jobs of the part of the stay that lies in the window.

    Raises
    ------
    ValueError
        As `area_inside`.

    Examples
    --------
    >>> time_spent([0, 1], [4, 3], 0, 10), time_spent([0, 1], [4, 3], 2, 10)
    (6.0, 3.0)
    """
    came, left = _window(arrivals, departures, start, end)
    return float((left - came).sum())


def mean_stay(arrivals: ArrayLike, departures: ArrayLike, start: float, end: float) -> float:
    """Return the mean time inside of the jobs that leave within the window, in seconds.

    Parameters
    ----------
    arrivals, departures, start, end
        As for `area_inside`.

    Returns
    -------
    float
        What stopwatches on the jobs would show; whole stays, also of jobs that came before.

    Raises
    ------
    ValueError
        As `area_inside`, or if no job leaves within the window.

    Examples
    --------
    >>> mean_stay([0, 1], [4, 3], 2, 10)
    3.0
    """
    came, left = _path(arrivals, departures)
    chosen = (left > start) & (left <= end)
    if not chosen.any():
        raise ValueError(
            f"start and end must have a departure between them, got {start!r}, {end!r}"
        )
    return float((left - came)[chosen].mean())


class Gauge:
    """The two accumulators inside a running program, safe to share among threads.

    >>> ticks = iter([0.0, 1.0, 3.0, 4.0, 10.0])
    >>> gauge = Gauge(clock=lambda: next(ticks))
    >>> with gauge.job():
    ...     with gauge.job():
    ...         pass
    >>> gauge.read()
    Reading(time=10.0, finished=2, area=6.0)
    >>> gauge.stopwatches
    6.0
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        """Start with nobody inside."""
        self._clock, self._lock = clock, threading.Lock()
        self._last, self._area, self._inside, self._finished = 0.0, 0.0, 0, 0
        self.stopwatches = 0.0
        """Seconds inside of the finished jobs, each timed by itself."""

    @contextmanager
    def job(self) -> Iterator[None]:
        """Count one job in, run the body, and count it out."""
        came = self._change(+1)
        try:
            yield
        finally:
            left = self._change(-1)
            with self._lock:
                self._finished += 1
                self.stopwatches += left - came

    def read(self) -> Reading:
        """Return the counters now."""
        now = self._change(0)
        return Reading(now, self._finished, self._area)

    def _change(self, jobs: int) -> float:
        with self._lock:
            now = self._clock()
            self._area += self._inside * (now - self._last)
            self._last = now
            self._inside += jobs
            return now


def claims() -> list[Claim]:
    """Return the ledger entries: the poll, and the identity on paths of every order of service."""
    return [
        Claim(
            "little_by_counters",
            "cars at a drive-through, 12 an hour for 6 minutes each",
            "recomputed",
            1.2,
            "1",
            "C. Xia, TeaPACS 2021, slide 16",
            lambda: float(little_population(12 / 3600, 6 * 60)),
            absolute=half_unit("1.2"),
        ),
        Claim(
            "little_by_counters",
            "counters by columns and by rows on one path under every order of service",
            "trend",
            "the two accumulators agree to the precision of the numbers",
            "",
            "proof by two counters (Little 1961; Denning and Buzen 1978)",
            _identity,
        ),
    ]


def _identity() -> Trend:
    rng = np.random.default_rng(7)
    came = arrival_times(Exponential(1.25), 2000, rng)
    sizes = Exponential(1.0).sample(rng, came.size)
    worst = 0.0
    for policy in POLICIES:
        left = departures(came, sizes, policy)
        columns = area_inside(came, left, 100.0, 2000.0)
        rows = time_spent(came, left, 100.0, 2000.0)
        worst = max(worst, abs(columns / rows - 1))
    return Trend(
        worst < 1e-12, f"relative difference {'below' if worst < 1e-12 else 'above'} 1e-12"
    )


def _path(arrivals: ArrayLike, departures: ArrayLike) -> tuple[Floats, Floats]:
    came, left = sample("arrivals", arrivals), sample("departures", departures)
    if came.shape != left.shape:
        raise ValueError(f"departures must have the shape {came.shape}, got {left.shape}")
    if (left < came).any():
        job = int(np.argmax(left < came))
        raise ValueError(
            f"departures must not be before arrivals, got {left[job]:g} for {came[job]:g}"
        )
    return came, left


def _window(
    arrivals: ArrayLike, departures: ArrayLike, start: float, end: float
) -> tuple[Floats, Floats]:
    if not end >= start:
        raise ValueError(f"end must be start = {start!r} or more, got {end!r}")
    came, left = _path(arrivals, departures)
    return np.clip(came, start, end), np.clip(left, start, end)
