"""Measuring in fresh processes: pinned to cores, with a stated number of threads, many times over.

A process keeps some luck for life: where its memory lies, how its code is aligned, on which core
it started. Samples from one process share that luck, and an interval within it is too narrow.

>>> import math
>>> run(math.hypot, 3.0, 4.0)
5.0
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from perfmodel.measurement.errors import ChildError
from perfmodel.measurement.statistics.intervals import check_level, geometric_mean_interval
from perfmodel.measurement.timing import Measurement, repeat
from perfmodel.units import prefixed
from perfmodel.validation import Floats, positive, whole

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


@dataclass(frozen=True)
class Outcome:
    """What a child process answered, and where it ran."""

    value: Any
    cores: tuple[int, ...] | None
    """Cores that the child was pinned to; None where it was left to the scheduler."""
    threads: int
    unpinned: str
    """Why the child was not pinned although cores were asked for; empty otherwise."""


@dataclass(frozen=True, eq=False)
class ProcessMeasurement:
    """One function measured in several fresh processes, one after another."""

    measurements: tuple[Measurement, ...]
    cores: tuple[int, ...] | None
    threads: int
    unpinned: str
    confidence: float

    @property
    def minima(self) -> Floats:
        """Seconds a call in the quickest sample of each process."""
        return np.array([measurement.minimum for measurement in self.measurements])

    @property
    def medians(self) -> Floats:
        """Median seconds a call of each process."""
        return np.array([measurement.median for measurement in self.measurements])

    @property
    def minimum(self) -> float:
        """Seconds a call in the quickest sample of all."""
        return float(self.minima.min())

    @property
    def median(self) -> float:
        """Geometric mean of the processes' medians, in seconds; `interval` lies around it."""
        return geometric_mean_interval(self.medians, self.confidence)[0]

    @property
    def interval(self) -> tuple[float, float]:
        """Interval of the median between processes, in seconds.

        The processes are the sample here, however many runs each of them made.
        """
        return geometric_mean_interval(self.medians, self.confidence)[1:]

    def __str__(self) -> str:
        low, high = (prefixed(end, "s") for end in self.interval)
        pinning = f"on cores {self.cores}" if self.cores else self.unpinned or "not pinned"
        return (
            f"{self.measurements[0].name}: median {prefixed(self.median, 's')}, "
            f"{100 * self.confidence:g} % interval {low} to {high} between "
            f"{len(self.measurements)} processes, minimum {prefixed(self.minimum, 's')}, "
            f"{pinning}, {self.threads} thread(s)"
        )


def run(
    function: Callable[..., Any],
    *args: Any,
    cores: Iterable[int] | None = None,
    threads: int = 1,
    timeout: float = 600.0,
) -> Any:
    """Call a function with picklable arguments in a fresh process and return its result.

    The child finds the function by module and name, so no lambda and nothing of a notebook. It's
    pinned to `cores` where the system can pin (macOS warns), pools have `threads` threads, and it's
    ended after `timeout` seconds. An error or death there is a ChildError here.

    >>> import os
    >>> run(os.getenv, "OMP_NUM_THREADS", threads=2)
    '2'
    """
    outcome = start(function, *args, cores=cores, threads=threads, timeout=timeout)
    if outcome.unpinned:
        warnings.warn(outcome.unpinned, stacklevel=2)
    return outcome.value


def start(
    function: Callable[..., Any],
    *args: Any,
    cores: Iterable[int] | None = None,
    threads: int = 1,
    timeout: float = 600.0,
) -> Outcome:
    """Call a function in a fresh process and return its result with where it ran.

    `function`, `args`, `cores`, `threads` and `timeout` are those of `run`, which warns where this
    says that the child was not pinned.

    >>> import math
    >>> start(math.sqrt, 4.0).value
    2.0
    """
    wanted = None if cores is None else _checked_cores(cores)
    count = str(whole("threads", threads, 1))
    unpinned = ""
    if wanted and not hasattr(os, "sched_setaffinity"):
        wanted, unpinned = None, f"not pinned: {sys.platform} cannot pin a process to cores"
    message = pickle.dumps((wanted, sys.path, _packed(function, args)))
    value = _asked(
        message, os.environ | dict.fromkeys(THREAD_VARIABLES, count), positive("timeout", timeout)
    )
    return Outcome(value, wanted, int(count), unpinned)


def across_processes(
    function: Callable[..., Any],
    *args: Any,
    processes: int = 5,
    runs: int = 60,
    seconds: float = 1.0,
    cores: Iterable[int] | None = None,
    threads: int = 1,
    confidence: float = 0.95,
) -> ProcessMeasurement:
    """Return the `ProcessMeasurement` of a function timed in fresh processes, one after another.

    Raises `ValueError`, `ChildError` as for `run`.

    Parameters
    ----------
    function, *args, cores, threads
        As for `run`; the child calls ``function(*args)`` over and over.
    processes : int
        2 or more; the interval rests on their number.
    runs : int
        Short runs in each process, 5 or more; 60 make it likely that a few were left in peace.
    seconds : float
        Time for the runs of one process, about.
    confidence : float
        Level of the interval between processes, above 0 and below 1.

    Examples
    --------
    >>> import math
    >>> outcomes = across_processes(math.factorial, 500, processes=2, runs=10, seconds=0.01)
    >>> outcomes.interval[0] <= outcomes.median <= outcomes.interval[1]
    True
    """
    level, count = check_level(confidence), whole("processes", processes, 2)
    pinned = None if cores is None else tuple(cores)
    outcomes = [
        start(_timed, function, args, runs, seconds, level, cores=pinned, threads=threads)
        for _ in range(count)
    ]
    measurements = tuple(outcome.value for outcome in outcomes)
    return ProcessMeasurement(measurements, outcomes[0].cores, threads, outcomes[0].unpinned, level)


def _timed(
    function: Callable[..., Any], args: tuple[Any, ...], runs: int, seconds: float, level: float
) -> Measurement:
    name = str(getattr(function, "__name__", type(function).__name__))
    return repeat(lambda: function(*args), runs, seconds=seconds, confidence=level, name=name)


def _checked_cores(cores: Iterable[int]) -> tuple[int, ...]:
    wanted = tuple(whole("cores", core) for core in cores)
    if hasattr(os, "sched_getaffinity"):
        ours = os.sched_getaffinity(0)
    else:
        ours = set(range(os.cpu_count() or 1))
    if not wanted or not set(wanted) <= ours:
        raise ValueError(f"cores must be one or more of {sorted(ours)}, got {list(wanted)}")
    return wanted


def _packed(function: Callable[..., Any], args: tuple[Any, ...]) -> bytes:
    for item in (function, *args):
        if callable(item) and getattr(item, "__module__", None) == "__main__":
            raise ValueError(
                f"function must be defined in a module that a fresh process can import, "
                f"got {getattr(item, '__qualname__', item)!r} of the running program"
            )
    try:
        return pickle.dumps((function, args))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError(
            f"function and arguments must pickle, which needs a module-level function: {error}"
        ) from error


def _asked(message: bytes, environment: dict[str, str], timeout: Floats) -> Any:
    command = [sys.executable, "-m", "perfmodel.measurement.child_main"]
    # The child must find this package before it has received our path.
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    try:
        done = subprocess.run(
            command, input=message, capture_output=True, timeout=float(timeout), env=environment
        )
    except subprocess.TimeoutExpired as error:
        raise ChildError(f"the child process did not end within {float(timeout):g} s") from error
    if done.returncode or not done.stdout:
        last = done.stderr.decode(errors="replace").strip()[-500:]
        raise ChildError(f"the child process ended with status {done.returncode}: {last}")
    well, answer = pickle.loads(done.stdout)
    if not well:
        raise ChildError(f"the function failed in the child process:\n{answer}")
    return answer
