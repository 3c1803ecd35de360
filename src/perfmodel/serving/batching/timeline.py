"""The iterations of one server one by one, for drawings and for checks by eye."""

from __future__ import annotations

from dataclasses import dataclass

from perfmodel.serving.batching import core, state as fields
from perfmodel.serving.batching.requests import Requests
from perfmodel.serving.batching.rules import BatchRules
from perfmodel.serving.batching.sequences import enqueue
from perfmodel.serving.batching.setup import check_table, listed, prepared
from perfmodel.serving.batching.state import GROWING, NONE, QUEUED, READING, CoreState
from perfmodel.serving.batching.steps import Steps


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
    plan, state = listed(*prepared(requests, steps, rules))
    server, total, found = state.servers, state.total, list[ServedIteration]()
    while True:
        if server[fields.RUNNING] + server[fields.WAITING] == 0:
            if total[fields.NEXT] == len(requests):
                check_table(steps, state)
                return found
            state.clock[0] = max(state.clock[0], plan.arrival[total[fields.NEXT]])
        start = state.clock[0]
        while total[fields.NEXT] < len(requests) and plan.arrival[total[fields.NEXT]] <= start:
            enqueue(plan, state, 0, total[fields.NEXT])
            total[fields.NEXT] += 1
        ready, evictions = list(state.ready), list(state.preempted)
        core.begin_iteration(plan, state, 0)
        found.append(_seen(state, rules, start, ready, evictions))
        core.end_iteration(plan, state, 0)


def _seen(
    state: CoreState, rules: BatchRules, start: float, ready: list[int], evictions: list[int]
) -> ServedIteration:
    """Return the iteration that has begun; `ready` and `evictions` are from before it."""
    running, request = [], state.servers[fields.FIRST]
    while request != NONE:
        running.append(request)
        request = state.after[request]
    grows = state.servers[fields.DECODES] == 1
    decoding = tuple(r for r in running if grows and state.status[r] == GROWING)
    reading = {
        r: state.ready[r] - ready[r]
        for r in running
        if state.status[r] == READING and state.ready[r] > ready[r]
    }
    arrived = range(state.total[fields.NEXT])
    return ServedIteration(
        start=start,
        end=state.clock[0],
        decoding=decoding,
        reading=reading,
        paused=tuple(r for r in running if r not in decoding and r not in reading),
        waiting=tuple(r for r in arrived if state.status[r] == QUEUED),
        evicted=tuple(r for r in arrived if state.preempted[r] > evictions[r]),
        cache=(rules.blocks - state.servers[fields.FREE]) * rules.block,
    )
