"""The core under a limit of requests in flight: a loop of its own, so that the other stays fast."""

from __future__ import annotations

from perfmodel.engine.fields import NONE
from perfmodel.serving.batching.core import begin_iteration, end_iteration, finish_all, send
from perfmodel.serving.batching.state import COMPLETED, ITERATIONS, NEXT, Plan, State


def play_closed(plan: Plan, state: State) -> bool:
    """Play all requests; at most `plan.concurrency` are in flight. False if it stopped before."""
    while state.counter[NEXT] < plan.requests:
        now = send_time(plan, state, state.counter[NEXT])
        if now < 0:
            return False
        state.sent[state.counter[NEXT]] = now
        if not send(plan, state, now):
            return False
    return finish_all(plan, state)


def send_time(plan: Plan, state: State, request: int) -> float:
    """Return when a request is sent; -1 if it stopped at `plan.stop` iterations before.

    All servers are played, in the order of their iterations' ends and beginnings, until a request
    may be sent.
    """
    servers, counter = state.servers, state.counter
    now = plan.arrival[request]
    if request > 0:
        now = max(now, state.sent[request - 1])
    while True:
        first = NONE
        for k in range(plan.replicas):
            if servers.running[k] + servers.waiting[k] > 0 and (
                first == NONE
                or servers.clock[k] < servers.clock[first]
                or (
                    servers.clock[k] == servers.clock[first]
                    and servers.active[k] > servers.active[first]
                )
            ):
                first = k
        full = request - counter[COMPLETED] >= plan.concurrency
        if not full:
            if first == NONE or servers.clock[first] > now:
                return now
            if servers.clock[first] == now and servers.active[first] == 0:
                return now
        if servers.active[first] == 1:
            end_iteration(plan, state, first)
            if full:
                now = max(now, servers.clock[first])
        elif counter[ITERATIONS] >= plan.stop:
            return -1.0
        else:
            begin_iteration(plan, state, first)
