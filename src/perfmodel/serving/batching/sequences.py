"""What happens to one sequence in the core: it waits, is admitted, grows, is evicted, leaves."""

from __future__ import annotations

from perfmodel.serving.batching.state import (
    BLOCK,
    CACHED,
    DECODING,
    FIELDS,
    FIRST,
    FREE,
    FRESH,
    GAPS,
    GROWING,
    LAST,
    MOVED,
    NEVER,
    NEWCOMER,
    NEWEST,
    NONE,
    OLDEST,
    OVER,
    QUEUED,
    READING,
    RESIDENT,
    RING,
    ROOT,
    RUNNING,
    STEPS,
    SWAPS,
    UNLISTED,
    WAITING,
    WHOLE,
    WORST,
    CorePlan,
    CoreState,
)


def held(plan: CorePlan, request: int, tokens: int) -> int:
    """Return the blocks of a sequence with so many tokens in the cache."""
    if plan.number[WHOLE] == 1:
        tokens = plan.prompt[request] + plan.output[request] - 1
    return -(-tokens // plan.number[BLOCK])


def admit(plan: CorePlan, state: CoreState, k: int, request: int) -> None:
    """Take the first of the waiting into the batch of server k."""
    base, count = k * FIELDS, state.servers
    dequeue(plan, state, base)
    count[base + RUNNING] += 1
    last = count[base + LAST]
    state.before[request], state.after[request] = last, NONE
    if last == NONE:
        count[base + FIRST] = request
    else:
        state.after[last] = request
    count[base + LAST] = request
    if state.preempted[request] == 0:
        state.admitted[request] = state.clock[k]
    if state.preempted[request] > 0 or plan.number[RESIDENT] == 0:
        count[base + MOVED] += state.ready[request]


def grow(plan: CorePlan, state: CoreState, k: int, request: int) -> None:
    """Let a sequence decode: it gains a token at each step of its server from now on."""
    base, number, count = k * FIELDS, plan.number, state.servers
    made, step = state.made[request], count[base + STEPS]
    state.status[request] = GROWING
    state.joined[request] = step
    if state.newcomer[request] == UNLISTED:
        state.newcomer[request] = count[base + NEWCOMER]
        count[base + NEWCOMER] = request
    count[base + DECODING] += 1
    count[base + CACHED] += plan.prompt[request] + made - 1
    state.made[request] = step - made
    if number[WHOLE] == 0:
        state.due[due_at(plan, k, request, step - made)] += 1
    place = k * number[RING] + (step - made + plan.output[request]) % number[RING]
    other = state.ring[place]
    state.ring_before[request], state.ring_after[request] = NONE, other
    if other != NONE:
        state.ring_before[other] = request
    state.ring[place] = request


def stop_growing(plan: CorePlan, state: CoreState, k: int, request: int) -> None:
    """Undo `grow`: the sequence has as many tokens as it has had steps."""
    base, number, count = k * FIELDS, plan.number, state.servers
    origin = state.made[request]
    made = count[base + STEPS] - origin
    if count[base + STEPS] > state.joined[request]:
        state.last[request] = state.stepped[k]
        later = largest_since(plan, state, k, state.joined[request] + 2)
        state.gap[request] = max(state.gap[request], later)
    count[base + DECODING] -= 1
    count[base + CACHED] -= plan.prompt[request] + made - 1
    state.made[request] = made
    if number[WHOLE] == 0:
        state.due[due_at(plan, k, request, origin)] -= 1
    ahead, behind = state.ring_before[request], state.ring_after[request]
    if behind != NONE:
        state.ring_before[behind] = ahead
    if ahead != NONE:
        state.ring_after[ahead] = behind
    else:
        state.ring[k * number[RING] + (origin + plan.output[request]) % number[RING]] = behind


def note_token(state: CoreState, request: int, now: float) -> None:
    """Keep the gap before a token after the first that ends now."""
    if state.second[request] == NEVER:
        state.second[request] = now
    else:
        state.gap[request] = max(state.gap[request], now - state.last[request])


def note_step(plan: CorePlan, state: CoreState, k: int) -> None:
    """Keep the gaps that end with server k's step of decoding, whose number is counted already.

    Those that decoded before share one gap; a newcomer's begins with its own newest token.
    """
    base, now, ring = k * FIELDS, state.clock[k], plan.number[RING]
    start, mask = k * plan.number[GAPS], plan.number[GAPS] - 1
    count = state.servers
    length = now - state.stepped[k]
    oldest, newest, step = count[base + OLDEST], count[base + NEWEST], count[base + STEPS]
    while newest > oldest and state.gap_length[start + ((newest - 1) & mask)] <= length:
        newest -= 1
    while newest > oldest and state.gap_step[start + (oldest & mask)] <= step - ring:
        oldest += 1
    state.gap_step[start + (newest & mask)] = step
    state.gap_length[start + (newest & mask)] = length
    count[base + OLDEST], count[base + NEWEST] = oldest, newest + 1
    state.stepped[k] = now
    request = count[base + NEWCOMER]
    while request != NONE:
        following = state.newcomer[request]
        state.newcomer[request] = UNLISTED
        if state.status[request] == GROWING:
            note_token(state, request, now)
        request = following
    count[base + NEWCOMER] = NONE


def largest_since(plan: CorePlan, state: CoreState, k: int, step: int) -> float:
    """Return the largest gap of server k's steps from `step` on, at most a ring of them."""
    base = k * FIELDS
    start, mask = k * plan.number[GAPS], plan.number[GAPS] - 1
    low, high = state.servers[base + OLDEST], state.servers[base + NEWEST]
    while low < high:
        middle = (low + high) // 2
        if state.gap_step[start + (middle & mask)] >= step:
            high = middle
        else:
            low = middle + 1
    if low == state.servers[base + NEWEST]:
        return 0.0
    return state.gap_length[start + (low & mask)]


def due_at(plan: CorePlan, k: int, request: int, origin: int) -> int:
    """Return the place in `due` of the steps at which a sequence's blocks are full."""
    block = plan.number[BLOCK]
    return k * block + (origin + 1 - plan.prompt[request]) % block


def leave(plan: CorePlan, state: CoreState, k: int, request: int) -> None:
    """End a request that has all its tokens and doesn't decode any more."""
    state.status[request] = OVER
    state.finish[request] = state.clock[k]
    state.load[k] -= plan.weight[request]
    tokens = plan.prompt[request] + state.made[request] - 1
    unlink(state, k * FIELDS, request)
    state.servers[k * FIELDS + FREE] += held(plan, request, tokens)


def evict(plan: CorePlan, state: CoreState, k: int) -> None:
    """Put the most recently admitted sequence back to the waiting, or that with the worst key."""
    base, number, count = k * FIELDS, plan.number, state.servers
    request = count[base + LAST]
    if number[WORST] == 1:
        other = state.before[request]
        while other != NONE:
            if plan.key[other] > plan.key[request]:
                request = other
            other = state.before[other]
    if state.status[request] == READING:
        if count[base + FRESH] == request:
            count[base + FRESH] = NONE
        tokens, ready = plan.prompt[request] + state.made[request], state.ready[request]
    else:
        stop_growing(plan, state, k, request)
        tokens = ready = plan.prompt[request] + state.made[request] - 1
    state.ready[request] = ready if number[SWAPS] == 1 else 0
    count[base + MOVED] += state.ready[request]
    count[base + FREE] += held(plan, request, tokens)
    state.preempted[request] += 1
    unlink(state, base, request)
    enqueue(plan, state, base, request)


def unlink(state: CoreState, base: int, request: int) -> None:
    """Take a sequence out of the running."""
    count = state.servers
    count[base + RUNNING] -= 1
    ahead, behind = state.before[request], state.after[request]
    if ahead == NONE:
        count[base + FIRST] = behind
    else:
        state.after[ahead] = behind
    if behind == NONE:
        count[base + LAST] = ahead
    else:
        state.before[behind] = ahead


def enqueue(plan: CorePlan, state: CoreState, base: int, request: int) -> None:
    """Let a request wait."""
    state.status[request] = QUEUED
    state.child[request] = state.sibling[request] = NONE
    root = state.servers[base + ROOT]
    state.servers[base + ROOT] = request if root == NONE else meld(plan, state, root, request)
    state.servers[base + WAITING] += 1


def dequeue(plan: CorePlan, state: CoreState, base: int) -> None:
    """Take out the first of the waiting; its children are melded in pairs, these in one."""
    pairs, one = NONE, state.child[state.servers[base + ROOT]]
    while one != NONE:
        other = state.sibling[one]
        following = NONE
        if other != NONE:
            following = state.sibling[other]
            state.sibling[one] = state.sibling[other] = NONE
            one = meld(plan, state, one, other)
        state.sibling[one] = pairs
        pairs, one = one, following
    root = NONE
    while pairs != NONE:
        following = state.sibling[pairs]
        state.sibling[pairs] = NONE
        root = pairs if root == NONE else meld(plan, state, root, pairs)
        pairs = following
    state.servers[base + ROOT] = root
    state.servers[base + WAITING] -= 1


def meld(plan: CorePlan, state: CoreState, one: int, other: int) -> int:
    """Join two heaps of the waiting; return the root, whose turn is first."""
    mine, theirs = plan.key[one], plan.key[other]
    if theirs < mine or (theirs == mine and other < one):
        one, other = other, one
    state.sibling[other] = state.child[one]
    state.child[one] = other
    return one
