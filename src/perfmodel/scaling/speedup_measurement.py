"""A job with a known serial part, run on 1..n processes of this machine and timed.

The job counts in *units*: one unit is a fixed number of steps of a pseudo-random generator in pure
Python, which keeps one core busy and hardly touches memory. Serial units run in the calling
process, then the parallel units are shared out to worker processes, so the serial fraction that
Amdahl's law is asked for is known beforehand: serial / (serial + parallel).

Workers are processes (threads would share Python's interpreter lock), started with 'spawn' and
run once before any timing; `startup` reports what starting them cost.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise
from multiprocessing import get_context
from operator import xor

import numpy as np
from numpy.typing import NDArray

from perfmodel.measurement.clock import Clock, time_calls
from perfmodel.measurement.load import usable_cores
from perfmodel.measurement.provenance import Provenance, provenance
from perfmodel.measurement.statistics.intervals import bootstrap_interval, check_level
from perfmodel.validation import Floats, whole

Job = Callable[[int], int]
"""Does its work on that many workers and returns its checksum."""

STEPS_PER_UNIT = 4_000
"""Steps of the pseudo-random generator in a unit of work."""
_MASK = 2**64 - 1


@dataclass(frozen=True)
class SpeedupMeasurement:
    """Run times of one job on several numbers of workers, by `measure_speedup`."""

    workers: tuple[int, ...]
    times: Floats
    """Seconds, shape (repeats, workers); a row is one round over all worker counts."""
    speedups: Floats
    """Median time on one worker over median time, for each worker count."""
    intervals: Floats
    """Bootstrap interval of each speedup, shape (workers, 2); rounds are drawn as a whole."""
    confidence: float
    serial_fraction: float
    """Planted share of serial units: what a fit would find with no overhead and enough cores."""
    startup: float
    """Seconds to start the workers and run each once, not part of `times`."""
    provenance: Provenance

    @property
    def cores(self) -> int:
        """Cores that the workers could use, hyperthreads counted as cores."""
        return self.provenance.host.cores

    @property
    def oversubscribed(self) -> tuple[int, ...]:
        """Worker counts above the cores of the machine, where the speedup can only stay flat."""
        return tuple(count for count in self.workers if count > self.cores)


def worker_counts(cores: int | None = None, limit: int = 8) -> tuple[int, ...]:
    """Return the worker counts worth measuring: 1 to twice the `cores`, at most `limit`.

    By default the cores are those that this process may use.

    Examples
    --------
    >>> worker_counts(cores=2)
    (1, 2, 3, 4)
    """
    known = usable_cores() if cores is None else whole("cores", cores, 1)
    return tuple(range(1, min(2 * known, whole("limit", limit, 1)) + 1))


def busy_work(units: int, seed: int = 1) -> int:
    """Return the state, below 2**64, of a xorshift generator after `units` units of steps.

    The result depends on every step, so no step can be left out or done in advance. A unit has
    `STEPS_PER_UNIT` steps; the `seed` is the starting state, 1 or more, modulo 2**64 - 1. Source:
    G. Marsaglia, "Xorshift RNGs", J. Statistical Software 8(14), 2003.

    Examples
    --------
    >>> busy_work(0, seed=7)
    7
    """
    state = (whole("seed", seed, 1, math.inf) - 1) % _MASK + 1
    for _ in range(whole("units", units) * STEPS_PER_UNIT):
        state ^= (state << 13) & _MASK
        state ^= state >> 7
        state ^= (state << 17) & _MASK
    return state


def busy_work_each(first: int, count: int) -> int:
    """Return the exclusive or of one unit of work for each of `count` seeds from `first` on.

    It is a worker's share of the parallel part, the same whichever way the seeds are shared out.

    Examples
    --------
    >>> busy_work_each(1, 2) ^ busy_work_each(3, 1) == busy_work_each(1, 3)
    True
    """
    return reduce(xor, (busy_work(1, seed) for seed in range(first, first + count)), 0)


def measure_speedup(
    workers: Sequence[int] = (1, 2),
    work_units: int = 90,
    serial_units: int = 10,
    repeats: int = 5,
    confidence: float = 0.95,
    clock: Clock = time.perf_counter_ns,
    run: Job | None = None,
) -> SpeedupMeasurement:
    """Time one job on several numbers of workers and return its speedups with intervals.

    Each round runs the job once on every worker count, forwards and backwards in turn, so a machine
    that grows slower or hotter during the measurement does so for all counts equally. Every run
    must give the same checksum: a run that skipped work is an error and not a fast run. It works in
    notebooks; a script must call it under ``if __name__ == "__main__":``. Returns a
    `SpeedupMeasurement`. Raises `RuntimeError` if two runs give different checksums, or the clock
    does not advance in a run.

    Parameters
    ----------
    workers : sequence of int
        Numbers of processes, 1 among them, none twice; at most twice the cores of this machine
        (unless `run` is given). `worker_counts()` gives a good choice.
    work_units, serial_units : int
        Parallel units (1 or more) and serial units (0 or more) of the job; 100 units take a few
        tenths of a second on one core.
    repeats : int
        Rounds, 2 or more.
    confidence : float
        Level of the bootstrap intervals, above 0 and below 1; coarse when rounds are few.
    clock : callable
        Returns nanoseconds, ever more.
    run : callable, optional
        Runs the job on a number of workers and returns its checksum, instead of real processes.

    Examples
    --------
    >>> ticks = iter(range(100))
    >>> measured = measure_speedup([1, 2], clock=lambda: next(ticks), run=lambda workers: 0)
    >>> print(measured.speedups, measured.serial_fraction)
    [1. 1.] 0.1
    """
    counts = _checked_workers(workers, limited=run is None)
    work, serial = whole("work_units", work_units, 1), whole("serial_units", serial_units)
    rounds = whole("repeats", repeats, 2)
    level = check_level(confidence)
    began = clock()
    with _runner(run, max(counts), work, serial) as job:
        startup = 1e-9 * (clock() - began)
        times = _timed_rounds(job, counts, rounds, clock)
    alone = counts.index(1)
    return SpeedupMeasurement(
        workers=counts,
        times=times,
        speedups=_speedups(times, alone),
        intervals=_intervals(times, alone, level),
        confidence=level,
        serial_fraction=serial / (serial + work),
        startup=startup,
        provenance=provenance(),
    )


def _checked_workers(workers: Sequence[int], limited: bool) -> tuple[int, ...]:
    counts = tuple(whole("workers", count, 1) for count in workers)
    if 1 not in counts or len(set(counts)) < len(counts):
        raise ValueError(f"workers must hold 1 and no count twice, got {workers!r}")
    most = 2 * usable_cores()
    if limited and max(counts) > most:
        raise ValueError(
            f"workers must be at most {most}, twice the cores of this machine, got {workers!r}"
        )
    return counts


@contextmanager
def _runner(run: Job | None, most: int, work: int, serial: int) -> Iterator[Job]:
    if run is not None:
        yield run
    else:
        with ProcessPoolExecutor(most, mp_context=get_context("spawn")) as pool:
            _warm_up(pool, most)
            yield lambda workers: _run_job(pool, workers, work, serial)


def _warm_up(pool: ProcessPoolExecutor, most: int) -> None:
    """Keep giving every worker something to do until all of them have answered."""
    seen: set[int] = set()
    while len(seen) < most:
        seen.update(pool.map(_process_id, [0.02] * most))


def _process_id(pause: float) -> int:
    time.sleep(pause)
    return os.getpid()


def _run_job(pool: ProcessPoolExecutor, workers: int, work: int, serial: int) -> int:
    ends = [work * fraction // workers for fraction in range(workers + 1)]
    fractions = [(first + 1, last - first) for first, last in pairwise(ends)]
    serial_part = busy_work(serial, seed=work + 1)
    return reduce(xor, pool.map(busy_work_each, *zip(*fractions, strict=True)), serial_part)


def _timed_rounds(job: Job, counts: tuple[int, ...], rounds: int, clock: Clock) -> Floats:
    times = np.empty((rounds, len(counts)))
    checksums: set[int] = set()

    def run(workers: int) -> None:
        checksums.add(job(workers))

    for row in range(rounds):
        for column in range(len(counts))[:: 1 if row % 2 == 0 else -1]:
            times[row, column] = time_calls(partial(run, counts[column]), 1, clock)
    if len(checksums) > 1:
        raise RuntimeError(f"all runs must give one checksum, got {sorted(checksums)}")
    if not (times > 0).all():
        raise RuntimeError("the clock did not advance during a run: use more work_units")
    return times


def _speedups(times: Floats, alone: int) -> Floats:
    """Return median T(1) / median T(p) over the rounds, the last axis but one."""
    medians = np.median(times, axis=-2)
    return medians[..., alone, np.newaxis] / medians


def _intervals(times: Floats, alone: int, confidence: float) -> Floats:
    """Return the bootstrap interval of each speedup, its rounds drawn as a whole."""

    def of(column: int) -> tuple[float, float]:
        def speedup(rounds: Floats, axis: int) -> Floats:
            drawn: NDArray[np.intp] = np.asarray(rounds, dtype=np.intp)
            return _speedups(times[drawn], alone)[..., column]

        return bootstrap_interval(np.arange(len(times)), speedup, confidence)

    return np.array([of(column) for column in range(times.shape[1])])
