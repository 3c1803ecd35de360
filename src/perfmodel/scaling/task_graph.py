"""A graph of tasks: its work, its span, and a greedy schedule on p processors.

Bricks before the roof: a task starts when those that it needs are done. One processor takes the
work, the sum of all tasks; endlessly many take the span, the longest chain; p of them, never idle
while a task is ready, take at most (work - span) / p + span.

Sources: R. L. Graham, "Bounds on multiprocessing timing anomalies", SIAM Journal on Applied
Mathematics 17(2), 1969; R. P. Brent, Journal of the ACM 21(2), 1974.
"""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import TopologicalSorter
from typing import NamedTuple

from perfmodel.validation import positive, whole

Needs = Mapping[str, tuple[str, ...]]


class ScheduledTask(NamedTuple):
    """When and where a task runs."""

    start: float
    end: float
    processor: int


def work_and_span(seconds: Mapping[str, float], needs: Needs) -> tuple[float, float]:
    """Return the sum of all tasks and the longest chain of them, in seconds.

    Raises `ValueError` if a duration is not above 0 or the graph has a cycle
    (`graphlib.CycleError`). Raises `KeyError` if a task that is needed has no duration.

    Parameters
    ----------
    seconds : mapping
        Duration of each task, above 0.
    needs : mapping
        The tasks that each one waits for; one that waits for none may be left out.

    Examples
    --------
    >>> work_and_span({"a": 1, "b": 2, "c": 1}, {"c": ("a", "b")})
    (4.0, 3.0)
    """
    ends: dict[str, float] = {}
    for task in _sorted(seconds, needs):
        ready = max((ends[other] for other in needs.get(task, ())), default=0.0)
        ends[task] = ready + float(positive("seconds", seconds[task]))
    return float(sum(seconds.values())), max(ends.values())


def greedy_schedule(
    seconds: Mapping[str, float], needs: Needs, processors: int
) -> dict[str, ScheduledTask]:
    """Return each task's start, end and processor so that none idles while a task is ready.

    `seconds` and `needs` are as for `work_and_span`; of ready tasks the one named first in
    `seconds` starts first. The `processors` count from 0.

    Examples
    --------
    >>> greedy_schedule({"a": 1, "b": 2, "c": 1}, {"c": ("a", "b")}, 2)["c"]
    ScheduledTask(start=2.0, end=3.0, processor=0)
    """
    order = {task: index for index, task in enumerate(_sorted(seconds, needs))}
    free = [0.0] * min(whole("processors", processors, 1), max(len(order), 1))
    done: dict[str, ScheduledTask] = {}
    while len(done) < len(order):
        ready = {
            task: max((done[other].end for other in needs.get(task, ())), default=0.0)
            for task in seconds
            if task not in done and all(other in done for other in needs.get(task, ()))
        }
        earliest = min(free)
        task = min(ready, key=lambda t: (max(ready[t], earliest), list(seconds).index(t)))
        start = max(ready[task], earliest)
        lane = min(i for i, when in enumerate(free) if when <= start)
        done[task] = ScheduledTask(start, start + float(seconds[task]), lane)
        free[lane] = done[task].end
    return done


def _sorted(seconds: Mapping[str, float], needs: Needs) -> list[str]:
    graph = {task: needs.get(task, ()) for task in seconds}
    return list(TopologicalSorter(graph).static_order())
