"""What happens at one node: a job comes, is served in its turn, and is done.

A job in service is done when the node's clock `work` reaches its key. The clock is the time of day
where the speed of a job never changes; where jobs share (PS, FB, speeds that depend on the load)
it runs at the speed that each of them gets.
"""

from __future__ import annotations

import math

from perfmodel.engine.fields import NONE, outlined
from perfmodel.engine.heap import Heap, push, remove
from perfmodel.queueing.simulation.calendar import schedule
from perfmodel.queueing.simulation.state import (
    BY_LATEST,
    BY_PRIORITY,
    BY_REMAINING,
    FIFO,
    LEVELS,
    RANKED,
    Calendar,
    Jobs,
    Plan,
    Queues,
)


def wind(plan: Plan, queues: Queues, node: int, now: float) -> None:
    """Bring the clock of `node` up to `now`."""
    if plan.varies[node] == 0:
        queues.work[node] = now
    elif queues.busy[node] == 0:
        queues.work[node] = 0.0
        queues.since[node] = now
    else:
        queues.work[node] += (now - queues.since[node]) * queues.rate[node]
        queues.since[node] = now


def refresh(plan: Plan, queues: Queues, heaps: Heap, calendar: Calendar, node: int) -> None:
    """Put the next event of `node` into the calendar; its clock must be up to date."""
    busy = queues.busy[node]
    base = 2 * node * plan.slots
    if busy == 0:
        schedule(calendar, node, math.inf)
    elif plan.varies[node] == 0:
        schedule(calendar, node, heaps.key[base])
    else:
        depth = plan.depth
        served = min(busy + queues.waiting[node], depth)
        speed = plan.speed[node * depth + served - 1]
        target = heaps.key[base]
        if plan.order[node] == LEVELS and queues.waiting[node] > 0:
            target = min(target, heaps.key[base + plan.slots])
        queues.rate[node] = speed / busy
        left = max(target - queues.work[node], 0.0) * (busy / speed)
        schedule(calendar, node, queues.since[node] + left)


def join(plan: Plan, jobs: Jobs, queues: Queues, heaps: Heap, node: int, job: int) -> bool:
    """Let `job` in to wait or be served, and tell whether the next event of `node` may change."""
    order = plan.order[node]
    free = queues.busy[node] + queues.held[node] < plan.limit[node]
    if order == LEVELS:
        level_down(plan, jobs, queues, heaps, node)
    elif order == FIFO and (not free or plan.most[node] > 1):
        append(jobs, queues, node, job)
        began = free and serve_next(plan, jobs, queues, heaps, node)
        return began or plan.varies[node] == 1
    elif order == RANKED and not free:
        key = rank(plan, jobs, node, job, jobs.remaining[job])
        if plan.preempts[node] == 0 or not displace(plan, jobs, queues, heaps, node, key):
            wait(plan, jobs, queues, heaps, node, job, key)
            return plan.varies[node] == 1
    start(plan, jobs, queues, heaps, node, job)
    return True


def start(plan: Plan, jobs: Jobs, queues: Queues, heaps: Heap, node: int, job: int) -> None:
    """Put `job` in service."""
    base = 2 * node * plan.slots
    key = queues.work[node] + jobs.remaining[job]
    push(heaps, jobs.sequence, base, queues.busy[node], key, job)
    queues.busy[node] += 1


def append(jobs: Jobs, queues: Queues, node: int, job: int) -> None:
    """Put `job` at the end of the line."""
    if queues.waiting[node] == 0:
        queues.head[node] = job
    else:
        jobs.link[queues.tail[node]] = job
    queues.tail[node] = job
    queues.waiting[node] += 1


@outlined
def wait(
    plan: Plan, jobs: Jobs, queues: Queues, heaps: Heap, node: int, job: int, key: float
) -> None:
    """Put `job` among those that wait by rank."""
    base = (2 * node + 1) * plan.slots
    push(heaps, jobs.sequence, base, queues.waiting[node], key, job)
    queues.waiting[node] += 1


def rank(plan: Plan, jobs: Jobs, node: int, job: int, remaining: float) -> float:
    """Return what a RANKED node sorts by: the least goes first."""
    by = plan.rank[node]
    if by == BY_REMAINING:
        return remaining
    if by == BY_PRIORITY:
        return plan.priority[jobs.kind[job]] * 1.0
    if by == BY_LATEST:
        return -1.0 * jobs.sequence[job]
    return jobs.size[job]


@outlined
def displace(plan: Plan, jobs: Jobs, queues: Queues, heaps: Heap, node: int, key: float) -> bool:
    """Send the job in service that ranks last back to wait, if it ranks after `key`."""
    base = 2 * node * plan.slots
    worst, index = -math.inf, NONE
    for i in range(queues.busy[node]):
        job = heaps.item[base + i]
        other = rank(plan, jobs, node, job, heaps.key[base + i] - queues.work[node])
        if other > worst:
            worst, index = other, i
    if index == NONE or worst <= key:
        return False
    remaining = heaps.key[base + index] - queues.work[node]
    job = remove(heaps, jobs.sequence, base, queues.busy[node], index)
    queues.busy[node] -= 1
    jobs.remaining[job] = max(remaining, 0.0)
    wait(plan, jobs, queues, heaps, node, job, worst)
    return True


def serve_next(plan: Plan, jobs: Jobs, queues: Queues, heaps: Heap, node: int) -> bool:
    """Put waiting jobs in service while a server is free; tell whether there were any."""
    if queues.waiting[node] == 0 or plan.order[node] == LEVELS:
        return level_up(plan, jobs, queues, heaps, node)
    base = (2 * node + 1) * plan.slots
    began = False
    while (
        queues.waiting[node] >= plan.least[node]
        and queues.busy[node] + queues.held[node] < plan.limit[node]
    ):
        if plan.order[node] == RANKED:
            job = remove(heaps, jobs.sequence, base, queues.waiting[node], 0)
            queues.waiting[node] -= 1
        else:
            job = take_batch(plan, jobs, queues, node)
        start(plan, jobs, queues, heaps, node, job)
        began = True
    return began


@outlined
def take_batch(plan: Plan, jobs: Jobs, queues: Queues, node: int) -> int:
    """Take the jobs at the head of the line that one server serves; the first stands for all."""
    taken = min(queues.waiting[node], plan.most[node])
    first = queues.head[node]
    last = first
    for _ in range(taken - 1):
        last = jobs.link[last]
    queues.head[node] = jobs.link[last]
    jobs.link[last] = NONE
    queues.waiting[node] -= taken
    if plan.most[node] > 1:
        jobs.remaining[first] = (
            jobs.size[first] * plan.stretch[node * plan.largest_batch + taken - 1]
        )
    return first


@outlined
def level_down(plan: Plan, jobs: Jobs, queues: Queues, heaps: Heap, node: int) -> None:
    """FB: a job without any service comes, so that all that are in service wait at their level."""
    base = 2 * node * plan.slots
    for i in range(queues.busy[node]):
        wait(plan, jobs, queues, heaps, node, heaps.item[base + i], queues.work[node])
    queues.busy[node] = 0
    queues.work[node] = 0.0


@outlined
def level_up(plan: Plan, jobs: Jobs, queues: Queues, heaps: Heap, node: int) -> bool:
    """FB: when the level in service reaches that of waiting jobs, or is empty, they join it."""
    if plan.order[node] != LEVELS or queues.waiting[node] == 0:
        return False
    base = 2 * node * plan.slots
    waiting = base + plan.slots
    level = heaps.key[waiting]
    if queues.busy[node] > 0 and queues.work[node] < level:
        return False
    queues.work[node] = level
    while queues.waiting[node] > 0 and heaps.key[waiting] == level:
        job = remove(heaps, jobs.sequence, waiting, queues.waiting[node], 0)
        queues.waiting[node] -= 1
        push(heaps, jobs.sequence, base, queues.busy[node], jobs.size[job], job)
        queues.busy[node] += 1
    return True


def complete(
    plan: Plan, jobs: Jobs, queues: Queues, heaps: Heap, calendar: Calendar, node: int
) -> int:
    """Return the job that is done at `node` now, or NONE where only levels have met."""
    now = calendar.time[calendar.leaves + node]
    base = 2 * node * plan.slots
    wind(plan, queues, node, now)
    if plan.order[node] == LEVELS and queues.waiting[node] > 0:
        level = heaps.key[base + plan.slots]
        if level < heaps.key[base]:
            queues.work[node] = level
            level_up(plan, jobs, queues, heaps, node)
            refresh(plan, queues, heaps, calendar, node)
            return NONE
    if plan.varies[node] == 1:
        queues.work[node] = heaps.key[base]
    job = remove(heaps, jobs.sequence, base, queues.busy[node], 0)
    queues.busy[node] -= 1
    return job
