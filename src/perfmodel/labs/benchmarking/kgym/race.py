"""A program with a race that your machine can lose: two threads add 1 to one counter, no lock.

Each thread waits a random time, reads the counter, holds the value for a moment (the window) and
writes it back plus 1. If the second reads before the first has written, one addition is lost.
"""

from __future__ import annotations

import threading
import time
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from perfmodel.validation import Floats, non_negative, positive, whole

Flags = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


@dataclass(frozen=True, eq=False)
class RaceRuns:
    """What came of some runs of the program."""

    failed: Flags
    """Whether an addition was lost, shape (runs,)."""
    windows: Floats
    """Seconds between each reading and writing, as measured, shape (runs, 2)."""


def race_probability(window: float, interval: float) -> float:
    """Return the probability 1 - (1 - window / interval)^2 of a failure, at most 1.

    >>> race_probability(0.001, 0.004)
    0.4375
    """
    fraction = float(non_negative("window", window)) / float(positive("interval", interval))
    return 1 - max(0.0, 1 - fraction) ** 2


def run_race(
    runs: int, window: float, interval: float, rng: np.random.Generator, locked: bool = False
) -> RaceRuns:
    """Run the program for real, repaired by a lock from reading to writing if `locked`.

    >>> bool(run_race(3, 1e-4, 1e-3, np.random.default_rng(0), locked=True).failed.any())
    False
    """
    starts = rng.uniform(0, float(positive("interval", interval)), (whole("runs", runs, 1), 2))
    hold = float(non_negative("window", window))
    ended = [_run(pair, hold, locked) for pair in starts]
    return RaceRuns(np.array([count < 2 for count, _ in ended]), np.array([w for _, w in ended]))


def _run(starts: Floats, window: float, locked: bool) -> tuple[int, list[float]]:
    """Return the counter after one run, and how long each thread held its value."""
    counter, held = [0], [0.0, 0.0]
    lock = threading.Lock() if locked else nullcontext()
    ready = threading.Barrier(2)

    def add_one(place: int) -> None:
        ready.wait()
        time.sleep(starts[place])
        with lock:
            began = time.perf_counter()
            value = counter[0]
            time.sleep(window)
            counter[0] = value + 1
            held[place] = time.perf_counter() - began

    threads = [threading.Thread(target=add_one, args=(place,)) for place in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return counter[0], held
