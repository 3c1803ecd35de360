"""A cache of prompt blocks played through requests, and LRU at all sizes by one pass.

The loops are in the part of Python that numba compiles where a trace is long.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.compilation import compiled_if_long
from perfmodel.labs.offloading.prefix_caching.traces import Requests
from perfmodel.offloading import lru_hit_ratio, stack_distances
from perfmodel.validation import Floats, one_number, one_of, positive, whole, within

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
    position: Ints,
    heap: Ints,
    key: Ints,
    prefix: Ints,
    hits: NDArray[np.bool_],
) -> None:
    """Set `hits` where a block is held, and `prefix` to those before a request's first gap.

    A request is looked up, then its blocks are touched in `order` (of indices), then those of
    lowest key leave until `capacity` are held. A touch sets the key to `rank`, of a block
    already held only where `renew` says so, plus `unit` times the uses since the block came in.
    `count` is 0 and `position` NONE before; `heap` and `key` are a request longer than the cache.
    """
    held = 0
    for r in range(start.size - 1):
        for i in range(start[r], start[r + 1]):
            if position[blocks[i]] != NONE:
                if prefix[r] == i - start[r]:
                    prefix[r] += 1
                hits[i] = True
        j = start[r]
        while True:
            if j < start[r + 1]:
                i = order[j]
                j += 1
                new = blocks[i]
                at = position[new]
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
                position[heap[0]] = NONE
                held -= 1
                if held == 0:
                    break
                new, value, at = heap[held], key[held], 0
            else:
                break
            while at > 0 and key[(at - 1) >> 1] > value:
                above = (at - 1) >> 1
                heap[at], key[at] = heap[above], key[above]
                position[heap[at]] = at
                at = above
            child = 2 * at + 1
            while child < held:
                if child + 1 < held and key[child + 1] < key[child]:
                    child += 1
                if key[child] >= value:
                    break
                heap[at], key[at] = heap[child], key[child]
                position[heap[at]] = at
                at = child
                child = 2 * at + 1
            heap[at], key[at], position[new] = new, value, at


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
    by the longest prefix and then the wait, 4 the same if the prefix is more than `weight` of the
    prompt, else by the wait. A prefill takes `linear` n + `square` n^2 seconds. A
    node keeps the last `capacity` blocks used: those whose `last` use (NONE before), a place in its
    `log`, is `oldest` or later. Sets `chosen`, `hit` (tokens), `wait` and `service` (s).
    """
    nodes, own = free.size, last.shape[0]
    for r in range(prompt.size):
        first, end, n = start[r], start[r + 1], prompt[r]
        best, least, longest, idle, shortest = 0, np.inf, NONE, 0, np.inf
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
            if queue < shortest:
                idle, shortest = node, queue
            better = score < least
            if rule >= 3:
                better = tokens > longest or (tokens == longest and score < least)
            if better:
                best, least, longest = node, score, tokens
        if rule == 4 and longest <= weight * n:
            best = idle
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


POLICIES = ("LRU", "FIFO", "in-cache LFU", "LFU", "later-first LFU", "optimal")
"""What `replay` may evict by."""


class Replay(NamedTuple):
    """What a cache did for the requests."""

    prefix: Ints
    """Blocks of each request found before the first one missing: what can be reused."""
    hits: NDArray[np.bool_]
    """Whether each reference's block was held at all."""

    def hit_ratio(self, requests: Requests) -> float:
        """Return the share of all references to blocks that can be reused."""
        return float(self.prefix.sum() / requests.blocks.size)


def replay(
    requests: Requests, capacity: int, policy: str = "LRU", *, last_first: bool = True
) -> Replay:
    """Play a cache of `capacity` blocks, 1 or more, through all requests.

    A request is looked up. Then all its blocks are touched, from the last to the first unless
    `last_first` is False, and then blocks are evicted. "LFU" counts all uses, "in-cache LFU" those
    since the block came in. Of equal counts they evict the least recently touched block, and
    "later-first LFU" the block closest to the start of its prompt. "optimal" is Belady's policy: it
    evicts the block that isn't used again for longest, which may be a new one.

    >>> from perfmodel.labs.offloading.prefix_caching.traces import mooncake
    >>> trace = mooncake("conversation")
    >>> round(replay(trace, 5859).hit_ratio(trace), 4)
    0.1361
    """
    one_of("policy", policy, POLICIES)
    slots = min(whole("capacity", capacity, 1), requests.distinct)
    order = _touched(requests) if last_first else np.arange(requests.blocks.size)
    rank, unit = _ranks(requests, policy, order)
    longest = int(requests.lengths.max())
    prefix, hits = np.zeros(requests.prompt.size, np.int64), np.zeros(requests.blocks.size, bool)
    heap, key = np.zeros((2, slots + longest), np.int64)
    compiled_if_long(request_hits, 4 * requests.blocks.size)(
        requests.blocks,
        requests.start,
        order,
        rank,
        policy != "FIFO",
        unit,
        slots,
        np.zeros(requests.distinct, np.int64),
        np.full(requests.distinct, NONE),
        heap,
        key,
        prefix,
        hits,
    )
    return Replay(prefix, hits)


def lru_distances(requests: Requests) -> Floats:
    """Return for each reference the least capacity at which LRU has its block, by one pass.

    Shape (references,), in the order of `requests.blocks`; infinite at a first use. Last block
    first, a block's own successors in the prompt are touched before it, and stood below it in the
    stack: the distance is that of the trace with each request reversed, less those successors.
    """
    order = _touched(requests)
    distance = np.empty(order.size)
    distance[order] = stack_distances(requests.blocks[order])
    successors = requests.start[1:][requests.owner] - 1 - np.arange(order.size)
    return distance - successors


def lru_curve(requests: Requests, capacities: ArrayLike) -> Floats:
    """Return LRU's hit ratio at any number of capacities in blocks, by one pass."""
    return lru_hit_ratio(lru_distances(requests), capacities)


def capacity_for(requests: Requests, hit_fraction: float, policy: str = "LRU") -> int:
    """Return the fewest blocks with a fraction, above 0 to 1, of the unlimited cache's hits.

    LRU's are read off its distances; another policy's are found by halving, as if its hits never
    fell with the capacity.
    """
    part = float(within("hit_fraction", one_number("hit_fraction", hit_fraction, positive), 0, 1))
    again = requests.blocks.size - requests.distinct
    if again == 0:
        raise ValueError("requests must use some block twice, or no capacity has a hit")
    needed = int(np.ceil(part * again - 1e-9))
    if one_of("policy", policy, POLICIES) == "LRU":
        return int(np.sort(lru_distances(requests))[needed - 1])
    low, high = 0, requests.distinct
    while high - low > 1:
        middle = (low + high) // 2
        if replay(requests, middle, policy).prefix.sum() >= needed:
            high = middle
        else:
            low = middle
    return high


def first_use_bound(requests: Requests) -> float:
    """Return the hit ratio of a cache without limit: all references but the first of each block."""
    return 1 - requests.distinct / requests.blocks.size


def reused_tokens(requests: Requests, prefix: Ints, *, half_block: bool = False) -> Ints:
    """Return the tokens of each prompt that `prefix` whole blocks spare.

    With `half_block` half a block more where a prefix ends within a prompt: what a cache that
    matches single tokens finds on average, if the first difference is anywhere in a block.
    """
    size = requests.block_tokens
    more = size // 2 * ((prefix > 0) & (prefix < requests.lengths)) if half_block else 0
    return np.asarray(np.minimum(prefix * size + more, requests.prompt))


def _touched(requests: Requests) -> Ints:
    """Return the places of all references, each request's last block first."""
    owner = requests.owner
    return requests.start[owner] + requests.start[owner + 1] - 1 - np.arange(owner.size)


def _ranks(requests: Requests, policy: str, order: Ints) -> tuple[Ints, int]:
    """Return what a touch adds to its block's key, and what each use in the cache adds."""
    blocks, count = requests.blocks, requests.blocks.size
    turn = np.empty(count, np.int64)
    turn[order] = np.arange(count)
    if policy in ("LRU", "FIFO"):
        return turn, 0
    if policy == "in-cache LFU":
        return turn, count
    if policy == "later-first LFU":
        depth = np.arange(count) - requests.start[requests.owner]
        return depth * count + turn, count * int(requests.lengths.max())
    following, used = np.full(count, requests.prompt.size), np.zeros(count, np.int64)
    by_block = np.argsort(blocks, kind="stable")
    same = blocks[by_block[1:]] == blocks[by_block[:-1]]
    following[by_block[:-1][same]] = requests.owner[by_block[1:][same]]
    if policy == "optimal":
        return turn - following * count, 0
    first = np.concatenate([[True], ~same])
    used[by_block] = np.arange(count) - np.maximum.accumulate(np.where(first, np.arange(count), 0))
    return used * count + turn, 0
