"""One station that all present share, from outside and out again: processor sharing by its clock.

The clock runs at the speed that each job gets, so a job is done when the clock reads its arrival
time plus its size, whatever comes later.
"""

from __future__ import annotations

import math

from perfmodel.engine.heap import Heap, push, remove
from perfmodel.queueing.simulation.loops.trail import note, take_stock_of_one
from perfmodel.queueing.simulation.loops.visit import begin_visit, end_visit
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


def run_sharing(plan: Plan, state: State) -> bool:
    """Run until a buffer must be seen to (False), or the run is over (True)."""
    count, jobs, queues, heaps, calendar, streams, record, _ = state
    over, coming, work = calendar.time[2], calendar.time[3], queues.work[0]
    since, rate, busy = queues.since[0], queues.rate[0], queues.busy[0]
    while count[DONE] < plan.target and count[PAUSE] == 0:
        if over <= coming:
            now, work = over, heaps.key[0]
            busy -= 1
            job = remove(heaps, jobs.sequence, 0, busy + 1, 0)
            end_visit(plan, count, jobs, record, job, now)
            if count[DONE] >= count[DUE]:
                count_shared(jobs, heaps, record, busy)
                note(plan, count, record, now)
        else:
            now = coming
            coming = now + draw(count, streams, 1)
            work = work + (now - since) * rate if busy > 0 else 0.0
            size = draw(count, streams, 0)
            push(heaps, jobs.sequence, 0, busy, work + size, begin_visit(count, jobs, size, now))
            busy += 1
        since = now
        over = math.inf
        if busy > 0:
            speed = plan.speed[min(busy, plan.depth) - 1]
            rate = speed / busy
            over = now + max(heaps.key[0] - work, 0.0) * (busy / speed)
    calendar.time[2], calendar.time[3], queues.work[0] = over, coming, work
    queues.since[0], queues.rate[0], queues.busy[0] = since, rate, busy
    return count[DONE] >= plan.target


def count_shared(jobs: Jobs, heaps: Heap, record: Record, busy: int) -> None:
    """Bring the tally up to date with those present."""
    since = 0.0
    for i in range(busy):
        since += jobs.arrived[heaps.item[i]]
    take_stock_of_one(record, busy, since)
