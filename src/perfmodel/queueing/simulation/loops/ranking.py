"""One server that takes jobs from outside by rank: one is in service, the others in a heap."""

from __future__ import annotations

import math

from perfmodel.engine.fields import NONE
from perfmodel.engine.heap import Heap, push, remove
from perfmodel.queueing.simulation.loops.trail import note, take_stock_of_one
from perfmodel.queueing.simulation.loops.visit import begin_visit, end_visit
from perfmodel.queueing.simulation.service import rank
from perfmodel.queueing.simulation.state import (
    DONE,
    DUE,
    PAUSE,
    Jobs,
    Plan,
    Record,
    State,
)
from perfmodel.queueing.simulation.transitions import draw


def run_ranking(plan: Plan, state: State) -> bool:
    """Run until a buffer must be seen to (False), or the run is over (True)."""
    count, jobs, queues, heaps, calendar, streams, record, _ = state
    over, coming = calendar.time[2], calendar.time[3]
    served, waiting = queues.head[0], queues.waiting[0]
    while count[DONE] < plan.target and count[PAUSE] == 0:
        if over <= coming:
            now = over
            end_visit(plan, count, jobs, record, served, now)
            served, over = NONE, math.inf
            if waiting > 0:
                served = remove(heaps, jobs.sequence, 0, waiting, 0)
                over = now + jobs.remaining[served]
                waiting -= 1
            if count[DONE] >= count[DUE]:
                count_ranked(jobs, heaps, record, served, waiting)
                note(plan, count, record, now)
        else:
            now = coming
            coming = now + draw(count, streams, 1)
            size = draw(count, streams, 0)
            job = begin_visit(count, jobs, size, now)
            jobs.remaining[job] = size
            if over == math.inf:
                served, over = job, now + size
                continue
            key, waits = rank(plan, jobs, 0, job, size), job
            if plan.preempts[0] == 1:
                served_key = rank(plan, jobs, 0, served, over - now)
                if served_key > key:
                    jobs.remaining[served] = over - now
                    key, waits, served, over = served_key, served, job, now + size
            push(heaps, jobs.sequence, 0, waiting, key, waits)
            waiting += 1
    calendar.time[2], calendar.time[3] = over, coming
    queues.head[0], queues.waiting[0] = served, waiting
    return count[DONE] >= plan.target


def count_ranked(jobs: Jobs, heaps: Heap, record: Record, served: int, waiting: int) -> None:
    """Bring the tally up to date with those present."""
    since = jobs.arrived[served] if served != NONE else 0.0
    for i in range(waiting):
        since += jobs.arrived[heaps.item[i]]
    present = waiting + (1 if served != NONE else 0)
    take_stock_of_one(record, present, since)
