"""The core of the simulator: iterations of several servers, one arrival after the other.

Written in the part of Python that numba compiles, over lists or arrays. No iteration looks at each
of its sequences: all that decode gain a token together, so that a server counts its steps of
decoding, and knows from the step at which a sequence began when it ends (a ring of lists, by the
step at which they end) and when it needs a block more (a ring of counts, by step modulo the block).
The rules are told in `perfmodel.serving.batching.rules`.
"""

from __future__ import annotations

from perfmodel.compilation import Ints, Reals
from perfmodel.serving.batching.sequences import (
    admit,
    enqueue,
    evict,
    grow,
    held,
    leave,
    note_step,
    note_token,
    stop_growing,
)
from perfmodel.serving.batching.state import (
    ACTIVE,
    ALL,
    BATCH,
    BLOCK,
    CACHED,
    CHUNK,
    CHUNKED,
    COLUMNS,
    COMPOSITION,
    DECODES,
    DECODING,
    DISPATCH,
    FIELDS,
    FREE,
    FRESH,
    ITERATIONS,
    LEAST,
    LEAST_FREE,
    LESS_OF_TWO,
    LIMIT,
    MOST_NEW,
    MOST_READ,
    MOVED,
    NEVER,
    NEXT,
    NONE,
    PIECES,
    PREFILL_FIRST,
    PUT_OUT,
    READ_IN,
    READING,
    REPLICAS,
    REQUESTS,
    RING,
    ROOT,
    ROWS,
    RUNNING,
    SPARE,
    STATIC,
    STEPS,
    STOP,
    TAKEN,
    WAITING,
    CorePlan,
    CoreState,
)


def play(plan: CorePlan, state: CoreState) -> bool:
    """Play all arrivals and what follows; False if it stopped at `STOP` iterations before."""
    number, total = plan.number, state.total
    while total[NEXT] < number[REQUESTS]:
        request = total[NEXT]
        now = plan.arrival[request]
        chosen = plan.target[request]
        if number[DISPATCH] == LEAST:
            chosen = 0
            for k in range(number[REPLICAS]):
                if not advance(plan, state, k, now):
                    return False
                if state.load[k] < state.load[chosen]:
                    chosen = k
        else:
            if not advance(plan, state, chosen, now):
                return False
            if number[DISPATCH] == LESS_OF_TWO:
                other = plan.other[request]
                if not advance(plan, state, other, now):
                    return False
                if state.load[other] < state.load[chosen]:
                    chosen = other
        base = chosen * FIELDS
        if state.servers[base + RUNNING] == 0 and state.servers[base + WAITING] == 0:
            state.clock[chosen] = now
        state.replica[request] = chosen
        state.load[chosen] += plan.weight[request]
        enqueue(plan, state, base, request)
        total[NEXT] += 1
    done = True
    for k in range(number[REPLICAS]):
        done = done and advance(plan, state, k, NEVER)
    return done


def advance(plan: CorePlan, state: CoreState, k: int, until: float) -> bool:
    """Play the iterations of server k that begin before `until`; the last may not have ended."""
    base = k * FIELDS
    count, total = state.servers, state.total
    while True:
        if count[base + ACTIVE] == 1:
            if state.clock[k] > until:
                return True
            end_iteration(plan, state, k)
        if state.clock[k] >= until or count[base + RUNNING] + count[base + WAITING] == 0:
            return True
        if total[ALL] >= total[STOP]:
            return False
        begin_iteration(plan, state, k)


def begin_iteration(plan: CorePlan, state: CoreState, k: int) -> None:
    """Evict, admit, and set the end of server k's next iteration."""
    base, number, count = k * FIELDS, plan.number, state.servers
    spot = k * number[BLOCK] + count[base + STEPS] % number[BLOCK]
    evicted = False
    while count[base + FREE] < state.due[spot]:
        evict(plan, state, k)
        evicted = True
    composition = number[COMPOSITION]
    room = number[LIMIT]
    if composition == CHUNKED:
        room = number[CHUNK] - count[base + DECODING]
    new, ending, read, pairs, parts = 0, 0, 0, 0, 0
    request = count[base + FRESH]
    if request != NONE and room > 0:
        have = state.ready[request]
        share = min(plan.prompt[request] + state.made[request] - have, room)
        new, read, pairs, parts = share, have, share * have + share * (share + 1) // 2, 1
        state.ready[request] = have + share
        ending = 1 if have + share == plan.prompt[request] + state.made[request] else 0
    open_ = not evicted and (composition != STATIC or count[base + RUNNING] == 0)
    while open_ and count[base + WAITING] > 0 and count[base + RUNNING] < number[BATCH]:
        request = count[base + ROOT]
        goal, have = plan.prompt[request] + state.made[request], state.ready[request]
        spare = number[SPARE] if count[base + RUNNING] > 0 else 0
        free = count[base + FREE] - state.due[spot] - spare
        if held(plan, request, goal) > free:
            break
        resumes = have == goal - 1 and state.made[request] > 0
        if composition == CHUNKED:
            full = new >= room
        else:
            full = not resumes and new > 0 and new + goal - have > room
        if full:
            break
        admit(plan, state, k, request)
        if resumes:
            if composition == CHUNKED:
                room -= 1
            count[base + FREE] -= held(plan, request, goal - 1)
            grow(plan, state, k, request)
            continue
        count[base + FREE] -= held(plan, request, goal)
        state.status[request] = READING
        if count[base + FRESH] == NONE:
            count[base + FRESH] = request
        share = min(goal - have, room - new) if composition == CHUNKED else goal - have
        new, read, parts = new + share, read + have, parts + 1
        pairs += share * have + share * (share + 1) // 2
        state.ready[request] = have + share
        ending += 1 if have + share == goal else 0
    decoding = count[base + DECODING]
    if new > 0 and composition <= PREFILL_FIRST:
        decoding = 0
    count[base + DECODES] = 0
    if decoding > 0:
        count[base + DECODES] = 1
        count[base + FREE] -= state.due[spot]
        read += count[base + CACHED] + decoding
    seconds = plan.swap_token[0] * count[base + MOVED]
    seconds += step_seconds(plan, state.total, new, decoding, ending, read, pairs)
    state.clock[k] += seconds
    state.busy[k] += seconds
    state.total[ALL] += 1
    count[base + ITERATIONS] += 1
    count[base + TAKEN] += decoding + parts
    count[base + READ_IN] += new
    count[base + PUT_OUT] += decoding + ending
    count[base + LEAST_FREE] = min(count[base + LEAST_FREE], count[base + FREE])
    count[base + MOVED] = 0
    count[base + ACTIVE] = 1


def end_iteration(plan: CorePlan, state: CoreState, k: int) -> None:
    """Give out the tokens of server k's iteration, and let go who has all of them."""
    base, number, count = k * FIELDS, plan.number, state.servers
    count[base + ACTIVE] = 0
    if count[base + DECODES] == 1:
        count[base + STEPS] += 1
        count[base + CACHED] += count[base + DECODING]
        note_step(plan, state, k)
        place = k * number[RING] + count[base + STEPS] % number[RING]
        while state.ring[place] != NONE:
            request = state.ring[place]
            stop_growing(plan, state, k, request)
            leave(plan, state, k, request)
    request = count[base + FRESH]
    count[base + FRESH] = NONE
    while request != NONE:
        following = state.after[request]
        if state.status[request] == READING:
            if state.ready[request] < plan.prompt[request] + state.made[request]:
                count[base + FRESH] = request
            else:
                if state.made[request] == 0:
                    state.first[request] = state.clock[k]
                else:
                    note_token(state, request, state.clock[k])
                state.last[request] = state.clock[k]
                state.made[request] += 1
                if state.made[request] == plan.output[request]:
                    leave(plan, state, k, request)
                else:
                    grow(plan, state, k, request)
        request = following


def step_seconds(
    plan: CorePlan, total: Ints, new: int, decoding: int, ending: int, read: int, pairs: int
) -> float:
    """Return the seconds of an iteration; the largest tokens and reads are noted for a table."""
    number, cost = plan.number, plan.cost
    if number[PIECES] > 0:
        longest = 0.0
        for piece in range(number[PIECES]):
            at = 5 * piece
            seconds = cost[at] + cost[at + 1] * new + cost[at + 2] * (decoding + ending)
            seconds = seconds + cost[at + 3] * read + cost[at + 4] * pairs
            longest = max(longest, seconds)
        return longest
    rows, columns, tokens = number[ROWS], number[COLUMNS], new + decoding
    total[MOST_NEW] = max(total[MOST_NEW], tokens)
    total[MOST_READ] = max(total[MOST_READ], read)
    i, j = cell(cost, 0, rows, tokens), cell(cost, rows, columns, read)
    u = (tokens - cost[i]) / (cost[i + 1] - cost[i])
    v = (read - cost[rows + j]) / (cost[rows + j + 1] - cost[rows + j])
    corner = rows + columns + i * columns + j
    low = cost[corner] * (1 - v) + cost[corner + 1] * v
    high = cost[corner + columns] * (1 - v) + cost[corner + columns + 1] * v
    return low * (1 - u) + high * u


def cell(cost: Reals, start: int, size: int, value: float) -> int:
    """Return in which cell of the axis that begins at `start` a value lies."""
    low, high = 0, size - 1
    while high - low > 1:
        middle = (low + high) // 2
        if cost[start + middle] <= value:
            low = middle
        else:
            high = middle
    return low
