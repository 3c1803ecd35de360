"""The two counters that Little's law needs, in a running program and between two readings.

>>> between_readings(CounterReading(0.0, 0, 0.0), CounterReading(60.0, 1800, 270.0)).throughput
30.0
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from perfmodel.validation import function, non_negative, one_number, whole


@dataclass(frozen=True)
class CounterReading:
    """What the two exported counters show at one instant; both only ever grow."""

    time: float
    """Seconds."""
    finished: int
    """Jobs completed so far."""
    area: float
    """Job-seconds spent inside so far by all jobs, finished or not."""

    def __post_init__(self) -> None:
        """Refuse what no counter shows."""
        one_number("time", self.time)
        whole("finished", self.finished)
        one_number("area", self.area, non_negative)


@dataclass(frozen=True)
class CounterWindow:
    """The results of two readings of the counters, for the time between them."""

    elapsed: float
    """Seconds."""
    completions: int
    population: float
    """Mean number of jobs inside, N."""
    throughput: float
    """Completions per second, X."""
    response_time: float
    """Mean time inside by Little's law, R = N / X, in seconds."""


def between_readings(first: CounterReading, last: CounterReading) -> CounterWindow:
    """Return mean population, throughput and response time between two readings.

    Parameters
    ----------
    first, last : CounterReading
        Of the same counters; at least one job must have finished between them.

    Returns
    -------
    CounterWindow
        N = area / elapsed, X = completions / elapsed, R = N / X.

    Raises
    ------
    ValueError
        If no time has passed, no job has finished, or a counter has gone down.

    Examples
    --------
    >>> last = CounterReading(60.0, 1800, 270.0)
    >>> between_readings(CounterReading(0.0, 0, 0.0), last).response_time
    0.15
    """
    for name, reading in (("first", first), ("last", last)):
        if not isinstance(reading, CounterReading):
            raise ValueError(f"{name} must be a CounterReading, got {reading!r}")
    elapsed, done = last.time - first.time, last.finished - first.finished
    area = last.area - first.area
    if not elapsed > 0:
        raise ValueError(f"last.time must be above first.time = {first.time!r}, got {last.time!r}")
    if done < 1:
        raise ValueError(f"last.finished must be above {first.finished!r}, got {last.finished!r}")
    if area < 0:
        raise ValueError(f"last.area must be {first.area!r} or more, got {last.area!r}")
    return CounterWindow(elapsed, done, area / elapsed, done / elapsed, area / done)


class Gauge:
    """The two accumulators inside a running program, safe to share among threads.

    >>> ticks = iter([0.0, 1.0, 3.0, 4.0, 10.0])
    >>> gauge = Gauge(clock=lambda: next(ticks))
    >>> with gauge.job():
    ...     with gauge.job():
    ...         pass
    >>> gauge.read()
    CounterReading(time=10.0, finished=2, area=6.0)
    >>> gauge.stopwatches
    6.0
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        """Start with nobody inside."""
        function("clock", clock)
        self._clock, self._lock = clock, threading.Lock()
        self._last, self._area, self._inside, self._finished = 0.0, 0.0, 0, 0
        self.stopwatches = 0.0
        """Seconds inside of the finished jobs, each timed by itself."""

    @contextmanager
    def job(self) -> Iterator[None]:
        """Count one job in, run the body, and count it out."""
        entered = self._change(+1)
        try:
            yield
        finally:
            left = self._change(-1)
            with self._lock:
                self._finished += 1
                self.stopwatches += left - entered

    def read(self) -> CounterReading:
        """Return the counters now."""
        now = self._change(0)
        return CounterReading(now, self._finished, self._area)

    def _change(self, jobs: int) -> float:
        with self._lock:
            now = self._clock()
            self._area += self._inside * (now - self._last)
            self._last = now
            self._inside += jobs
            return now
