"""The event core: ends and releases in a heap of times, ready tasks in a heap for each stage.

Written in the part of Python that numba compiles. A long run takes it as machine code, which numba
keeps on disk from the first time on; a short one takes it as it is, over lists.

>>> times, tasks = [0.0] * 3, [0] * 3
>>> for size, (time, task) in enumerate([(2.0, 7), (1.0, 8), (3.0, 9)]):
...     push_event(times, tasks, size, time, task)
>>> pop_event(times, tasks, 3), times[0]
(8, 2.0)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from perfmodel.compilation import Ints, Reals, compiled_entry

NONE = -1
WAITING, READY, RUNNING, DONE = range(4)
# Fields of CoreState.counter.
EVENTS, MARKED, ENDED = range(3)


class CorePlan(NamedTuple):
    """What doesn't change. Lists of a task, stage or buffer i stand from `..._at[i]` on."""

    stage: Ints
    duration: Reals
    servers: Ints
    in_order: Ints
    order: Ints
    """All tasks stage by stage, each stage's in the order of their priority."""
    order_at: Ints
    place: Ints
    """Where a task stands in the order of its stage."""
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


class CoreState(NamedTuple):
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
    heap: Ints
    """The heaps of all stages, of places in the order."""
    blocked: Ints
    """The buffer without room that a stage waits for, or NONE."""
    level: Reals
    marked: Ints
    """1 where a stage is to be looked at."""
    marks: Ints
    """The heap of stages to be looked at."""
    times: Reals
    tasks: Ints


def advance(plan: CorePlan, state: CoreState) -> None:
    """Play the events, all of one moment before anything starts, until none is left."""
    count, status = state.counter, state.status
    while count[EVENTS] > 0:
        now = state.times[0]
        while count[EVENTS] > 0 and state.times[0] == now:
            task = pop_event(state.times, state.tasks, count[EVENTS])
            count[EVENTS] -= 1
            if status[task] == WAITING:
                make_ready(plan, state, task)
            else:
                finish(plan, state, task, now)
        start_marked(plan, state, now)


def finish(plan: CorePlan, state: CoreState, task: int, now: float) -> None:
    """End a task: its server is free, its last holds are given back, its successors come nearer."""
    stage = plan.stage[task]
    state.status[task] = DONE
    state.end[task] = now
    state.busy[stage] -= 1
    state.counter[ENDED] += 1
    mark(state, stage)
    for i in range(plan.give_at[task], plan.give_at[task + 1]):
        hold = plan.give[i]
        buffer = plan.buffer[hold]
        state.level[buffer] -= plan.units[hold]
        for j in range(plan.user_at[buffer], plan.user_at[buffer + 1]):
            if state.blocked[plan.user[j]] == buffer:
                mark(state, plan.user[j])
    for i in range(plan.after_at[task], plan.after_at[task + 1]):
        other = plan.after[i]
        state.missing[other] -= 1
        state.earliest[other] = max(state.earliest[other], now + plan.lag[i])
        if state.missing[other] == 0:
            if state.earliest[other] <= now:
                make_ready(plan, state, other)
            else:
                push_event(
                    state.times, state.tasks, state.counter[EVENTS], state.earliest[other], other
                )
                state.counter[EVENTS] += 1


def make_ready(plan: CorePlan, state: CoreState, task: int) -> None:
    """Let a task queue at its stage."""
    stage = plan.stage[task]
    state.status[task] = READY
    if plan.in_order[stage] == 0:
        push(state.heap, plan.order_at[stage], state.ready[stage], plan.place[task])
    state.ready[stage] += 1
    mark(state, stage)


def mark(state: CoreState, stage: int) -> None:
    """See that a stage is looked at before time goes on."""
    if state.marked[stage] == 0:
        state.marked[stage] = 1
        push(state.marks, 0, state.counter[MARKED], stage)
        state.counter[MARKED] += 1


def start_marked(plan: CorePlan, state: CoreState, now: float) -> None:
    """Start what can start on the marked stages, the lowest first."""
    count = state.counter
    while count[MARKED] > 0:
        stage = pop(state.marks, 0, count[MARKED])
        count[MARKED] -= 1
        state.marked[stage] = 0
        state.blocked[stage] = NONE
        base = plan.order_at[stage]
        while state.busy[stage] < plan.servers[stage] and state.ready[stage] > 0:
            place = state.begun[stage] if plan.in_order[stage] == 1 else state.heap[base]
            task = plan.order[base + place]
            if state.status[task] != READY:
                break
            state.blocked[stage] = take_units(plan, state, task)
            if state.blocked[stage] != NONE:
                break
            if plan.in_order[stage] == 0:
                pop(state.heap, base, state.ready[stage])
            state.ready[stage] -= 1
            state.busy[stage] += 1
            state.begun[stage] += 1
            state.status[task] = RUNNING
            state.start[task] = now
            push_event(state.times, state.tasks, count[EVENTS], now + plan.duration[task], task)
            count[EVENTS] += 1


def take_units(plan: CorePlan, state: CoreState, task: int) -> int:
    """Take all that a task holds from its start on, or nothing; return the buffer without room."""
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


def push(heap: Ints, base: int, size: int, value: int) -> None:
    """Add a number to the heap of `size` that begins at `base`."""
    at = size
    while at > 0 and heap[base + ((at - 1) >> 1)] > value:
        heap[base + at] = heap[base + ((at - 1) >> 1)]
        at = (at - 1) >> 1
    heap[base + at] = value


def pop(heap: Ints, base: int, size: int) -> int:
    """Take the least number out of the heap of `size` that begins at `base`."""
    least, value, last = heap[base], heap[base + size - 1], size - 1
    at, child = 0, 1
    while child < last:
        if child + 1 < last and heap[base + child + 1] < heap[base + child]:
            child += 1
        if heap[base + child] >= value:
            break
        heap[base + at] = heap[base + child]
        at, child = child, 2 * child + 1
    heap[base + at] = value
    return least


def push_event(times: Reals, tasks: Ints, size: int, time: float, task: int) -> None:
    """Add an event to the heap of `size`."""
    at = size
    while at > 0 and times[(at - 1) >> 1] > time:
        above = (at - 1) >> 1
        times[at], tasks[at] = times[above], tasks[above]
        at = above
    times[at], tasks[at] = time, task


def pop_event(times: Reals, tasks: Ints, size: int) -> int:
    """Take the first event out of the heap of `size` and return its task."""
    first, last = tasks[0], size - 1
    time, task = times[last], tasks[last]
    at, child = 0, 1
    while child < last:
        if child + 1 < last and times[child + 1] < times[child]:
            child += 1
        if times[child] >= time:
            break
        times[at], tasks[at] = times[child], tasks[child]
        at, child = child, 2 * child + 1
    times[at], tasks[at] = time, task
    return first


def entry(plan: Any, state: Any) -> None:
    """Call `advance` on what two pointers point at."""
    advance(plan[0], state[0])


CALLED = (
    *(push, pop, push_event, pop_event, mark, make_ready, take_units, start_marked, finish),
    advance,
)
"""What is compiled into `entry`, each function after those that it calls itself."""


@cache
def compiled() -> Callable[[CorePlan, CoreState], None]:
    """Return `advance` in machine code, for bundles of contiguous arrays."""
    return compiled_entry(entry, CALLED, globals(), (CorePlan, CoreState))
