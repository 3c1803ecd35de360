"""Stations first come, first served and delays, of any classes and routes: no rank, no limit.

It does what the general loop does, event by event, without testing for features that such a network
never has. The present customers are counted only when the sums are written down.
"""

from __future__ import annotations

import math

from perfmodel.engine.fields import NONE, outlined
from perfmodel.engine.heap import push, remove
from perfmodel.queueing.simulation.calendar import schedule
from perfmodel.queueing.simulation.loops.trail import note
from perfmodel.queueing.simulation.service import append
from perfmodel.queueing.simulation.state import (
    AREA,
    ARRIVED,
    BEGINS,
    DEPARTED,
    DONE,
    DUE,
    PAUSE,
    PRESENT,
    RESPONSE,
    SEQUENCE,
    TALLY,
    WORK,
    Plan,
    Record,
    State,
)
from perfmodel.queueing.simulation.transitions import arrive, draw, keep, next_hop, release


def run_routing(plan: Plan, state: State) -> bool:
    """Run until a buffer must be seen to (False), or the run is over (True)."""
    count, jobs, _, _, calendar, streams, record, _ = state
    nodes, classes = plan.nodes, plan.classes
    while count[DONE] < plan.target:
        if count[PAUSE] == 1:
            return False
        node = calendar.winner[1]
        now = calendar.time[1]
        if node >= nodes:
            if now == math.inf:
                return True
            job = arrive(plan, count, jobs, calendar, streams, node - nodes, now)
            goal = jobs.goal[job]
            if jobs.ends[job] == BEGINS:
                jobs.entered[job] = now
        else:
            job = end_service(plan, state, node, now)
            kind = jobs.kind[job]
            series = node * classes + kind
            record.tally[TALLY * series + WORK] += jobs.size[job]
            count_response(plan, state, series, now - jobs.arrived[job])
            if plan.think[kind] == node:
                goal = next_hop(plan, count, streams, kind, nodes)
                jobs.entered[job] = now
            else:
                goal = next_hop(plan, count, streams, kind, node)
                if goal == NONE:
                    count_response(plan, state, nodes * classes + kind, now - jobs.entered[job])
                    count[DONE] += 1
                    if plan.closed[kind] == 1:
                        goal = plan.think[kind]
                        if goal == NONE:
                            goal = next_hop(plan, count, streams, kind, nodes)
                            jobs.entered[job] = now
        if goal == NONE:
            release(count, jobs, job, NONE)
        else:
            join_queue(plan, state, job, goal, now)
        if count[DONE] >= count[DUE]:
            count_present(plan, state)
            note(plan, count, record, now)
    return True


def end_service(plan: Plan, state: State, node: int, now: float) -> int:
    """Return the job that is done at `node`, and serve the first that waits there."""
    jobs, queues, heaps = state.jobs, state.queues, state.heaps
    base, busy = 2 * node * plan.slots, queues.busy[node]
    job = heaps.item[base]
    if busy > 1:
        job = remove(heaps, jobs.sequence, base, busy, 0)
    upcoming = heaps.key[base] if busy > 1 else math.inf
    if queues.waiting[node] > 0:
        following = queues.head[node]
        queues.head[node] = jobs.link[following]
        queues.waiting[node] -= 1
        leaves = now + jobs.size[following]
        push(heaps, jobs.sequence, base, busy - 1, leaves, following)
        upcoming = min(upcoming, leaves)
    else:
        queues.busy[node] = busy - 1
    schedule(state.calendar, node, upcoming)
    return job


def join_queue(plan: Plan, state: State, job: int, node: int, now: float) -> None:
    """Bring `job` to `node` with a new service time, to be served if a server is free."""
    count, jobs, queues = state.counter, state.jobs, state.queues
    size = draw(count, state.streams, node * plan.classes + jobs.kind[job])
    jobs.size[job] = size
    jobs.arrived[job] = now
    jobs.sequence[job] = count[SEQUENCE]
    count[SEQUENCE] += 1
    if queues.busy[node] >= plan.limit[node]:
        append(jobs, queues, node, job)
        return
    base, busy, leaves = 2 * node * plan.slots, queues.busy[node], now + size
    push(state.heaps, jobs.sequence, base, busy, leaves, job)
    queues.busy[node] = busy + 1
    schedule(state.calendar, node, leaves if busy == 0 else state.heaps.key[base])


def count_response(plan: Plan, state: State, series: int, response: float) -> None:
    """Count who leaves a node, or the network, after `response`."""
    record = state.record
    record.tally[TALLY * series + DEPARTED] += 1.0
    record.tally[TALLY * series + RESPONSE] += response
    keep(plan, state.counter, record, series, response)


@outlined
def count_present(plan: Plan, state: State) -> None:
    """Bring the tally up to date with those present."""
    jobs, queues, record = state.jobs, state.queues, state.record
    rows = plan.classes * (plan.nodes + 1)
    for row in range(rows):
        record.tally[TALLY * row + PRESENT] = 0.0
        record.tally[TALLY * row + AREA] = 0.0
    for node in range(plan.nodes):
        base = 2 * node * plan.slots
        for i in range(queues.busy[node]):
            count_job(plan, state, record, node, state.heaps.item[base + i])
        job = queues.head[node]
        for _ in range(queues.waiting[node]):
            count_job(plan, state, record, node, job)
            job = jobs.link[job]
    for row in range(rows):
        at = TALLY * row
        record.tally[at + AREA] -= record.tally[at + RESPONSE]
        record.tally[at + ARRIVED] = record.tally[at + DEPARTED] + record.tally[at + PRESENT]


def count_job(plan: Plan, state: State, record: Record, node: int, job: int) -> None:
    """Add a job to those present at `node`, and in the network unless it thinks."""
    jobs, kind = state.jobs, state.jobs.kind[job]
    row = TALLY * (node * plan.classes + kind)
    record.tally[row + PRESENT] += 1.0
    record.tally[row + AREA] += jobs.arrived[job]
    if plan.think[kind] != node:
        row = TALLY * (plan.nodes * plan.classes + kind)
        record.tally[row + PRESENT] += 1.0
        record.tally[row + AREA] += jobs.entered[job]
