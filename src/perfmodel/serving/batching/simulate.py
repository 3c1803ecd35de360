"""Requests played through servers that batch by iterations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from perfmodel.serving.batching.linked import Links, play_linked
from perfmodel.serving.batching.requests import Requests, subset
from perfmodel.serving.batching.run import ServingRun
from perfmodel.serving.batching.scheduling_policy import BatchRules
from perfmodel.serving.batching.setup import check_room, play_stage
from perfmodel.serving.batching.steps import Steps
from perfmodel.validation import non_negative, one_number, whole

DISPATCHES = ("round robin", "random", "least loaded", "least tokens", "two choices")


def simulate_serving(
    requests: Requests,
    steps: Steps,
    rules: BatchRules,
    *,
    replicas: int = 1,
    dispatch: str = "round robin",
    prefill_replicas: int = 0,
    prefill_steps: Steps | None = None,
    prefill_rules: BatchRules | None = None,
    transfer_token: float = 0.0,
    transfer_links: int | None = None,
    hold_until_sent: bool = False,
    back_pressure: bool = False,
    concurrency: int | None = None,
    seed: int = 0,
) -> ServingRun:
    """Play requests through one or several servers, iteration by iteration.

    The rules are told in `perfmodel.serving.batching.scheduling_policy`. The output token of the
    iteration that ends a prompt is the first. All requests are played to their end.

    Parameters
    ----------
    requests : Requests
        When they come and how long they are.
    steps : StepPieces or StepTable
        Seconds of an iteration.
    rules : BatchRules
        Of each server.
    replicas : int
        Identical servers, 1 or more.
    dispatch : str
        Which server gets a request, at its arrival: "round robin"; "random"; "least loaded", the
        one with the fewest requests that aren't finished; "least tokens", the one whose unfinished
        requests have the fewest tokens (prompt and predicted output, all of them until the end);
        "two choices", the less loaded of two drawn at random. Of equal servers, the first.
    prefill_replicas : int
        Servers that only prefill prompts, and generate the first token; 0 for none. With them,
        serving is disaggregated: the other servers decode. The prompt's KV cache is transferred
        after the first token. The request then waits at a decoding server for free blocks, and its
        prompt is in the cache after its admission. Only a preemption (by recompute) makes a
        decoding server prefill.
    prefill_steps, prefill_rules : optional
        Of the prefill servers, if they differ.
    transfer_token : float
        Seconds to send a prompt token's KV cache to a decoding server over a link.
    transfer_links : int, optional
        Links over which prompts are sent, one at a time over each and the first ready first. If
        left out, transfers don't wait for each other.
    hold_until_sent : bool
        Whether a prompt keeps its blocks at the prefill server until it is sent. Otherwise they
        are free once the prefill ends.
    back_pressure : bool
        Whether a transfer waits until its decoding server, which is then chosen at its start, has
        blocks for the prompt beyond those of all that run or are on their way. Those behind it
        wait as well. Otherwise prompts wait for room at the decoding server, and fill no blocks
        there.
    concurrency : int, optional
        Most requests in flight, 1 or more, as load generators limit them: with this many
        unfinished, the next request is sent when one of them finishes. The `arrival` of the run's
        requests is then when they were sent, and latencies count from there. Arrivals of 0 make a
        closed loop. If left out, each request is sent at its arrival.
    seed : int
        Of the random ways to dispatch.

    Returns
    -------
    ServingRun

    Raises
    ------
    ValueError
        If a request can never fit the cache, or `steps` is a table that the run leaves.

    Examples
    --------
    Three requests at a server with two places; an iteration takes 1 s whatever it holds:

    >>> from perfmodel.serving import BatchRules, Requests, StepPieces
    >>> second = StepPieces(1, 0, 0, 0)
    >>> run = simulate_serving(Requests([0, 0, 0], 10, 3), second, BatchRules(max_num_seqs=2))
    >>> run.first_token, run.finish, run.iterations
    (array([1., 1., 4.]), array([3., 3., 6.]), 6)

    A client that waits for each answer sends the next request then:

    >>> run = simulate_serving(run.requests, second, BatchRules(), concurrency=1)
    >>> run.requests.arrival, run.first_token
    (array([0., 3., 6.]), array([1., 1., 1.]))
    """
    count = whole("replicas", replicas, low=1)
    readers = whole("prefill_replicas", prefill_replicas)
    lag = one_number("transfer_token", transfer_token, non_negative)
    if dispatch not in DISPATCHES:
        raise ValueError(f"dispatch must be one of {', '.join(DISPATCHES)}, got {dispatch!r}")
    limit = 0 if concurrency is None else whole("concurrency", concurrency, low=1)
    if not readers:
        return play_stage(requests, steps, rules, count, dispatch, seed, concurrency=limit)
    more = np.flatnonzero(requests.output > 1)
    if more.size:
        check_room(requests, rules, among=more)
    if transfer_links is not None or hold_until_sent or back_pressure or limit:
        most = np.inf if transfer_links is None else whole("transfer_links", transfer_links, low=1)
        prefill = (prefill_steps or steps, prefill_rules or rules, readers)
        links = Links(most, hold_until_sent, back_pressure, lag)
        decode = (steps, rules, count)
        return _joined(*play_linked(requests, prefill, decode, dispatch, seed, links, limit), count)
    reading = play_stage(
        subset(requests, arrival=requests.arrival, output=1),
        prefill_steps or steps,
        prefill_rules or rules,
        readers,
        dispatch,
        seed,
    )
    arrival = reading.finish[more] + lag * requests.prompt[more]
    order = np.argsort(arrival, kind="stable")
    more = more[order]
    if not more.size:
        return _joined(requests, reading, None, more, count)
    decoding = play_stage(
        subset(requests, more, arrival=arrival[order]),
        *(steps, rules, count, dispatch, seed + 1),
        resident=True,
    )
    return _joined(requests, reading, decoding, more, count)


def _joined(
    requests: Requests,
    reading: ServingRun,
    decoding: ServingRun | None,
    more: NDArray[np.int64],
    replicas: int,
) -> ServingRun:
    """Return the run of both stages; `more` are the requests of the second, in its order."""
    finish, preempted = reading.finish.copy(), reading.preempted.copy()
    second, gap = reading.second_token_time.copy(), reading.largest_later_latency.copy()
    replica = reading.replica + replicas
    if decoding is not None:
        finish[more], replica[more] = decoding.finish, decoding.replica
        preempted[more] += decoding.preempted
        second[more], gap[more] = decoding.second_token_time, decoding.largest_later_latency

    def both(name: str) -> Any:
        mine = getattr(reading, name)
        first = np.zeros(replicas, mine.dtype) if decoding is None else getattr(decoding, name)
        return np.concatenate([first, mine])

    return ServingRun(
        requests,
        reading.admitted,
        reading.first_token_time,
        finish,
        preempted,
        replica,
        both("replica_busy"),
        both("replica_iterations"),
        both("replica_scheduled"),
        both("replica_prefill_tokens"),
        both("replica_output_tokens"),
        both("replica_peak"),
        second,
        gap,
    )
