"""One run from start to end: the event core between pauses, and what it leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from perfmodel.engine.fields import as_lists
from perfmodel.engine.object_files import is_worth_compiling, loaded
from perfmodel.queueing.network.model import Network
from perfmodel.queueing.simulation import core
from perfmodel.queueing.simulation.calendar import schedule
from perfmodel.queueing.simulation.loops.choice import loop_of
from perfmodel.queueing.simulation.options import Options
from perfmodel.queueing.simulation.setup import plan_of
from perfmodel.queueing.simulation.state import (
    AHEAD,
    AREA,
    DONE,
    GENERAL,
    HELD,
    RESPONSE,
    ROW,
    TALLY,
    WORK,
    Plan,
    State,
)
from perfmodel.queueing.simulation.storage import (
    Sources,
    attend,
    check_traces,
    empty,
    slots_of,
    sources_of,
    state_of,
)
from perfmodel.queueing.simulation.transitions import draw
from perfmodel.validation import Floats

WORTH_COMPILING = 50_000
"""Visits above which a run compiles its loop on its first use; fewer take plain Python 0.6 s."""

Progress = Callable[[float], None]
"""Is told the share of the run that is done."""


@dataclass(frozen=True)
class Run:
    """The raw outcome of one run."""

    time: Floats
    """Moments of the trail in seconds, shape (moments,)."""
    trail: Floats
    """Sums since time 0, shape (moments, tally rows, tally columns)."""
    series: tuple[Floats, ...]
    """Sampled response times by column, in order of departure."""
    column: tuple[int, ...]
    """The column of each tally row, or -1."""
    done: int
    """Jobs or cycles completed."""


def run(
    network: Network,
    options: Options,
    customers: int,
    seed: int,
    replication: int = 0,
    progress: Progress | None = None,
    fast: bool | None = None,
    general: bool = False,
) -> Run:
    """Simulate until `customers` jobs or cycles are done; compiled if `fast` or, unsaid, if long.

    Networks that have a loop of their own take it unless `general`; the numbers are the same.

    Raises `ValueError` if jobs block each other for ever, or a trace of service times is too short.
    """
    loop = GENERAL if general else loop_of(network, options)
    plan = plan_of(network, options, customers, sampled=True, loop=loop)
    sources = sources_of(network, options, plan, seed, replication)
    plan, state = state_of(plan, sources, slots_of(plan, sources))
    visits = customers * options.visits(network).sum(axis=1).max()
    if fast is None:
        fast = is_worth_compiling(core.LOOPS[loop], float(visits), WORTH_COMPILING)
    if not fast:
        plan, state = as_lists((plan, state))
    if loop not in AHEAD:
        _open(plan, state)
    series: list[list[Floats]] = [[] for _ in range(max(plan.column) + 1)]
    advance = _advancing(plan, state, fast)
    while not advance():
        was = state
        plan, state = attend(plan, state, sources, series)
        advance = advance if state is was else _advancing(plan, state, fast)
        if progress:
            progress(state.counter[DONE] / customers)
    empty(plan, state.record, series, last=True)
    _check_end(network, state, sources)
    return _outcome(plan, state, series, sources.unit)


def _advancing(plan: Plan, state: State, fast: bool) -> Callable[[], bool]:
    """Return the run's loop bound to its state, in machine code if `fast`."""
    loop = core.LOOPS[plan.loop]
    if fast:
        return loaded(loop).bound(plan, state)
    return partial(loop, plan, state)


def _open(plan: Plan, state: State) -> None:
    """Schedule the first arrival of every class."""
    for kind in range(plan.classes):
        stream = plan.nodes * plan.classes + kind
        first = float(draw(state.counter, state.streams, stream))
        schedule(state.calendar, int(plan.nodes) + kind, first)


def _check_end(network: Network, state: State, sources: Sources) -> None:
    check_traces(state.streams, sources)
    held = {s.name: int(h) for s, h in zip(network.stations, state.queues.held, strict=False) if h}
    if held and not np.isfinite(min(state.calendar.time)):
        raise ValueError(f"capacity must let jobs move on, got all blocked for ever at {held}")


def _outcome(plan: Plan, state: State, series: list[list[Floats]], unit: float) -> Run:
    """Return what a run leaves, in seconds."""
    rows = int(state.counter[ROW])
    width = len(state.record.tally) + 1
    trail = np.array(state.record.trail[: rows * width], dtype=np.float64).reshape(rows, width)
    sums = trail[:, 1:].reshape(rows, -1, TALLY)
    sums[..., [RESPONSE, WORK, AREA, HELD]] *= unit
    joined = [pieces[0] if len(pieces) == 1 else np.concatenate(pieces) for pieces in series]
    return Run(
        time=trail[:, 0] * unit,
        trail=sums,
        series=tuple(joined if unit == 1.0 else (times * unit for times in joined)),
        column=tuple(int(c) for c in plan.column),
        done=int(state.counter[DONE]),
    )
