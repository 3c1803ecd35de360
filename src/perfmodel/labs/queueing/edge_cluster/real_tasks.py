"""Real tasks that come to this machine at one instant, served in turns or in slices.

CPython's threads take turns at the interpreter in slices of some milliseconds, so that tasks of
plain Python in threads share one processor almost equally.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import numpy as np

from perfmodel.validation import Floats

Clock = Callable[[], float]


def in_turns(tasks: Sequence[Callable[[], object]], clock: Clock = time.perf_counter) -> Floats:
    """Run tasks one after another and return when each was done, in seconds from the start.

    Their differences are the times of each task alone.

    >>> ticks = iter([5.0, 6.0, 9.0])
    >>> print(in_turns([int, int], clock=lambda: next(ticks)))
    [1. 4.]
    """
    start, done = clock(), []
    for task in tasks:
        task()
        done.append(clock() - start)
    return np.array(done)


def in_slices(tasks: Sequence[Callable[[], object]], clock: Clock = time.perf_counter) -> Floats:
    """Run tasks in a thread each and return when each was done, in seconds from the common start.

    >>> bool((in_slices([int, int]) >= 0).all())
    True
    """
    gate, done = threading.Barrier(len(tasks) + 1), np.full(len(tasks), np.nan)

    def run(index: int) -> None:
        gate.wait()
        tasks[index]()
        done[index] = clock()

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(tasks))]
    for thread in threads:
        thread.start()
    start = clock()
    gate.wait()
    for thread in threads:
        thread.join()
    if np.isnan(done).any():
        raise RuntimeError(f"task {int(np.argmax(np.isnan(done)))} raised in its thread")
    return done - start
