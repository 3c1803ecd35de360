"""The iterations of one server one by one, for drawings, and the time between two tokens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perfmodel.engine.fields import NONE, as_lists
from perfmodel.serving.batching import core
from perfmodel.serving.batching.requests import Requests
from perfmodel.serving.batching.scheduling_policy import BatchRules
from perfmodel.serving.batching.sequences import enqueue
from perfmodel.serving.batching.setup import check_table, counted, prepared
from perfmodel.serving.batching.state import DECODE, NEXT, PREFILL, WAITING, Plan, State
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
    prefill: dict[int, int]
    """Prefill tokens, by request."""
    stalled: tuple[int, ...]
    """Requests in the batch that do neither: they wait for the prompts of others."""
    waiting: tuple[int, ...]
    """Requests that have arrived and aren't in the batch."""
    preempted: tuple[int, ...]
    """Requests that were preempted at the start."""
    kv_tokens: int
    """Tokens of the KV cache held in whole blocks."""


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
    >>> rules = BatchRules(max_num_seqs=2, policy="chunked prefill", chunk_size=4)
    >>> requests = Requests([0, 0], [6, 5], [2, 1])
    >>> for one in serving_iterations(requests, StepPieces(1, 0, 0, 0), rules):
    ...     print(one.start, one.decoding, one.prefill)
    0.0 () {0: 4}
    1.0 () {0: 2, 1: 2}
    2.0 (0,) {1: 3}
    """
    plan, state, unit = _listed(requests, steps, rules)
    iterations = list[ServedIteration]()
    computed, preemptions = list(state.computed), list(state.preempted)
    for start in _begun(plan, state):
        iterations.append(_begun_iteration(state, rules, start, unit, computed, preemptions))
        computed, preemptions = list(state.computed), list(state.preempted)
    check_table(steps, state)
    return iterations


def inter_token_latencies(
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
        If a request is preempted or can never fit the cache, or the run leaves the table `steps`.

    Examples
    --------
    Request 0 gets its second token beside the first 3 tokens of a prompt of 9:

    >>> from perfmodel.serving import BatchRules, Requests, StepPieces
    >>> rules = BatchRules(max_num_seqs=2, policy="chunked prefill", chunk_size=4)
    >>> requests = Requests([0, 0], [1, 9], [3, 1])
    >>> who, gap = inter_token_latencies(requests, StepPieces(1, 0.1, 0, 0), rules)
    >>> print(who, gap.round(1))
    [0 0] [1.3 1.3]
    """
    plan, state, unit = _listed(requests, steps, rules)
    servers = state.servers
    given = np.array([servers.clock[0] for _ in _begun(plan, state) if servers.decodes[0]])
    check_table(steps, state)
    if any(state.preempted):
        raise ValueError(f"rules must preempt no request, got {sum(state.preempted)} preemptions")
    begin = np.searchsorted(given, state.first_token, side="right")
    count = requests.output - 1
    who = np.repeat(np.arange(len(requests)), count)
    nth = np.arange(who.size) - np.repeat(np.cumsum(count) - count, count)
    last = begin[who] + nth
    before = np.where(nth == 0, np.asarray(state.first_token)[who], given[last - 1])
    return who, (given[last] - before) * unit


def _listed(requests: Requests, steps: Steps, rules: BatchRules) -> tuple[Plan, State, float]:
    """Return the core's bundles as lists, and the seconds of their unit of time."""
    plan, state = prepared(requests, steps, rules)
    plan, unit = counted(plan)
    return as_lists(plan), as_lists(state), unit


def _begun(plan: Plan, state: State) -> Iterator[float]:
    """Play one server; stop as each iteration has begun, and give its start.

    The clock is at its end already.
    """
    servers, counter = state.servers, state.counter
    while True:
        if servers.running[0] + servers.waiting[0] == 0:
            if counter[NEXT] == plan.requests:
                return
            servers.clock[0] = max(servers.clock[0], plan.arrival[counter[NEXT]])
        start = servers.clock[0]
        while counter[NEXT] < plan.requests and plan.arrival[counter[NEXT]] <= start:
            enqueue(plan, state, 0, counter[NEXT])
            counter[NEXT] += 1
        core.begin_iteration(plan, state, 0)
        yield start
        core.end_iteration(plan, state, 0)


def _begun_iteration(
    state: State,
    rules: BatchRules,
    start: float,
    unit: float,
    computed: list[int],
    preemptions: list[int],
) -> ServedIteration:
    """Return the iteration that has begun; `computed` and `preemptions` are from before it."""
    servers, running, request = state.servers, [], state.servers.first[0]
    while request != NONE:
        running.append(request)
        request = state.after[request]
    decoding = tuple(r for r in running if servers.decodes[0] and state.status[r] == DECODE)
    prefill = {
        r: state.computed[r] - computed[r]
        for r in running
        if state.status[r] == PREFILL and state.computed[r] > computed[r]
    }
    arrived = range(state.counter[NEXT])
    return ServedIteration(
        start=start * unit,
        end=servers.clock[0] * unit,
        decoding=decoding,
        prefill=prefill,
        stalled=tuple(r for r in running if r not in decoding and r not in prefill),
        waiting=tuple(r for r in arrived if state.status[r] == WAITING),
        preempted=tuple(r for r in arrived if state.preempted[r] > preemptions[r]),
        kv_tokens=(rules.num_blocks - servers.free_blocks[0]) * rules.block_size,
    )
