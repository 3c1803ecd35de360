"""The event core: ends and releases in a heap of times, ready tasks in a heap for each stage.

A loop of `perfmodel.engine`: a long run takes it as machine code, a short one as it is, over lists.
"""

from __future__ import annotations

from typing import NamedTuple

from perfmodel.engine.fields import NONE, Ints, Reals
from perfmodel.engine.heap import Heap, push, remove

WAITING, READY, RUNNING, DONE = range(4)
# Fields of State.counter.
EVENTS, MARKED, ENDED = range(3)


class Plan(NamedTuple):
    """What doesn't change. Lists of a task, stage or buffer i stand from `..._at[i]` on."""

    tasks: int
    stage: Ints
    duration: Reals
    servers: Ints
    in_order: Ints
    order: Ints
    """All tasks stage by stage, each stage's in the order of their priority."""
    order_at: Ints
    rank: Ints
    """A task's index in the order of its stage."""
    after: Ints
    """The tasks that wait for a task."""
    after_at: Ints
    lag: Reals
    take: Ints
    """The holds that begin with a task."""
    take_at: Ints
    give: Ints
    """The holds that end with a task."""
    give_at: Ints
    buffer: Ints
    units: Reals
    capacity: Reals
    user: Ints
    """The stages that take units of a buffer."""
    user_at: Ints


class State(NamedTuple):
    """What changes, all arrays flat."""

    counter: Ints
    status: Ints
    missing: Ints
    """Tasks that a task still waits for."""
    earliest: Reals
    """Since when a task could start, as far as is known: its release and its predecessors' lag."""
    start: Reals
    end: Reals
    busy: Ints
    begun: Ints
    ready: Ints
    """Tasks of a stage in its heap."""
    queues: Heap
    """The ready tasks of each stage by rank, from `order_at` on."""
    blocked: Ints
    """The buffer without room that a stage waits for, or NONE."""
    level: Reals
    marked: Ints
    """1 where a stage is to be looked at."""
    marks: Heap
    """The stages to be looked at, the first of them first."""
    events: Heap
    """When tasks end, or may be ready."""


def advance(plan: Plan, state: State) -> bool:
    """Play the events, all of one moment before anything starts, until none is left.

    Returns whether all tasks have ended.
    """
    count, status = state.counter, state.status
    while count[EVENTS] > 0:
        now = state.events.key[0]
        while count[EVENTS] > 0 and state.events.key[0] == now:
            task = remove(state.events, plan.rank, 0, count[EVENTS], 0)
            count[EVENTS] -= 1
            if status[task] == WAITING:
                make_ready(plan, state, task)
            else:
                finish(plan, state, task, now)
        start_marked(plan, state, now)
    return count[ENDED] == plan.tasks


def finish(plan: Plan, state: State, task: int, now: float) -> None:
    """End a task: free its server, return its last holds, count it off at its successors."""
    stage, count = plan.stage[task], state.counter
    state.status[task] = DONE
    state.end[task] = now
    state.busy[stage] -= 1
    count[ENDED] += 1
    mark(plan, state, stage)
    for i in range(plan.give_at[task], plan.give_at[task + 1]):
        hold = plan.give[i]
        buffer = plan.buffer[hold]
        state.level[buffer] -= plan.units[hold]
        for j in range(plan.user_at[buffer], plan.user_at[buffer + 1]):
            if state.blocked[plan.user[j]] == buffer:
                mark(plan, state, plan.user[j])
    for i in range(plan.after_at[task], plan.after_at[task + 1]):
        other = plan.after[i]
        state.missing[other] -= 1
        state.earliest[other] = max(state.earliest[other], now + plan.lag[i])
        if state.missing[other] == 0:
            if state.earliest[other] <= now:
                make_ready(plan, state, other)
            else:
                push(state.events, plan.rank, 0, count[EVENTS], state.earliest[other], other)
                count[EVENTS] += 1


def make_ready(plan: Plan, state: State, task: int) -> None:
    """Let a task queue at its stage."""
    stage = plan.stage[task]
    state.status[task] = READY
    if plan.in_order[stage] == 0:
        rank, base = plan.rank, plan.order_at[stage]
        push(state.queues, rank, base, state.ready[stage], float(rank[task]), task)
    state.ready[stage] += 1
    mark(plan, state, stage)


def mark(plan: Plan, state: State, stage: int) -> None:
    """See that a stage is looked at before time goes on."""
    if state.marked[stage] == 0:
        state.marked[stage] = 1
        push(state.marks, plan.order_at, 0, state.counter[MARKED], float(stage), stage)
        state.counter[MARKED] += 1


def start_marked(plan: Plan, state: State, now: float) -> None:
    """Start what can start on the marked stages, the lowest first."""
    count = state.counter
    while count[MARKED] > 0:
        stage = remove(state.marks, plan.order_at, 0, count[MARKED], 0)
        count[MARKED] -= 1
        state.marked[stage] = 0
        state.blocked[stage] = NONE
        base = plan.order_at[stage]
        while state.busy[stage] < plan.servers[stage] and state.ready[stage] > 0:
            task = state.queues.item[base]
            if plan.in_order[stage] == 1:
                task = plan.order[base + state.begun[stage]]
            if state.status[task] != READY:
                break
            state.blocked[stage] = take_units(plan, state, task)
            if state.blocked[stage] != NONE:
                break
            if plan.in_order[stage] == 0:
                remove(state.queues, plan.rank, base, state.ready[stage], 0)
            state.ready[stage] -= 1
            state.busy[stage] += 1
            state.begun[stage] += 1
            state.status[task] = RUNNING
            state.start[task] = now
            push(state.events, plan.rank, 0, count[EVENTS], now + plan.duration[task], task)
            count[EVENTS] += 1


def take_units(plan: Plan, state: State, task: int) -> int:
    """Take all that a task holds while it runs, or nothing; return the buffer without room."""
    begin, end = plan.take_at[task], plan.take_at[task + 1]
    for i in range(begin, end):
        hold = plan.take[i]
        buffer = plan.buffer[hold]
        if state.level[buffer] + plan.units[hold] > plan.capacity[buffer]:
            for j in range(begin, i):
                state.level[plan.buffer[plan.take[j]]] -= plan.units[plan.take[j]]
            return buffer
        state.level[buffer] += plan.units[hold]
    return NONE
