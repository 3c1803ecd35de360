"""A run of tasks: when each starts and ends, how busy stages are, how full buffers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from perfmodel.communication.pipelines.event_core import (
    DONE,
    READY,
    Plan,
    State,
    advance,
)
from perfmodel.communication.pipelines.task_graph import IntArray, TaskGraph
from perfmodel.engine.fields import NONE, as_lists, ints, reals
from perfmodel.engine.heap import Heap
from perfmodel.engine.object_files import is_worth_compiling, loaded
from perfmodel.lattice import in_units, lattice_span
from perfmodel.validation import Floats, whole

WORTH_COMPILING = 20_000
"""Tasks above which the loop is compiled: fewer take plain Python a few tenths of a second."""
_SLACK = 1e-12
"""What sums of units may exceed a capacity by, relative to it: rounding."""


@dataclass(frozen=True, eq=False)
class TaskRun:
    """When the tasks of a graph ran.

    Attributes
    ----------
    graph : TaskGraph
    start, end : ndarray, shape (tasks,)
        Seconds.
    """

    graph: TaskGraph
    start: Floats
    end: Floats

    @property
    def makespan(self) -> float:
        """Seconds from 0 to the last end."""
        return float(self.end.max())

    @property
    def busy_time(self) -> Floats:
        """Seconds of work by stage, all its servers together."""
        return np.asarray(
            np.bincount(self.graph.stage, self.graph.duration, self.graph.stages), np.float64
        )

    @property
    def idle_fraction(self) -> Floats:
        """Share of its servers' time until the makespan that a stage is idle; 0 if that is 0."""
        available = self.graph.servers * self.makespan
        return np.asarray(1 - self.busy_time / available if self.makespan else 0.0 * available)

    def level(self, buffer: int) -> tuple[Floats, Floats]:
        """Return the moments at which a buffer's level changes, and the level after each.

        What is given back at a moment leaves before what is taken then.
        """
        holds = self.graph.holds
        if whole("buffer", buffer) >= self.graph.capacity.size:
            raise ValueError(
                f"buffer must be below {self.graph.capacity.size}, the number of buffers, "
                f"got {buffer!r}"
            )
        chosen = holds.buffer == buffer
        taken, given = self.start[holds.first[chosen]], self.end[holds.last[chosen]]
        units = holds.units[chosen]
        times = np.concatenate([[0.0], given, taken])
        change = np.concatenate([[0.0], -units, units])
        order = np.argsort(times, kind="stable")
        times, level = times[order], np.cumsum(change[order])
        last = np.append(np.diff(times) > 0, True)
        return times[last], level[last]

    def peak(self, buffer: int) -> float:
        """Return the most units of a buffer that are held at a time."""
        return float(self.level(buffer)[1].max())


def simulate_tasks(graph: TaskGraph) -> TaskRun:
    """Play the tasks through: every stage starts what it may as soon as it can.

    At one moment tasks end first, and then stages start what they may, the first stage first.
    Moments that differ by rounding alone are one moment where all times are multiples of a unit.

    Parameters
    ----------
    graph : TaskGraph
        Tasks, stages, order and holds.

    Returns
    -------
    TaskRun

    Raises
    ------
    ValueError
        If tasks wait for each other for ever; says which and for what. If a hold's last task is
        over when its first one starts.

    Examples
    --------
    Two jobs pass two machines, with one place between them:

    >>> line = TaskGraph([0, 0, 1, 1], [1.0, 1.0, 3.0, 3.0], [(0, 2), (1, 3)])
    >>> run = simulate_tasks(line)
    >>> run.start, run.makespan
    (array([0., 1., 1., 4.]), 7.0)
    >>> run.idle_fraction.round(2)
    array([0.71, 0.14])
    """
    unit = lattice_span(graph.duration, graph.lag, graph.release)
    plan, state = _plan(graph, unit), _state(graph, unit)
    is_long = is_worth_compiling(advance, graph.tasks, WORTH_COMPILING)
    if not is_long:
        plan, state = as_lists((plan, state))
    play = loaded(advance) if is_long else advance
    if not play(plan, state):
        raise ValueError(f"graph must let every task start, got {_stuck(graph, plan, state)}")
    seconds = unit or 1.0
    run = TaskRun(graph, np.asarray(state.start) * seconds, np.asarray(state.end) * seconds)
    _check_holds(run)
    return run


def _check_holds(run: TaskRun) -> None:
    """Refuse holds whose last task was over when the first one started."""
    first, last = run.graph.holds.first, run.graph.holds.last
    began, over = run.start[first], run.end[last]
    backward = np.flatnonzero((over <= began) & (run.start[last] < began))
    if backward.size:
        hold = backward[0]
        one, other = first[hold], last[hold]
        raise ValueError(
            f"holds must begin before they end, got hold {hold} from the start of task {one} "
            f"at {began[hold]:g} s to the end of task {other} at {over[hold]:g} s"
        )


def _plan(graph: TaskGraph, unit: float | None) -> Plan:
    holds, n = graph.holds, graph.tasks
    order, order_at = _grouped(graph.stage, graph.stages, graph.priority)
    rank = np.empty(n, np.int64)
    rank[order] = np.arange(n) - np.repeat(order_at[:-1], np.diff(order_at))
    by_first, after_at = _grouped(graph.edges[:, 0], n)
    take, take_at = _grouped(holds.first, n)
    give, give_at = _grouped(holds.last, n)
    used = np.unique(holds.buffer * graph.stages + graph.stage[holds.first])
    arrays: dict[str, Any] = {
        "stage": graph.stage,
        "duration": in_units(graph.duration, unit),
        "servers": graph.servers,
        "in_order": graph.in_order.astype(np.int64),
        "order": order,
        "order_at": order_at,
        "rank": rank,
        "after": graph.edges[by_first, 1],
        "after_at": after_at,
        "lag": in_units(graph.lag, unit)[by_first],
        "take": take,
        "take_at": take_at,
        "give": give,
        "give_at": give_at,
        "buffer": holds.buffer,
        "units": holds.units,
        "capacity": graph.capacity * (1 + _SLACK),
        "user": used % graph.stages,
        "user_at": np.searchsorted(used, np.arange(graph.capacity.size + 1) * graph.stages),
    }
    contiguous: Any = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    return Plan(tasks=n, **contiguous)


def _state(graph: TaskGraph, unit: float | None) -> State:
    n, stages, release = graph.tasks, graph.stages, in_units(graph.release, unit)
    missing = np.bincount(graph.edges[:, 1], minlength=n)
    free = np.flatnonzero(missing == 0)
    first = free[np.argsort(release[free], kind="stable")]
    events: Any = Heap(reals(n), ints(n))
    events.key[: first.size], events.item[: first.size] = release[first], first
    arrays: dict[str, Any] = {
        "counter": np.array([first.size, 0, 0]),
        "status": ints(n),
        "missing": missing,
        "earliest": release.copy(),
        "start": reals(n, np.nan),
        "end": reals(n, np.nan),
        "busy": ints(stages),
        "begun": ints(stages),
        "ready": ints(stages),
        "queues": Heap(reals(n), ints(n)),
        "blocked": ints(stages, NONE),
        "level": reals(graph.capacity.size),
        "marked": ints(stages),
        "marks": Heap(reals(stages), ints(stages)),
        "events": events,
    }
    return State(**arrays)


def _grouped(key: IntArray, groups: int, rank: Floats | None = None) -> tuple[IntArray, IntArray]:
    """Return the order that puts equal keys together, and where each of `groups` begins in it."""
    # NumPy sorts short integers in linear time.
    short = key.astype(np.int16) if groups <= np.iinfo(np.int16).max else key
    if rank is None:
        order = np.argsort(short, kind="stable")
    else:
        by_rank = np.argsort(rank, kind="stable")
        order = by_rank[np.argsort(short[by_rank], kind="stable")]
    return order, np.concatenate([[0], np.cumsum(np.bincount(key, minlength=groups))])


def _stuck(graph: TaskGraph, plan: Plan, state: State) -> str:
    """Return in words who waits for what."""
    status = np.asarray(state.status)
    waiting = int((status != DONE).sum())
    text = f"{waiting} of {graph.tasks} waiting for ever"
    for stage, buffer in enumerate(state.blocked):
        if buffer != NONE:
            return f"{text}; stage {stage} for room in buffer {buffer}"
    ready = np.flatnonzero(status == READY)
    if ready.size:
        stage = int(graph.stage[ready[0]])
        turn = plan.order[plan.order_at[stage] + state.begun[stage]]
        return f"{text}; task {ready[0]} on stage {stage} for its turn after task {turn}"
    task = int(np.flatnonzero(status != DONE)[0])
    return f"{text}; task {task} for one that waits for it"
