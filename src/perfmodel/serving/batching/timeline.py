"""The iterations of one server one by one, for drawings, and the time between two tokens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perfmodel.serving.batching import core, state as fields
from perfmodel.serving.batching.requests import Requests
from perfmodel.serving.batching.rules import BatchRules
from perfmodel.serving.batching.sequences import enqueue
from perfmodel.serving.batching.setup import check_table, counted, listed, prepared
from perfmodel.serving.batching.state import GROWING, NONE, QUEUED, READING, CorePlan, CoreState
from perfmodel.serving.batching.steps import Steps
from perfmodel.validation import Floats


@dataclass(frozen=True)
class ServedIteration:
    """What one iteration held; requests by their index."""

    start: float
    """Seconds."""
    end: float
    """Seconds."""
    decoding: tuple[int, ...]
    """Requests that decode: each gains an output token."""
    reading: dict[int, int]
    """Prompt tokens read in, by request."""
    paused: tuple[int, ...]
    """Requests in the batch that do neither: they wait for the prompts of others."""
    waiting: tuple[int, ...]
    """Requests that have arrived and aren't in the batch."""
    evicted: tuple[int, ...]
    """Requests that were evicted at the start."""
    cache: int
    """Tokens of the cache held in whole blocks."""


def serving_iterations(
    requests: Requests, steps: Steps, rules: BatchRules
) -> list[ServedIteration]:
    """Return every iteration of a run of one server, as `simulate_serving` plays it.

    It looks at every sequence in every iteration: for some hundreds of requests.

    Parameters
    ----------
    requests : Requests
        When they come and how long they are.
    steps : StepPieces or StepTable
        Seconds of an iteration.
    rules : BatchRules
        Of the server.

    Returns
    -------
    list of ServedIteration

    Raises
    ------
    ValueError
        If a request can never fit the cache, or `steps` is a table that the run leaves.

    Examples
    --------
    Prompts of 6 and 5 tokens, at most 4 tokens in an iteration:

    >>> from perfmodel.serving import BatchRules, Requests, StepPieces
    >>> rules = BatchRules(batch=2, policy="chunked prefill", chunk=4)
    >>> requests = Requests([0, 0], [6, 5], [2, 1])
    >>> for one in serving_iterations(requests, StepPieces(1, 0, 0, 0), rules):
    ...     print(one.start, one.decoding, one.reading)
    0.0 () {0: 4}
    1.0 () {0: 2, 1: 2}
    2.0 (0,) {1: 3}
    """
    plan, state, unit = _listed(requests, steps, rules)
    found, ready, evictions = list[ServedIteration](), list(state.ready), list(state.preempted)
    for start in _begun(plan, state):
        found.append(_seen(state, rules, start, unit, ready, evictions))
        ready, evictions = list(state.ready), list(state.preempted)
    check_table(steps, state)
    return found


def token_gaps(
    requests: Requests, steps: Steps, rules: BatchRules
) -> tuple[NDArray[np.int64], Floats]:
    """Return each time between a token and the next of the same request, at one server.

    The mean of a request's gaps is its `per_token` in `ServingRun`, which hides the longest.

    Parameters
    ----------
    requests : Requests
        When they come and how long they are.
    steps : StepPieces or StepTable
        Seconds of an iteration.
    rules : BatchRules
        Of the server.

    Returns
    -------
    request : ndarray of int, shape (gaps,)
        Whose gap it is: in this order, and of a request in the order of time.
    gap : ndarray, shape (gaps,)
        Seconds. A request with n output tokens has n - 1 gaps.

    Raises
    ------
    ValueError
        If a request is evicted, can never fit the cache, or `steps` is a table that the run leaves.

    Examples
    --------
    Request 0 gets its second token beside the first 3 tokens of a prompt of 9:

    >>> from perfmodel.serving import BatchRules, Requests, StepPieces
    >>> rules = BatchRules(batch=2, policy="chunked prefill", chunk=4)
    >>> who, gap = token_gaps(Requests([0, 0], [1, 9], [3, 1]), StepPieces(1, 0.1, 0, 0), rules)
    >>> print(who, gap.round(1))
    [0 0] [1.3 1.3]
    """
    plan, state, unit = _listed(requests, steps, rules)
    given = np.array([state.clock[0] for _ in _begun(plan, state) if _decodes(state)])
    check_table(steps, state)
    if any(state.preempted):
        raise ValueError(
            f"rules must leave everybody in the cache, but {sum(state.preempted)} were evicted"
        )
    begin = np.searchsorted(given, state.first, side="right")
    count = requests.output - 1
    who = np.repeat(np.arange(len(requests)), count)
    nth = np.arange(who.size) - np.repeat(np.cumsum(count) - count, count)
    last = begin[who] + nth
    before = np.where(nth == 0, np.asarray(state.first)[who], given[last - 1])
    return who, (given[last] - before) * unit


def _listed(
    requests: Requests, steps: Steps, rules: BatchRules
) -> tuple[CorePlan, CoreState, float]:
    """Return the core's bundles as lists, and the seconds of their unit of time."""
    plan, state = prepared(requests, steps, rules)
    plan, unit = counted(plan)
    return *listed(plan, state), unit


def _begun(plan: CorePlan, state: CoreState) -> Iterator[float]:
    """Play one server; stop as each iteration has begun, and give its start.

    The clock is at its end already.
    """
    server, total = state.servers, state.total
    while True:
        if server[fields.RUNNING] + server[fields.WAITING] == 0:
            if total[fields.NEXT] == len(plan.arrival):
                return
            state.clock[0] = max(state.clock[0], plan.arrival[total[fields.NEXT]])
        start = state.clock[0]
        while total[fields.NEXT] < len(plan.arrival) and plan.arrival[total[fields.NEXT]] <= start:
            enqueue(plan, state, 0, total[fields.NEXT])
            total[fields.NEXT] += 1
        core.begin_iteration(plan, state, 0)
        yield start
        core.end_iteration(plan, state, 0)


def _decodes(state: CoreState) -> bool:
    return state.servers[fields.DECODES] == 1


def _seen(
    state: CoreState,
    rules: BatchRules,
    start: float,
    unit: float,
    ready: list[int],
    evictions: list[int],
) -> ServedIteration:
    """Return the iteration that has begun; `ready` and `evictions` are from before it."""
    running, request = [], state.servers[fields.FIRST]
    while request != NONE:
        running.append(request)
        request = state.after[request]
    grows = _decodes(state)
    decoding = tuple(r for r in running if grows and state.status[r] == GROWING)
    reading = {
        r: state.ready[r] - ready[r]
        for r in running
        if state.status[r] == READING and state.ready[r] > ready[r]
    }
    arrived = range(state.total[fields.NEXT])
    return ServedIteration(
        start=start * unit,
        end=state.clock[0] * unit,
        decoding=decoding,
        reading=reading,
        paused=tuple(r for r in running if r not in decoding and r not in reading),
        waiting=tuple(r for r in arrived if state.status[r] == QUEUED),
        evicted=tuple(r for r in arrived if state.preempted[r] > evictions[r]),
        cache=(rules.blocks - state.servers[fields.FREE]) * rules.block,
    )
