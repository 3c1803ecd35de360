"""Loops of this lab, in the part of Python that numba compiles where a trace is long."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from perfmodel.validation import Floats

Ints = NDArray[np.int64]
NONE = -1


def request_hits(
    blocks: Ints,
    start: Ints,
    order: Ints,
    rank: Ints,
    renew: bool,
    unit: int,
    capacity: int,
    count: Ints,
    place: Ints,
    heap: Ints,
    key: Ints,
    prefix: Ints,
    found: NDArray[np.bool_],
) -> None:
    """Set `found` where a block is held, and `prefix` to those before a request's first gap.

    A request is looked up, then its blocks are touched in `order` (places in `blocks`), then those
    of lowest key leave until `capacity` are held. A touch sets the key to `rank`, of a block
    already held only where `renew` says so, plus `unit` times the uses since the block came in.
    `count` is 0 and `place` NONE before; `heap` and `key` are longer than the cache by a request.
    """
    held = 0
    for r in range(start.size - 1):
        for i in range(start[r], start[r + 1]):
            if place[blocks[i]] != NONE:
                if prefix[r] == i - start[r]:
                    prefix[r] += 1
                found[i] = True
        j = start[r]
        while True:
            if j < start[r + 1]:
                i = order[j]
                j += 1
                new = blocks[i]
                at = place[new]
                if at == NONE:
                    at = held
                    held += 1
                    count[new] = 1
                elif renew:
                    count[new] += 1
                else:
                    continue
                value = rank[i] + unit * count[new]
            elif held > capacity:
                place[heap[0]] = NONE
                held -= 1
                if held == 0:
                    break
                new, value, at = heap[held], key[held], 0
            else:
                break
            while at > 0 and key[(at - 1) >> 1] > value:
                above = (at - 1) >> 1
                heap[at], key[at] = heap[above], key[above]
                place[heap[at]] = at
                at = above
            child = 2 * at + 1
            while child < held:
                if child + 1 < held and key[child + 1] < key[child]:
                    child += 1
                if key[child] >= value:
                    break
                heap[at], key[at] = heap[child], key[child]
                place[heap[at]] = at
                at = child
                child = 2 * at + 1
            heap[at], key[at], place[new] = new, value, at


def routed(
    arrival: Floats,
    blocks: Ints,
    start: Ints,
    prompt: Ints,
    sticky: Ints,
    rule: int,
    weight: float,
    linear: float,
    square: float,
    block_tokens: int,
    capacity: int,
    last: Ints,
    log: Ints,
    used: Ints,
    oldest: Ints,
    held: Ints,
    free: Floats,
    chosen: Ints,
    hit: Ints,
    wait: Floats,
    service: Floats,
) -> None:
    """Send each request to a node and serve it there, first come, first served.

    `rule`: 0 in turn, 1 by `sticky`, 2 by the wait plus `weight` times the prefill that is left, 3
    by the longest prefix and then the wait. A prefill takes `linear` n + `square` n^2 seconds. A
    node keeps the last `capacity` blocks used: those whose `last` use (NONE before), a place in its
    `log`, is `oldest` or later. Sets `chosen`, `hit` (tokens), `wait` and `service` (s).
    """
    nodes, own = free.size, last.shape[0]
    for r in range(prompt.size):
        first, end, n = start[r], start[r + 1], prompt[r]
        best, least, longest = 0, np.inf, NONE
        for node in range(nodes):
            store = node if own > 1 else 0
            found = 0
            while first + found < end and last[store, blocks[first + found]] >= oldest[store]:
                found += 1
            tokens = min(found * block_tokens, n)
            queue = max(free[node] - arrival[r], 0.0)
            if rule == 0:
                score = float((node - r) % nodes)
            elif rule == 1:
                score = float((node - sticky[r]) % nodes)
            elif rule == 2:
                left = linear * (n - tokens) + square * (float(n) * n - float(tokens) * tokens)
                score = queue + weight * left
            else:
                score = queue
            better = score < least
            if rule == 3:
                better = tokens > longest or (tokens == longest and score < least)
            if better:
                best, least, longest = node, score, tokens
        store = best if own > 1 else 0
        found = 0
        while first + found < end and last[store, blocks[first + found]] >= oldest[store]:
            found += 1
        tokens = min(found * block_tokens, n)
        chosen[r], hit[r] = best, tokens
        service[r] = linear * (n - tokens) + square * (float(n) * n - float(tokens) * tokens)
        wait[r] = max(free[best] - arrival[r], 0.0)
        free[best] = arrival[r] + wait[r] + service[r]
        for i in range(end - 1, first - 1, -1):
            if last[store, blocks[i]] < oldest[store]:
                held[store] += 1
            last[store, blocks[i]] = used[store]
            log[store, used[store]] = blocks[i]
            used[store] += 1
        while held[store] > capacity:
            if last[store, log[store, oldest[store]]] == oldest[store]:
                held[store] -= 1
            oldest[store] += 1
