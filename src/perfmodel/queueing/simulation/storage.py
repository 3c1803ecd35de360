"""The arrays that the event core works on: made, refilled, enlarged and emptied in pauses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from perfmodel.engine.fields import NONE, as_lists, ints, reals, zeros
from perfmodel.engine.heap import Heap
from perfmodel.queueing.network.model import Network
from perfmodel.queueing.simulation.options import Options
from perfmodel.queueing.simulation.state import (
    AHEAD,
    CHAIN,
    DUE,
    FREE,
    PAUSE,
    RANDOM,
    SPARE,
    STRIDE,
    TALLY,
    Calendar,
    Jobs,
    Plan,
    Queues,
    Record,
    State,
    Streams,
    Window,
)
from perfmodel.queueing.simulation.streams import Stream, counted, generator
from perfmodel.validation import Floats

POOL = 2**18
"""Random numbers that are drawn ahead."""
SAMPLES = 2**23
"""Response times that are kept until they are moved away."""


@dataclass(frozen=True)
class Sources:
    """The streams by their place in the pool; begin and end of each one's part."""

    streams: dict[int, Stream]
    names: dict[int, str]
    begin: Floats
    end: Floats
    margin: int
    """What a single event can use up of one buffer, at most."""
    most: int
    """Draws that the busiest stream is expected to need."""
    unit: float
    """Seconds in the draws' unit of time."""


def margin_of(plan: Plan) -> int:
    """Return how much of one buffer a single event can use up, at most."""
    looks = max(len(plan.member), *plan.looks)
    return int(64 + (4 + looks) * plan.largest_batch + 2 * plan.nodes + 2 * len(plan.branch))


def sources_of(
    network: Network, options: Options, plan: Plan, seed: int, replication: int
) -> Sources:
    """Return the streams of all draws, with room in the pool by how often each is used."""
    laws = _laws(network, options, plan)
    drawn, unit = counted([law for law, _, _ in laws.values()], stretched=bool(options.batches))
    streams = {
        i: Stream(law, generator(seed, replication, *name))
        for law, (i, (_, name, _)) in zip(drawn, laws.items(), strict=True)
    }
    share = np.zeros((plan.nodes + 3) * plan.classes)
    margin = margin_of(plan)
    for i, (_, _, use) in laws.items():
        share[i] = use
    need = share * 1.02 + 4 * np.sqrt(share) + 2 * margin
    room = np.minimum(need, np.maximum(4 * margin, POOL * share / max(share.sum(), 1)))
    room = np.where(share > 0, np.ceil(room), 0).astype(np.int64)
    end = room.cumsum()
    names = {
        i: f"{name[0]} of class {name[1]!r}" + (f" at station {name[2]!r}" if name[2:] else "")
        for i, (_, name, _) in laws.items()
    }
    return Sources(streams, names, end - room, end, margin, int(share.max()), unit)


Draws = tuple[Any, tuple[str, ...], float]
"""A law, the names of its stream and how many draws are expected."""


def _laws(network: Network, options: Options, plan: Plan) -> dict[int, Draws]:
    """Return law, name and expected number of draws of each stream in use, by its place."""
    nodes, classes, target = plan.nodes, plan.classes, plan.target
    visits, rate = options.visits(network), network.arrival_rate
    jobs = np.where(network.is_open, rate / max(rate.sum(), 1e-300), 1.0) * target
    laws: dict[int, Draws] = {}
    for c, job in enumerate(network.classes):
        for s, station in enumerate(network.stations):
            if visits[c, s] > 0:
                law = network.service[c][s]
                use = jobs[c] * visits[c, s]
                laws[s * classes + c] = (law, ("service", job.name, station.name), use)
        if job.think_time > 0:
            law = float(job.think_time)
            laws[(nodes - 1) * classes + c] = (law, ("think time", job.name), jobs[c])
        arrivals: Any = np.zeros(job.population or 0)
        if job.arrival_rate is not None:
            arrivals = options.arrivals.get(job.name, 1.0 / job.arrival_rate)
        use = float(job.population or jobs[c])
        laws[nodes * classes + c] = (arrivals, ("interarrival time", job.name), use)
        if (np.reshape(plan.hop, (classes, -1))[c] == RANDOM).any():
            use = jobs[c] * (visits[c].sum() + 1)
            laws[(nodes + 1) * classes + c] = (None, ("route", job.name), use)
        if options.dispatch:
            use = jobs[c] * visits[c].sum() * max(len(plan.member), *plan.looks)
            laws[(nodes + 2) * classes + c] = (None, ("choice", job.name), use)
    return laws


def state_of(plan: Plan, sources: Sources, slots: int) -> tuple[Plan, State]:
    """Return the plan with its sizes and the state at time 0, all arrays still NumPy's."""
    nodes, classes = plan.nodes, plan.classes
    columns = max(1, plan.columns)
    width = 4 * sources.margin + min(SAMPLES // columns, 2 * sources.most)
    leaves = 1 << max(1, int(nodes + classes - 1).bit_length())
    rows = nodes * classes + classes
    state = State(
        counter=ints(7),
        jobs=_jobs(0, slots),
        queues=zeros(Queues, nodes)._replace(blocked=ints(nodes, NONE)),
        heaps=Heap(reals(2 * nodes * slots), ints(2 * nodes * slots)),
        calendar=calendar_of(leaves),
        streams=_filled(sources),
        record=Record(
            reals(rows * TALLY),
            reals(columns * width),
            ints(columns),
            reals((2 * plan.trail_rows + 2) * (rows * TALLY + 1)),
        ),
        window=_window(plan, slots),
    )
    state.counter[SPARE], state.counter[DUE] = slots - sources.margin, 1
    full = width - sources.margin
    return plan._replace(slots=slots, column_size=width, column_full=full), state


def attend(
    plan: Plan, state: State, sources: Sources, series: list[list[Floats]]
) -> tuple[Plan, State]:
    """See to whatever made the core pause: draw more, move samples away, make room for jobs."""
    state.counter[PAUSE] = 0
    check_traces(state.streams, sources)
    refill(state.streams, sources)
    empty(plan, state.record, series)
    return enlarged(plan, state) if state.counter[SPARE] <= 0 else (plan, state)


def refill(streams: Streams, sources: Sources) -> None:
    """Draw ahead again wherever less than half is left, so that pauses are few."""
    pool: Any = streams.pool
    at = streams.at
    for i, stream in sources.streams.items():
        begin, end = int(sources.begin[i]), int(sources.end[i])
        if at[i] < min(streams.low[i], (begin + end) // 2):
            continue
        rest = end - at[i]
        pool[begin : begin + rest] = pool[at[i] : end]
        if isinstance(pool, list):
            pool[begin + rest : end] = stream.take(end - begin - rest).tolist()
        else:
            stream.fill(pool[begin + rest : end])
        at[i] = begin


def check_traces(streams: Streams, sources: Sources) -> None:
    """Refuse to go on after the end of a trace of service times; name it and its length."""
    for i, stream in sources.streams.items():
        drawn = stream.taken - sources.end[i] + streams.at[i]
        if drawn > stream.length and not sources.names[i].startswith("interarrival"):
            raise ValueError(
                f"trace of {sources.names[i]} must be as long as the run, "
                f"got {stream.length:g} times"
            )


def empty(plan: Plan, record: Record, series: list[list[Floats]], last: bool = False) -> None:
    """Move the samples of full columns, or at last of all, to `series`, a list of pieces each."""
    width = int(plan.column_size)
    for column, pieces in enumerate(series):
        begin, filled = column * width, record.filled[column]
        if last:
            pieces.append(np.asarray(record.sample[begin : begin + filled]))
        elif filled >= plan.column_full:
            pieces.append(np.array(record.sample[begin : begin + filled]))
            record.filled[column] = 0


def enlarged(plan: Plan, state: State) -> tuple[Plan, State]:
    """Return plan and state with twice the job slots."""
    old = plan.slots
    fresh = _jobs(old, 2 * old)
    fresh.link[-1] = state.counter[FREE]
    state.counter[FREE] = old
    state.counter[SPARE] += old
    join: Any = np.concatenate
    jobs = Jobs(*(join(pair) for pair in zip(state.jobs, fresh, strict=True)))
    heaps = Heap(*(_widened(h, old) for h in state.heaps))
    window = state.window._replace(row=_widened(state.window.row, old))
    made: Any = (jobs, heaps, window)
    jobs, heaps, window = as_lists(made) if isinstance(plan.hop, list) else made
    return plan._replace(slots=2 * old), state._replace(jobs=jobs, heaps=heaps, window=window)


def _widened(table: Any, columns: int) -> Any:
    """Return a table of this many columns, without its shape, with as many more."""
    return np.pad(np.reshape(table, (-1, columns)), ((0, 0), (0, columns))).ravel()


def slots_of(plan: Plan, sources: Sources) -> int:
    """Return how many jobs there is room for at first."""
    ahead = 4 * STRIDE + 2 * plan.population if plan.loop in AHEAD else 0
    return int(64 + 2 * sources.margin + ahead)


def _window(plan: Plan, slots: int) -> Window:
    """Return the window of a loop that has one, with as many of the past as it looks back at."""
    nodes = plan.nodes
    begin = max(plan.population, 1)
    row = reals((2 * nodes + 2) * slots if plan.loop in AHEAD else 0)
    return Window(row, ints(2, begin), ints(nodes + 1, begin if plan.loop == CHAIN else 0))


def _jobs(begin: int, end: int) -> Jobs:
    """Return free slots from `begin` to `end`, chained."""
    link = np.append(np.arange(begin + 1, end), NONE)
    return cast(Jobs, zeros(Jobs, end - begin)._replace(link=link))


def calendar_of(leaves: int) -> Calendar:
    """Return the calendar of sources that all have no event yet."""
    winner = ints(2 * leaves)
    winner[leaves:] = np.arange(leaves)
    for node in range(leaves - 1, 0, -1):
        winner[node] = winner[2 * node]
    return Calendar(leaves, reals(2 * leaves, math.inf), winner)


def _filled(sources: Sources) -> Streams:
    pool: Any = np.empty(int(sources.end[-1]))
    for i, stream in sources.streams.items():
        begin, end = int(sources.begin[i]), int(sources.end[i])
        stream.fill(pool[begin:end])
    at, low = ints(len(sources.begin)), ints(len(sources.end))
    at[:], low[:] = sources.begin, sources.end - sources.margin
    return Streams(pool, at, low)
