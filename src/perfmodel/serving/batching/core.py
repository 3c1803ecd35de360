"""The core of the simulator: iterations of several servers, one arrival after the other.

A loop of `perfmodel.engine`, over lists or arrays. No iteration looks at each of its requests,
because all requests in decode gain a token together. So a server counts its decode steps. From the
step at which a request began, it knows when the request ends (a ring of lists, by the step at which
they end). It also knows when the request needs a further KV block (a ring of counts, by step modulo
the block).

The rules are explained in `perfmodel.serving.batching.scheduling_policy`;
`tests/serving/batching/reference.py` has them without rings.
"""

from __future__ import annotations

from perfmodel.engine.fields import NONE, Ints, Reals, outlined
from perfmodel.serving.batching.sequences import (
    admit,
    enqueue,
    finish,
    kv_blocks,
    note_step,
    note_token,
    preempt,
    start_decoding,
    stop_decoding,
)
from perfmodel.serving.batching.state import (
    CHUNKED,
    ITERATIONS,
    LEAST,
    LESS_OF_TWO,
    MOST_CACHED,
    MOST_TOKENS,
    NEVER,
    NEXT,
    PREFILL,
    PREFILL_FIRST,
    STATIC,
    Plan,
    State,
)


def play(plan: Plan, state: State) -> bool:
    """Play all arrivals and what follows; False if it stopped at `plan.stop` iterations before."""
    while state.counter[NEXT] < plan.requests:
        if not send(plan, state, plan.arrival[state.counter[NEXT]]):
            return False
    return finish_all(plan, state)


def send(plan: Plan, state: State, now: float) -> bool:
    """Let the next request come to its server; False if it stopped before."""
    counter, servers = state.counter, state.servers
    request = counter[NEXT]
    chosen = plan.target[request]
    if plan.dispatch == LEAST:
        chosen = 0
        for k in range(plan.replicas):
            if not advance(plan, state, k, now):
                return False
            if servers.load[k] < servers.load[chosen]:
                chosen = k
    else:
        if not advance(plan, state, chosen, now):
            return False
        if plan.dispatch == LESS_OF_TWO:
            other = plan.other[request]
            if not advance(plan, state, other, now):
                return False
            if servers.load[other] < servers.load[chosen]:
                chosen = other
    if servers.running[chosen] == 0 and servers.waiting[chosen] == 0:
        servers.clock[chosen] = now
    state.replica[request] = chosen
    servers.load[chosen] += plan.weight[request]
    enqueue(plan, state, chosen, request)
    counter[NEXT] += 1
    return True


def finish_all(plan: Plan, state: State) -> bool:
    """Play what follows the last arrival; False if it stopped before."""
    done = True
    for k in range(plan.replicas):
        done = done and advance(plan, state, k, NEVER)
    return done


@outlined
def advance(plan: Plan, state: State, k: int, until: float) -> bool:
    """Play the iterations of server k that begin before `until`; the last may not have ended."""
    servers = state.servers
    while True:
        if servers.active[k] == 1:
            if servers.clock[k] > until:
                return True
            end_iteration(plan, state, k)
        if servers.clock[k] >= until or servers.running[k] + servers.waiting[k] == 0:
            return True
        if state.counter[ITERATIONS] >= plan.stop:
            return False
        begin_iteration(plan, state, k)


def begin_iteration(plan: Plan, state: State, k: int) -> None:
    """Preempt, admit, and set the end of server k's next iteration."""
    servers, composition = state.servers, plan.composition
    due = k * plan.block + servers.steps[k] % plan.block
    preempted = False
    while servers.free_blocks[k] < state.due[due]:
        preempt(plan, state, k)
        preempted = True
    budget = plan.chunk - servers.decoding[k] if composition == CHUNKED else plan.limit
    prefill, ending, cached, pairs, prompts = 0, 0, 0, 0, 0
    request = servers.prefilling[k]
    if request != NONE and budget > 0:
        goal, computed = plan.prompt[request] + state.generated[request], state.computed[request]
        prefill, cached, prompts = min(goal - computed, budget), computed, 1
        pairs = prefill * computed + prefill * (prefill + 1) // 2
        state.computed[request] = computed + prefill
        ending = 1 if computed + prefill == goal else 0
    admits = not preempted and (composition != STATIC or servers.running[k] == 0)
    while admits and servers.waiting[k] > 0 and servers.running[k] < plan.batch:
        request = state.queue.item[servers.queue[k]]
        goal, computed = plan.prompt[request] + state.generated[request], state.computed[request]
        spare = plan.spare if servers.running[k] > 0 else 0
        if kv_blocks(plan, request, goal) > servers.free_blocks[k] - state.due[due] - spare:
            break
        resumes = computed == goal - 1 and state.generated[request] > 0
        if composition == CHUNKED:
            full = prefill >= budget
        else:
            full = not resumes and prefill > 0 and prefill + goal - computed > budget
        if full:
            break
        admit(plan, state, k)
        if resumes:
            if composition == CHUNKED:
                budget -= 1
            servers.free_blocks[k] -= kv_blocks(plan, request, goal - 1)
            start_decoding(plan, state, k, request)
            continue
        servers.free_blocks[k] -= kv_blocks(plan, request, goal)
        state.status[request] = PREFILL
        if servers.prefilling[k] == NONE:
            servers.prefilling[k] = request
        tokens = goal - computed
        if composition == CHUNKED:
            tokens = min(tokens, budget - prefill)
        prefill, cached, prompts = prefill + tokens, cached + computed, prompts + 1
        pairs += tokens * computed + tokens * (tokens + 1) // 2
        state.computed[request] = computed + tokens
        ending += 1 if computed + tokens == goal else 0
    decoding = servers.decoding[k]
    if prefill > 0 and composition <= PREFILL_FIRST:
        decoding = 0
    servers.decodes[k] = 0
    if decoding > 0:
        servers.decodes[k] = 1
        servers.free_blocks[k] -= state.due[due]
        cached += servers.cached_tokens[k] + decoding
    seconds = plan.swap_token * servers.swapped_tokens[k]
    seconds += step_seconds(plan, state.counter, prefill, decoding, ending, cached, pairs)
    servers.clock[k] += seconds
    servers.busy[k] += seconds
    state.counter[ITERATIONS] += 1
    servers.iterations[k] += 1
    servers.scheduled[k] += decoding + prompts
    servers.prefill_tokens[k] += prefill
    servers.output_tokens[k] += decoding + ending
    servers.fewest_free_blocks[k] = min(servers.fewest_free_blocks[k], servers.free_blocks[k])
    servers.swapped_tokens[k] = 0
    servers.active[k] = 1


@outlined
def end_iteration(plan: Plan, state: State, k: int) -> None:
    """Give out the tokens of server k's iteration, and end who has all of them."""
    servers = state.servers
    servers.active[k] = 0
    if servers.decodes[k] == 1:
        servers.steps[k] += 1
        servers.cached_tokens[k] += servers.decoding[k]
        note_step(plan, state, k)
        last = k * plan.ring + servers.steps[k] % plan.ring
        while state.ring[last] != NONE:
            request = state.ring[last]
            stop_decoding(plan, state, k, request)
            finish(plan, state, k, request)
    request = servers.prefilling[k]
    servers.prefilling[k] = NONE
    while request != NONE:
        following = state.after[request]
        if state.status[request] == PREFILL:
            if state.computed[request] < plan.prompt[request] + state.generated[request]:
                servers.prefilling[k] = request
            else:
                if state.generated[request] == 0:
                    state.first_token[request] = servers.clock[k]
                else:
                    note_token(state, request, servers.clock[k])
                state.last_token[request] = servers.clock[k]
                state.generated[request] += 1
                if state.generated[request] == plan.output[request]:
                    finish(plan, state, k, request)
                else:
                    start_decoding(plan, state, k, request)
        request = following


def step_seconds(
    plan: Plan, counter: Ints, prefill: int, decoding: int, ending: int, cached: int, pairs: int
) -> float:
    """Return the seconds of an iteration; a table's largest tokens and cached are noted."""
    cost = plan.cost
    if plan.pieces > 0:
        longest = 0.0
        for piece in range(plan.pieces):
            at = 5 * piece
            seconds = cost[at] + cost[at + 1] * prefill + cost[at + 2] * (decoding + ending)
            seconds = seconds + cost[at + 3] * cached + cost[at + 4] * pairs
            longest = max(longest, seconds)
        return longest
    rows, columns, tokens = plan.rows, plan.columns, prefill + decoding
    counter[MOST_TOKENS] = max(counter[MOST_TOKENS], tokens)
    counter[MOST_CACHED] = max(counter[MOST_CACHED], cached)
    i, j = cell(cost, 0, rows, tokens), cell(cost, rows, columns, cached)
    u = (tokens - cost[i]) / (cost[i + 1] - cost[i])
    v = (cached - cost[rows + j]) / (cost[rows + j + 1] - cost[rows + j])
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
