"""What the core of the simulator works on: bundles of flat lists or arrays, and their fields."""

from __future__ import annotations

import math
from typing import NamedTuple

from perfmodel.compilation import Ints, Reals

NONE = -1
UNLISTED = -2
NEVER = math.inf
# Fields of CorePlan.number.
REQUESTS, REPLICAS, BATCH, BLOCK, SPARE, CHUNK, LIMIT = range(7)
COMPOSITION, SWAPS, WHOLE, WORST, RESIDENT, DISPATCH, RING, PIECES, ROWS, COLUMNS = range(7, 17)
GAPS = 17
"""Places for gaps of each server: a power of two that is no less than the ring."""
# Compositions, in the order of rules.COMPOSITIONS.
STATIC, PREFILL_FIRST, DECODE_FIRST, CHUNKED = range(4)
# Ways to dispatch: by the plan, to the least loaded of all, or of two.
PLANNED, LEAST, LESS_OF_TWO = range(3)
# Fields of CoreState.total.
NEXT, ALL, STOP, MOST_NEW, MOST_READ = range(5)
# Fields of CoreState.servers, of each server.
(ACTIVE, DECODES, ITERATIONS, RUNNING, DECODING, FREE, LEAST_FREE, STEPS, CACHED) = range(9)
WAITING, ROOT, FIRST, LAST, FRESH, MOVED, LOAD, TAKEN, READ_IN, PUT_OUT = range(9, 19)
NEWCOMER, OLDEST, NEWEST, FIELDS = range(19, 23)
# Status of a request.
QUEUED, READING, GROWING, OVER = range(4)


class CorePlan(NamedTuple):
    """What doesn't change: of each request, of the rules, of the cost of an iteration."""

    arrival: Reals
    prompt: Ints
    output: Ints
    key: Reals
    """The lower, the earlier its turn; those alike by their index."""
    weight: Reals
    """What a request adds to the load of its server, for dispatching."""
    target: Ints
    """Its server, where that is planned; otherwise the first of two."""
    other: Ints
    number: Ints
    swap_token: Reals
    """One number: seconds a token."""
    cost: Reals
    """Pieces: five coefficients each. Table: its tokens, its cached, its grid row by row."""


class CoreState(NamedTuple):
    """What changes: of each request, of each server."""

    status: Ints
    made: Ints
    """Tokens put out; of one that decodes, the step at which it would have had none."""
    ready: Ints
    """Prompt tokens in the cache, or on the host while it waits."""
    replica: Ints
    admitted: Reals
    first: Reals
    finish: Reals
    preempted: Ints
    child: Ints
    """The waiting of a server are a pairing heap: the first child, the next sibling."""
    sibling: Ints
    before: Ints
    """The running of a server in the order of their admission."""
    after: Ints
    ring_before: Ints
    """Those that end at one step."""
    ring_after: Ints
    clock: Reals
    """The end of a server's present or last iteration."""
    busy: Reals
    load: Reals
    servers: Ints
    """The fields of each server, one server after the other."""
    due: Ints
    """Blocks that are needed at a step, by server and step modulo the block."""
    ring: Ints
    """The first of those that end at a step, by server and step modulo the ring."""
    total: Ints
    second: Reals
    """When the token after the first came; `NEVER` before."""
    gap: Reals
    """The largest time between two later tokens."""
    last: Reals
    """When a sequence that doesn't decode had its newest token."""
    joined: Ints
    """The step of its server after which a sequence decodes."""
    newcomer: Ints
    """The next of those that haven't decoded yet; `UNLISTED` for all others."""
    stepped: Reals
    """The end of a server's newest step of decoding."""
    gap_step: Ints
    """By server: steps whose gap is above all later ones, oldest first, in a ring."""
    gap_length: Reals
    """The gaps before these steps."""
