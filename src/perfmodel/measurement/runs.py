"""Many short runs of one kernel: the best of them is a capacity, their median what one gets.

Other programs only ever take time away, so the shortest of many runs comes closest to the speed of
the hardware. It needs the work of a run to be fixed and known, and enough runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from perfmodel.validation import Floats, positive, sample, whole

RUNS = 60
"""Runs of a kernel that a capacity is the best of."""


MAX_REPETITIONS = 1 << 40
"""Repetitions that no run of a second or less can have."""


@dataclass(frozen=True, eq=False)
class Runs:
    """Times of a kernel's runs and the work that one run does."""

    name: str
    work: float
    """Of one run, over all threads, in `unit`."""
    unit: str
    """`FLOP`, `bytes` or `loads`."""
    seconds: Floats
    """Of each run, shape (runs,)."""
    threads: int
    pinned: bool
    """Whether every thread was tied to a core."""
    note: str = ""
    """How it was measured, where that changes what the number means."""

    def __post_init__(self) -> None:
        """Refuse work or times that are not above zero."""
        positive("work", self.work)
        positive("seconds", sample("seconds", self.seconds))

    @property
    def best(self) -> float:
        """Work a second in the shortest run: the capacity."""
        return self.work / float(self.seconds.min())

    @property
    def median(self) -> float:
        """Work a second in the median run: what a program gets while other programs run here."""
        return self.work / float(np.median(self.seconds))

    @property
    def shortest(self) -> float:
        """Seconds a unit of work in the shortest run, for example a load's latency."""
        return 1 / self.best


def timed(
    run: Callable[[], float | None],
    runs: int = RUNS,
    *,
    warmup: int = 1,
    max_seconds: float = float("inf"),
    clock: Callable[[], float] = time.perf_counter,
) -> Floats:
    """Return the seconds of each of `runs` calls of `run`.

    Parameters
    ----------
    run : callable
        One short run. It may return its own seconds; otherwise the call is timed.
    runs : int
        How many to time, 1 or more.
    warmup : int
        Calls beforehand that are not timed.
    max_seconds : float
        No run is begun after this time, but the first three always are.
    clock : callable
        Returns seconds.

    Returns
    -------
    ndarray
        Shape (runs,), or shorter where the time ran out.

    Examples
    --------
    >>> timed(lambda: 0.25, runs=3)
    array([0.25, 0.25, 0.25])
    """
    whole("runs", runs, 1)
    for _ in range(whole("warmup", warmup)):
        run()
    seconds: list[float] = []
    end = clock() + max_seconds
    while len(seconds) < min(3, runs) or (len(seconds) < runs and clock() < end):
        seconds.append(_once(run, clock))
    return np.asarray(seconds)


def timed_in_turns(
    works: Sequence[Callable[[], float | None]],
    rounds: int,
    *,
    warmup: int = 1,
    clock: Callable[[], float] = time.perf_counter,
) -> Floats:
    """Return the seconds of several works, each called once in every round, (works, rounds).

    Where the machine's pace changes, it does so for all of them; timed one after the other, a work
    would have had the fast minutes and the next the slow ones. The `works` are called in their
    order, and may return their own seconds; otherwise the `clock` times the call. Of the `rounds`
    as many as `warmup` come before and are not kept.

    Examples
    --------
    >>> timed_in_turns([lambda: 0.25, lambda: 0.5], rounds=3)
    array([[0.25, 0.25, 0.25],
           [0.5 , 0.5 , 0.5 ]])
    """
    if not works:
        raise ValueError("works must hold one or more, got none")
    before = whole("warmup", warmup)
    seconds = np.empty((before + whole("rounds", rounds, 1), len(works)))
    for row in seconds:
        row[:] = [_once(work, clock) for work in works]
    return seconds[before:].T


def repetitions(
    run: Callable[[int], float | None],
    seconds: float,
    clock: Callable[[], float] = time.perf_counter,
) -> int:
    """Return the repetitions n for which `run(n)` lasts about `seconds` on `clock`.

    Doubles n until the run lasts a tenth of that, then scales; a pause of the machine can only make
    n smaller, so each length is the shortest of three.

    >>> repetitions(lambda n: n * 1e-6, 1e-3)
    1000

    Raises `ValueError` if `run` takes no longer however often it repeats.
    """
    positive("seconds", seconds)
    count = 1
    while count < MAX_REPETITIONS:
        lasted = timed(lambda: run(count), 3, warmup=0, clock=clock).min()  # noqa: B023
        if lasted >= seconds / 10:
            return max(1, int(np.ceil(count * seconds / lasted - 1e-9)))
        count *= 2
    raise ValueError(f"run must take longer the more it repeats, got {lasted:g} s for {count}")


def short_runs(
    run: Callable[[int], float | None],
    seconds: float,
    runs: int = RUNS,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[int, Floats]:
    """Return how often each run repeats its work, and the seconds of `runs` such runs.

    `run` is called with the number of repetitions, and may return its own seconds; otherwise the
    `clock` times it. A run lasts about `seconds` seconds and never less than a quarter: where a
    pause misled the first choice of repetitions, the runs are taken again with more.
    """
    count = repetitions(run, seconds, clock)
    return lengthened(count, lambda n: timed(lambda: run(n), runs, clock=clock), seconds)


def lengthened(count: int, measure: Callable[[int], Floats], seconds: float) -> tuple[int, Floats]:
    """Return repetitions and the seconds of their runs, none shorter than a quarter of `seconds`.

    `measure` returns the seconds of runs with a number of repetitions, `count` to begin with.
    """
    while True:
        lengths = measure(count)
        shortest = float(lengths.min())
        if shortest >= seconds / 4:
            return count, lengths
        count = int(np.ceil(count * seconds / shortest))


def _once(run: Callable[[], float | None], clock: Callable[[], float]) -> float:
    """Return the seconds of a call, its own where it returns them."""
    began = clock()
    own = run()
    return clock() - began if own is None else own
