"""A real queue on this machine: one worker, tasks that come by a timetable, an order of service.

Take a print server that wakes when a job comes and picks the next by a rule. The tasks are real
and take the time they take; only their arrivals are planned. So a prediction from expected sizes
can be compared with what happened.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.operational_analysis.sample_path import RANKS
from perfmodel.validation import Floats, at_most, function, non_negative, one_of, sample

WORKER_POLICIES = tuple(name for name, (_, preemptive) in RANKS.items() if not preemptive)
"""Orders of service that need not interrupt a task."""
_LATEST = 86_400
"""Seconds after the opening within which all tasks must come: a day."""


@dataclass(frozen=True)
class ServedTasks:
    """When each task came, was started and was done: seconds from the opening, shape (n,)."""

    arrivals: Floats
    starts: Floats
    departures: Floats

    @property
    def sizes(self) -> Floats:
        """Seconds that each task took."""
        return self.departures - self.starts

    @property
    def response_time(self) -> float:
        """Mean seconds from a task's planned arrival to its end."""
        return float((self.departures - self.arrivals).mean())


def serve_tasks(
    tasks: Sequence[Callable[[], object]],
    arrivals: ArrayLike,
    estimates: ArrayLike,
    policy: str = "FCFS",
    clock: Callable[[], float] = time.perf_counter,
    sleep: Callable[[float], None] = time.sleep,
) -> ServedTasks:
    """Run tasks one at a time in an order of service and note when each starts and ends.

    Parameters
    ----------
    tasks : sequence of callable
        What to run, one for each arrival.
    arrivals : array_like
        Seconds after the opening at which each task may be started, shape (n,), not falling.
    estimates : array_like
        Seconds that each task is expected to take, shape (n,), 0 or more: what SJF goes by.
    policy : str
        FCFS, LCFS or SJF.
    clock, sleep : callable
        Seconds now; wait for this many seconds.

    Raises
    ------
    ValueError
        If the policy is unknown, the arrivals fall or come after a day, or the lengths differ.

    Examples
    --------
    >>> done = serve_tasks([int, int], [0.0, 0.001], [0.0, 0.0])
    >>> done.starts.size, bool(done.starts[1] >= 0.001)
    (2, True)
    """
    arrived = at_most("arrivals", non_negative("arrivals", sample("arrivals", arrivals)), _LATEST)
    expected = non_negative("estimates", sample("estimates", estimates))
    if not isinstance(tasks, Sequence) or not all(callable(task) for task in tasks):
        raise ValueError(f"tasks must be a sequence of functions, got {tasks!r}")
    if not arrived.size == expected.size == len(tasks):
        raise ValueError(
            f"estimates and tasks must have the length {arrived.size} of arrivals, "
            f"got {expected.size} and {len(tasks)}"
        )
    if (np.diff(arrived) < 0).any():
        raise ValueError(f"arrivals must not fall, got {arrivals!r}")
    one_of("policy", policy, WORKER_POLICIES)
    function("clock", clock)
    function("sleep", sleep)
    starts, ends = _run(tasks, arrived.tolist(), expected.tolist(), policy, clock, sleep)
    return ServedTasks(arrived, starts, ends)


def _run(
    tasks: Sequence[Callable[[], object]],
    arrived: list[float],
    expected: list[float],
    policy: str,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> tuple[Floats, Floats]:
    rank, starts, ends = RANKS[policy][0], np.empty(len(arrived)), np.empty(len(arrived))
    waiting: list[tuple[float, int]] = []
    coming, opening = 0, clock()
    while waiting or coming < len(arrived):
        now = clock() - opening
        while coming < len(arrived) and arrived[coming] <= now:
            heapq.heappush(waiting, (rank(coming, expected[coming], expected[coming]), coming))
            coming += 1
        if not waiting:
            sleep(arrived[coming] - now)
            continue
        _, task = heapq.heappop(waiting)
        starts[task] = clock() - opening
        tasks[task]()
        ends[task] = clock() - opening
    return starts, ends
