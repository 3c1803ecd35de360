"""What the core of the simulator works on: bundles of named fields (`perfmodel.engine.fields`)."""

from __future__ import annotations

import math
from typing import NamedTuple

from perfmodel.engine.fields import Ints, Reals
from perfmodel.engine.heap import Heap

UNLISTED = -2
NEVER = math.inf
# Plan.composition, in the order of rules.COMPOSITIONS.
STATIC, PREFILL_FIRST, DECODE_FIRST, CHUNKED = range(4)
# Plan.dispatch: by the plan, to the least loaded of all, or of two.
PLANNED, LEAST, LESS_OF_TWO = range(3)
# Fields of State.counter.
NEXT, ITERATIONS, MOST_TOKENS, MOST_CACHED, QUEUE_END, COMPLETED = range(6)
# Status of a request.
WAITING, PREFILL, DECODE, FINISHED = range(4)


class Plan(NamedTuple):
    """What doesn't change: of each request, of the rules, of the cost of an iteration."""

    requests: int
    replicas: int
    batch: int
    """Most running requests of a server."""
    block: int
    """Tokens of a KV block."""
    spare: int
    """KV blocks that an admission leaves free where others run."""
    chunk: int
    """Most tokens of an iteration with chunked prefill."""
    limit: int
    """Most prompt tokens of an iteration without."""
    composition: int
    swaps: int
    """1 where the KV cache of a preempted request is swapped, 0 where it is recomputed."""
    whole: int
    """1 where KV blocks are reserved for all of a request at its admission."""
    worst: int
    """1 where the running request with the highest key is preempted, 0 where the last admitted."""
    resident: int
    """1 where prompts come with their KV cache."""
    dispatch: int
    concurrency: int
    """Most requests in flight; 0 for no limit."""
    stop: int
    """Iterations at which to stop."""
    ring: int
    """Steps of decoding that a server looks ahead: more than any output."""
    gaps: int
    """Room for inter-token latencies of a server: a power of two that is no less than `ring`."""
    pieces: int
    rows: int
    columns: int
    swap_token: float
    """Seconds."""
    arrival: Reals
    prompt: Ints
    cached: Ints
    """Prompt tokens whose KV cache is there."""
    output: Ints
    key: Reals
    """The lower, the earlier its turn; equal ones by `turn`."""
    turn: Ints
    weight: Reals
    """What a request adds to the load of its server, for dispatching."""
    target: Ints
    """Its server, where that is planned; otherwise the first of two."""
    other: Ints
    cost: Reals
    """Pieces: five coefficients each. Table: its tokens, its cached, its grid row by row."""


class Servers(NamedTuple):
    """What changes of each server."""

    clock: Reals
    """The end of its present or last iteration."""
    busy: Reals
    load: Reals
    stepped: Reals
    """The end of its newest step of decoding."""
    active: Ints
    """1 during an iteration."""
    decodes: Ints
    """1 where that is a step of decoding."""
    iterations: Ints
    running: Ints
    decoding: Ints
    waiting: Ints
    queue: Ints
    """Where its waiting requests begin in `State.queue`, and how many there is room for."""
    queue_size: Ints
    first: Ints
    """The running request that was admitted first, and last."""
    last: Ints
    prefilling: Ints
    """The first running request whose prompt isn't wholly in the KV cache."""
    free_blocks: Ints
    fewest_free_blocks: Ints
    steps: Ints
    """Steps of decoding."""
    cached_tokens: Ints
    """Tokens in the KV cache of those that decode."""
    swapped_tokens: Ints
    """Tokens moved out or in since its last iteration."""
    scheduled: Ints
    """Requests in an iteration, summed over the iterations."""
    prefill_tokens: Ints
    output_tokens: Ints
    newcomer: Ints
    """The first of those that haven't decoded yet."""
    oldest_gap: Ints
    """Which of its gaps are kept: from the oldest to before the newest."""
    newest_gap: Ints


class State(NamedTuple):
    """What changes: of each request, of each server."""

    counter: Ints
    """The next request to arrive, iterations so far, most tokens and most cached tokens of an
    iteration, the first free element of `queue`, and the requests completed."""
    servers: Servers
    queue: Heap
    """The waiting requests of each server."""
    status: Ints
    generated: Ints
    """Output tokens; of one that decodes, the step at which it would have had none."""
    computed: Ints
    """Prompt tokens in the KV cache, or on the host while it waits."""
    replica: Ints
    sent: Reals
    """When the client sends it: its arrival, or later under a limit of concurrency."""
    admitted: Reals
    first_token: Reals
    finish: Reals
    preempted: Ints
    before: Ints
    """The running of a server in the order of their admission."""
    after: Ints
    ring_before: Ints
    """Those that end at one step."""
    ring_after: Ints
    due: Ints
    """KV blocks that are needed at a step, by server and step modulo the block."""
    ring: Ints
    """The first of those that end at a step, by server and step modulo the ring."""
    second_token: Reals
    """When the token after the first came; `NEVER` before."""
    largest_gap: Reals
    """The largest inter-token latency of later tokens."""
    last_token: Reals
    """When a request that doesn't decode had its newest token."""
    joined: Ints
    """The step of its server after which a request decodes."""
    newcomer: Ints
    """The next of those that haven't decoded yet; `UNLISTED` for all others."""
    gap_step: Ints
    """By server: steps whose gap is above all later ones, oldest first, in a ring."""
    gap_length: Reals
    """The gaps before these steps."""
