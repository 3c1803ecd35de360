"""A launch queue of your own: one thread hands over tasks and goes on, another runs them in order.

That is all that a GPU's stream is to the CPU. So TKLQT, its bend and its jitter can be measured
on any machine with two cores; the tasks must leave Python's lock alone, as hashing does.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor

import numpy as np

from perfmodel.labs.queueing.launch_queue.timeline import LaunchTimeline
from perfmodel.validation import whole


def measure_launches(
    operator: Callable[[], object],
    kernel: Callable[[], object],
    count: int,
    executor: Executor | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> LaunchTimeline:
    """Hand `kernel` to another thread `count` times, with `operator` run here after each.

    Times are in seconds since the first launch. The executor is one thread, ended afterwards, if
    none is given; an error of a kernel is raised here.

    >>> run = measure_launches(int, int, 3)
    >>> run.starts.size, bool((run.delays >= 0).all())
    (3, True)
    """
    size = whole("count", count, low=1)
    if executor is not None:
        return _measured(operator, kernel, size, executor, clock)
    with ThreadPoolExecutor(max_workers=1) as own:
        return _measured(operator, kernel, size, own, clock)


def _measured(
    operator: Callable[[], object],
    kernel: Callable[[], object],
    count: int,
    executor: Executor,
    clock: Callable[[], float],
) -> LaunchTimeline:
    launches, starts, ends = np.empty((3, count))

    def run(number: int) -> None:
        starts[number] = clock()
        kernel()
        ends[number] = clock()

    executor.submit(int).result()
    waiting = []
    for number in range(count):
        launches[number] = clock()
        waiting.append(executor.submit(run, number))
        operator()
    for task in waiting:
        task.result()
    return LaunchTimeline(launches - launches[0], starts - launches[0], ends - launches[0])
