"""How jobs move: in from outside, from node to node, out again; split, blocked, lost, recorded."""

from __future__ import annotations

from perfmodel.engine.fields import NONE, Ints, outlined
from perfmodel.queueing.simulation.calendar import schedule
from perfmodel.queueing.simulation.state import (
    AREA,
    ARRIVED,
    BEGINS,
    CHOSE,
    DEPARTED,
    DONE,
    DROPS,
    ENDS,
    FREE,
    HELD,
    LOST,
    PAUSE,
    PRESENT,
    RANDOM,
    RESPONSE,
    SEQUENCE,
    SPARE,
    TALLY,
    WORK,
    Calendar,
    Jobs,
    Plan,
    Queues,
    Record,
    Streams,
)


def draw(count: Ints, streams: Streams, stream: int) -> float:
    """Return the stream's next number, and ask for a pause when few are left."""
    at = streams.at[stream]
    streams.at[stream] = at + 1
    if at >= streams.low[stream]:
        count[PAUSE] = 1
    return streams.pool[at]


def next_hop(plan: Plan, count: Ints, streams: Streams, kind: int, node: int) -> int:
    """Return where a job of class `kind` goes from `node`, or NONE for out."""
    nodes = plan.nodes
    row = kind * (nodes + 1) + node
    goal = plan.hop[row]
    if goal == RANDOM:
        u = draw(count, streams, (nodes + 1) * plan.classes + kind)
        goal = 0
        for other in range(nodes):
            goal += 1 if u >= plan.odds[row * nodes + other] else 0
        if goal == nodes:
            goal = NONE
    return goal


@outlined
def choose(plan: Plan, count: Ints, jobs: Jobs, queues: Queues, streams: Streams, job: int) -> int:
    """Turn the goal of `job`, once, into the shortest station of the group that it is in."""
    best, kind = jobs.goal[job], jobs.kind[job]
    group = plan.group[best]
    if group == NONE or jobs.ends[job] & CHOSE:
        return best
    jobs.ends[job] += CHOSE
    first, end = plan.members[group], plan.members[group + 1]
    stream = (plan.nodes + 2) * plan.classes + kind
    looks = plan.looks[group]
    least, ties = 0, 0
    for i in range(looks):
        station = plan.member[first + int(draw(count, streams, stream) * (end - first))]
        present = queues.present[station] - (1 if station == jobs.node[job] else 0)
        if i == 0 or present < least:
            best, least = station, present
    for i in range(first, end if looks == 0 else first):
        station = plan.member[i]
        present = queues.present[station] - (1 if station == jobs.node[job] else 0)
        if ties == 0 or present < least:
            best, least, ties = station, present, 1
        elif present == least:
            ties += 1
            if draw(count, streams, stream) * ties < 1.0:
                best = station
    jobs.goal[job] = best
    return best


def take_slot(count: Ints, jobs: Jobs, kind: int, goal: int, parent: int) -> int:
    """Return a new job outside the network, bound for `goal`."""
    job = count[FREE]
    count[FREE] = jobs.link[job]
    count[SPARE] -= 1
    if count[SPARE] <= 0:
        count[PAUSE] = 1
    jobs.kind[job] = kind
    jobs.node[job] = NONE
    jobs.goal[job] = goal
    jobs.link[job] = NONE
    jobs.parent[job] = parent
    jobs.ends[job] = BEGINS if parent == NONE else 0
    return job


def arrive(
    plan: Plan, count: Ints, jobs: Jobs, calendar: Calendar, streams: Streams, kind: int, now: float
) -> int:
    """Return a job that comes from outside, and schedule the next of its class.

    The jobs of a closed class come so at time 0 and never again.
    """
    nodes, classes = plan.nodes, plan.classes
    gap = draw(count, streams, nodes * classes + kind)
    schedule(calendar, nodes + kind, now + gap)
    if plan.think[kind] != NONE:
        job = take_slot(count, jobs, kind, plan.think[kind], NONE)
        jobs.ends[job] = 0
        return job
    return take_slot(count, jobs, kind, next_hop(plan, count, streams, kind, nodes), NONE)


def set_goal(plan: Plan, count: Ints, jobs: Jobs, streams: Streams, node: int, job: int) -> None:
    """Decide where `job`, done at `node`, goes next."""
    kind = jobs.kind[job]
    if jobs.parent[job] != NONE:
        jobs.goal[job] = NONE
        return
    if plan.think[kind] == node:
        jobs.goal[job] = next_hop(plan, count, streams, kind, plan.nodes)
        jobs.ends[job] = BEGINS
        return
    goal = next_hop(plan, count, streams, kind, node)
    jobs.ends[job] = ENDS if goal == NONE else 0
    if goal == NONE and plan.closed[kind] == 1:
        goal = plan.think[kind]
        if goal == NONE:
            goal = next_hop(plan, count, streams, kind, plan.nodes)
            jobs.ends[job] = ENDS + BEGINS
    jobs.goal[job] = goal


@outlined
def split(
    plan: Plan, count: Ints, jobs: Jobs, queues: Queues, record: Record, job: int, now: float
) -> int:
    """Fork: return a chain of tasks, one a branch, that `job` now waits for."""
    node = jobs.node[job]
    depart(plan, count, jobs, queues, record, job, node, now)
    chain = NONE
    first, end = plan.fork[node], plan.fork[node + 1]
    jobs.pending[job] = end - first
    for i in range(end - 1, first - 1, -1):
        task = take_slot(count, jobs, jobs.kind[job], plan.branch[i], job)
        jobs.link[task] = chain
        chain = task
    return chain


def release(count: Ints, jobs: Jobs, job: int, after: int) -> int:
    """Free the slot of `job`; return `after`, behind its parent if this was its last task."""
    parent = jobs.parent[job]
    jobs.link[job] = count[FREE]
    count[FREE] = job
    count[SPARE] += 1
    if parent == NONE:
        return after
    jobs.pending[parent] -= 1
    if jobs.pending[parent] > 0:
        return after
    jobs.node[parent] = NONE
    jobs.link[parent] = after
    return parent


def take_up(
    plan: Plan,
    count: Ints,
    jobs: Jobs,
    queues: Queues,
    streams: Streams,
    record: Record,
    job: int,
    node: int,
    now: float,
) -> None:
    """Bring `job` to `node` with a new service time."""
    stream = node * plan.classes + jobs.kind[job]
    size = draw(count, streams, stream)
    jobs.node[job] = node
    jobs.link[job] = NONE
    jobs.size[job] = size
    jobs.remaining[job] = size
    jobs.arrived[job] = now
    jobs.sequence[job] = count[SEQUENCE]
    count[SEQUENCE] += 1
    queues.present[node] += 1
    row = TALLY * stream
    record.tally[row + PRESENT] += 1.0
    record.tally[row + AREA] += now
    record.tally[row + ARRIVED] += 1.0


def depart(
    plan: Plan,
    count: Ints,
    jobs: Jobs,
    queues: Queues,
    record: Record,
    job: int,
    node: int,
    now: float,
) -> None:
    """Take `job` away from `node`."""
    queues.present[node] -= 1
    stream = node * plan.classes + jobs.kind[job]
    row = TALLY * stream
    response = now - jobs.arrived[job]
    record.tally[row + DEPARTED] += 1.0
    record.tally[row + RESPONSE] += response
    record.tally[row + WORK] += jobs.size[job]
    record.tally[row + PRESENT] -= 1.0
    record.tally[row + AREA] -= now
    keep(plan, count, record, stream, response)


def keep(plan: Plan, count: Ints, record: Record, series: int, response: float) -> None:
    """Add a response time to the samples of `series`, if these are asked for."""
    column = plan.column[series]
    if column != NONE:
        filled = record.filled[column]
        record.sample[column * plan.column_size + filled] = response
        record.filled[column] = filled + 1
        if filled >= plan.column_full:
            count[PAUSE] = 1


def mark(plan: Plan, count: Ints, jobs: Jobs, record: Record, job: int, now: float) -> None:
    """Record that `job` ends or begins its stay in the network, or is dropped from it."""
    kind, ends = jobs.kind[job], jobs.ends[job]
    series = plan.nodes * plan.classes + kind
    row = TALLY * series
    if ends & (ENDS + DROPS):
        record.tally[row + PRESENT] -= 1.0
        record.tally[row + AREA] -= now
    if ends & ENDS:
        response = now - jobs.entered[job]
        record.tally[row + DEPARTED] += 1.0
        record.tally[row + RESPONSE] += response
        count[DONE] += 1
        keep(plan, count, record, series, response)
    if ends & BEGINS:
        jobs.entered[job] = now
        record.tally[row + PRESENT] += 1.0
        record.tally[row + AREA] += now
        record.tally[row + ARRIVED] += 1.0


@outlined
def lose(plan: Plan, jobs: Jobs, record: Record, job: int) -> None:
    """Turn `job` away at its goal: it leaves the network unserved."""
    kind = jobs.kind[job]
    classes = plan.classes
    record.tally[TALLY * (jobs.goal[job] * classes + kind) + LOST] += 1.0
    record.tally[TALLY * (plan.nodes * classes + kind) + LOST] += 1.0
    jobs.goal[job] = NONE
    jobs.ends[job] = 0 if jobs.ends[job] & BEGINS else DROPS


@outlined
def block(plan: Plan, jobs: Jobs, queues: Queues, record: Record, job: int, now: float) -> None:
    """Let `job` hold its server until there is room at its goal."""
    node, goal = jobs.node[job], jobs.goal[job]
    queues.held[node] += 1
    record.tally[TALLY * (node * plan.classes + jobs.kind[job]) + HELD] -= now
    jobs.link[job] = NONE
    if queues.blocked[goal] == NONE:
        queues.blocked[goal] = job
    else:
        jobs.link[queues.last_blocked[goal]] = job
    queues.last_blocked[goal] = job


@outlined
def unblock(
    plan: Plan, jobs: Jobs, queues: Queues, record: Record, node: int, after: int, now: float
) -> int:
    """Return the chain `after` behind the first job that waits for room at `node`, if any."""
    job = queues.blocked[node]
    if job == NONE or queues.present[node] >= plan.capacity[node]:
        return after
    queues.blocked[node] = jobs.link[job]
    jobs.link[job] = after
    held = jobs.node[job]
    queues.held[held] -= 1
    record.tally[TALLY * (held * plan.classes + jobs.kind[job]) + HELD] += now
    return job
