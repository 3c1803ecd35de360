"""The event core: take the next event, move the jobs it concerns, until a pause or the end.

Written in the part of Python that numba compiles: long runs take it as machine code, short ones as
it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from perfmodel.engine.fields import NONE
from perfmodel.queueing.simulation.loops.chain import run_chain
from perfmodel.queueing.simulation.loops.pool import run_pool
from perfmodel.queueing.simulation.loops.ranking import run_ranking
from perfmodel.queueing.simulation.loops.routing import run_routing
from perfmodel.queueing.simulation.loops.sharing import run_sharing
from perfmodel.queueing.simulation.loops.trail import note
from perfmodel.queueing.simulation.service import complete, join, refresh, serve_next, wind
from perfmodel.queueing.simulation.state import (
    CHAIN,
    DONE,
    DUE,
    GENERAL,
    PAUSE,
    POOL,
    RANKING,
    ROUTING,
    SHARING,
    Plan,
    State,
)
from perfmodel.queueing.simulation.transitions import (
    arrive,
    block,
    choose,
    depart,
    lose,
    mark,
    release,
    set_goal,
    split,
    take_up,
    unblock,
)


def run_events(plan: Plan, state: State) -> bool:
    """Run until a buffer must be seen to (False), or the run is over (True); any network."""
    count, jobs, queues, heaps, calendar, streams, record, _ = state
    while count[DONE] < plan.target:
        if count[PAUSE] == 1:
            return False
        source = calendar.winner[1]
        now = calendar.time[1]
        if now == math.inf:
            return True
        if source >= plan.nodes:
            kind = source - plan.nodes
            job = arrive(plan, count, jobs, calendar, streams, kind, now)
        else:
            job = complete(plan, jobs, queues, heaps, calendar, source)
            done = job
            while done != NONE:
                set_goal(plan, count, jobs, streams, source, done)
                done = jobs.link[done]
            if job != NONE and plan.fork[source] < plan.fork[source + 1]:
                job = split(plan, count, jobs, queues, record, job, now)
                serve_next(plan, jobs, queues, heaps, source)
                refresh(plan, queues, heaps, calendar, source)
        move(plan, state, job, now)
        if count[DONE] >= count[DUE]:
            note(plan, count, record, now)
    return True


def move(plan: Plan, state: State, job: int, now: float) -> None:
    """Move a chain of jobs to their goals, and those that can follow them."""
    count, jobs, queues, heaps, calendar, streams, record, _ = state
    while job != NONE:
        after = jobs.link[job]
        origin, goal = jobs.node[job], jobs.goal[job]
        if plan.dispatches == 1 and goal != NONE:
            goal = choose(plan, count, jobs, queues, streams, job)
        if goal != NONE and goal != origin and queues.present[goal] >= plan.capacity[goal]:
            if origin != NONE and (plan.loses == 0 or plan.closed[jobs.kind[job]] == 1):
                block(plan, jobs, queues, record, job, now)
                refresh(plan, queues, heaps, calendar, origin)
                job = after
                continue
            lose(plan, jobs, record, job)
            goal = NONE
        if origin != NONE:
            depart(plan, count, jobs, queues, record, job, origin, now)
            if goal != origin:
                after = unblock(plan, jobs, queues, record, origin, after, now)
            wind(plan, queues, origin, now)
            serve_next(plan, jobs, queues, heaps, origin)
            refresh(plan, queues, heaps, calendar, origin)
        mark(plan, count, jobs, record, job, now)
        if goal == NONE:
            after = release(count, jobs, job, after)
        else:
            take_up(plan, count, jobs, queues, streams, record, job, goal, now)
            wind(plan, queues, goal, now)
            if join(plan, jobs, queues, heaps, goal, job):
                refresh(plan, queues, heaps, calendar, goal)
        job = after


LOOPS: dict[int, Callable[[Plan, State], bool]] = {
    GENERAL: run_events,
    CHAIN: run_chain,
    POOL: run_pool,
    SHARING: run_sharing,
    RANKING: run_ranking,
    ROUTING: run_routing,
}
"""Each is compiled by itself, when a run first needs it."""
