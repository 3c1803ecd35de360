"""What happens to one request in the core: it waits, is admitted, decodes, is preempted, ends."""

from __future__ import annotations

from perfmodel.engine.fields import NONE, outlined
from perfmodel.engine.heap import push, remove
from perfmodel.serving.batching.state import (
    COMPLETED,
    DECODE,
    FINISHED,
    NEVER,
    PREFILL,
    QUEUE_END,
    UNLISTED,
    WAITING,
    Plan,
    State,
)


def kv_blocks(plan: Plan, request: int, tokens: int) -> int:
    """Return the KV blocks of a request with this many tokens in the cache."""
    if plan.whole == 1:
        tokens = plan.prompt[request] + plan.output[request] - 1
    return -(-tokens // plan.block)


def enqueue(plan: Plan, state: State, k: int, request: int) -> None:
    """Let a request wait at server k."""
    servers = state.servers
    state.status[request] = WAITING
    if servers.waiting[k] == servers.queue_size[k]:
        widen_queue(state, k)
    push(state.queue, plan.turn, servers.queue[k], servers.waiting[k], plan.key[request], request)
    servers.waiting[k] += 1


@outlined
def widen_queue(state: State, k: int) -> None:
    """Move the waiting of server k to where there is room for twice as many."""
    servers, queue = state.servers, state.queue
    old, new = servers.queue[k], state.counter[QUEUE_END]
    for i in range(servers.waiting[k]):
        queue.key[new + i], queue.item[new + i] = queue.key[old + i], queue.item[old + i]
    servers.queue[k] = new
    servers.queue_size[k] *= 2
    state.counter[QUEUE_END] += servers.queue_size[k]


def admit(plan: Plan, state: State, k: int) -> int:
    """Let the first of the waiting run at server k, and return it."""
    servers = state.servers
    request = remove(state.queue, plan.turn, servers.queue[k], servers.waiting[k], 0)
    servers.waiting[k] -= 1
    servers.running[k] += 1
    last = servers.last[k]
    state.before[request], state.after[request] = last, NONE
    if last == NONE:
        servers.first[k] = request
    else:
        state.after[last] = request
    servers.last[k] = request
    if state.preempted[request] == 0:
        state.admitted[request] = servers.clock[k]
    if plan.swaps == 1 and state.preempted[request] > 0:
        servers.swapped_tokens[k] += state.computed[request]
    return request


@outlined
def start_decoding(plan: Plan, state: State, k: int, request: int) -> None:
    """Let a request decode: from now it gains a token at each step of its server."""
    servers = state.servers
    generated, step = state.generated[request], servers.steps[k]
    state.status[request] = DECODE
    state.joined[request] = step
    if state.newcomer[request] == UNLISTED:
        state.newcomer[request] = servers.newcomer[k]
        servers.newcomer[k] = request
    servers.decoding[k] += 1
    servers.cached_tokens[k] += plan.prompt[request] + generated - 1
    state.generated[request] = step - generated
    if plan.whole == 0:
        state.due[due_at(plan, k, request, step - generated)] += 1
    last = k * plan.ring + (step - generated + plan.output[request]) % plan.ring
    other = state.ring[last]
    state.ring_before[request], state.ring_after[request] = NONE, other
    if other != NONE:
        state.ring_before[other] = request
    state.ring[last] = request


@outlined
def stop_decoding(plan: Plan, state: State, k: int, request: int) -> None:
    """Undo `start_decoding`: the request has as many tokens as it has had steps."""
    servers = state.servers
    origin = state.generated[request]
    generated = servers.steps[k] - origin
    if servers.steps[k] > state.joined[request]:
        state.last_token[request] = servers.stepped[k]
        later = largest_since(plan, state, k, state.joined[request] + 2)
        state.largest_gap[request] = max(state.largest_gap[request], later)
    servers.decoding[k] -= 1
    servers.cached_tokens[k] -= plan.prompt[request] + generated - 1
    state.generated[request] = generated
    if plan.whole == 0:
        state.due[due_at(plan, k, request, origin)] -= 1
    before, after = state.ring_before[request], state.ring_after[request]
    if after != NONE:
        state.ring_before[after] = before
    if before != NONE:
        state.ring_after[before] = after
    else:
        state.ring[k * plan.ring + (origin + plan.output[request]) % plan.ring] = after


def note_token(state: State, request: int, now: float) -> None:
    """Keep the gap before a token after the first that ends now."""
    if state.second_token[request] == NEVER:
        state.second_token[request] = now
    else:
        gap = now - state.last_token[request]
        state.largest_gap[request] = max(state.largest_gap[request], gap)


def note_step(plan: Plan, state: State, k: int) -> None:
    """Keep the gaps that end with server k's step of decoding, whose number is counted already.

    Those that decoded before share one gap; a newcomer's begins with its own newest token.
    """
    servers = state.servers
    now, start, mask = servers.clock[k], k * plan.gaps, plan.gaps - 1
    length = now - servers.stepped[k]
    oldest, newest, step = servers.oldest_gap[k], servers.newest_gap[k], servers.steps[k]
    while newest > oldest and state.gap_length[start + ((newest - 1) & mask)] <= length:
        newest -= 1
    while newest > oldest and state.gap_step[start + (oldest & mask)] <= step - plan.ring:
        oldest += 1
    state.gap_step[start + (newest & mask)] = step
    state.gap_length[start + (newest & mask)] = length
    servers.oldest_gap[k], servers.newest_gap[k] = oldest, newest + 1
    servers.stepped[k] = now
    request = servers.newcomer[k]
    while request != NONE:
        following = state.newcomer[request]
        state.newcomer[request] = UNLISTED
        if state.status[request] == DECODE:
            note_token(state, request, now)
        request = following
    servers.newcomer[k] = NONE


@outlined
def largest_since(plan: Plan, state: State, k: int, step: int) -> float:
    """Return the largest gap of server k's steps from `step` on, at most a ring of them."""
    start, mask = k * plan.gaps, plan.gaps - 1
    low, high = state.servers.oldest_gap[k], state.servers.newest_gap[k]
    while low < high:
        middle = (low + high) // 2
        if state.gap_step[start + (middle & mask)] >= step:
            high = middle
        else:
            low = middle + 1
    if low == state.servers.newest_gap[k]:
        return 0.0
    return state.gap_length[start + (low & mask)]


def due_at(plan: Plan, k: int, request: int, origin: int) -> int:
    """Return the index in `due` of the steps at which a request's KV blocks are full."""
    return k * plan.block + (origin + 1 - plan.prompt[request]) % plan.block


@outlined
def finish(plan: Plan, state: State, k: int, request: int) -> None:
    """End a request that has all its tokens and doesn't decode any more."""
    servers = state.servers
    state.status[request] = FINISHED
    state.finish[request] = servers.clock[k]
    state.counter[COMPLETED] += 1
    servers.load[k] -= plan.weight[request]
    tokens = plan.prompt[request] + state.generated[request] - 1
    stop_running(state, k, request)
    servers.free_blocks[k] += kv_blocks(plan, request, tokens)


@outlined
def preempt(plan: Plan, state: State, k: int) -> None:
    """Let the most recently admitted request of server k, or that with the worst key, wait."""
    servers = state.servers
    request = servers.last[k]
    if plan.worst == 1:
        other = state.before[request]
        while other != NONE:
            if plan.key[other] > plan.key[request]:
                request = other
            other = state.before[other]
    if state.status[request] == PREFILL:
        if servers.prefilling[k] == request:
            servers.prefilling[k] = NONE
        tokens = plan.prompt[request] + state.generated[request]
        computed = state.computed[request]
    else:
        stop_decoding(plan, state, k, request)
        tokens = computed = plan.prompt[request] + state.generated[request] - 1
    state.computed[request] = plan.cached[request]
    if plan.swaps == 1:
        state.computed[request] = computed
        servers.swapped_tokens[k] += computed
    servers.free_blocks[k] += kv_blocks(plan, request, tokens)
    state.preempted[request] += 1
    stop_running(state, k, request)
    enqueue(plan, state, k, request)


@outlined
def stop_running(state: State, k: int, request: int) -> None:
    """Take a request out of the running of server k."""
    servers = state.servers
    servers.running[k] -= 1
    before, after = state.before[request], state.after[request]
    if before == NONE:
        servers.first[k] = after
    else:
        state.after[before] = after
    if after == NONE:
        servers.last[k] = before
    else:
        state.before[after] = before
