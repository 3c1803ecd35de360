"""Loops that count hits at many sizes, in the part of Python that numba compiles.

Objects are counted from 0. Indices are unsigned, which saves a test at each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from perfmodel.offloading.caches.loops import Ints

Shorts = NDArray[np.uint32]
Signed = NDArray[np.int32]
Bytes = NDArray[np.int8]


def fifo_hits(trace: Shorts, sizes: Signed, entry: Signed, misses: Signed) -> None:
    """Count the misses of FIFO at all sizes in one pass; `misses` from 0.

    `entry`, shape (objects, sizes), is the number of the miss by which an object came in, far
    below 0 before. The cache holds the last entries, as many as its size.
    """
    for i in range(trace.size):
        row = entry[trace[i]]
        for k in range(sizes.size):
            missed = row[k] <= misses[k] - sizes[k]
            misses[k] += missed
            row[k] = misses[k] if missed else row[k]


def clock_hits(trace: Shorts, size: int, state: Bytes, ring: Shorts) -> int:
    """Return the hits of CLOCK: a hand passes over objects used since it came by last.

    `state` of each object is 0 where it is not held, as all are before, 1 where it is, and 2 where
    it was used since; `ring` has the cache's length.
    """
    hits, held, hand = 0, 0, 0
    for i in range(trace.size):
        new = trace[i]
        if state[new]:
            hits += 1
            state[new] = 2
            continue
        if held < size:
            ring[held] = new
            held += 1
        else:
            while state[ring[hand]] == 2:
                state[ring[hand]] = 1
                hand = hand + 1 if hand + 1 < size else 0
            state[ring[hand]] = 0
            ring[hand] = new
            hand = hand + 1 if hand + 1 < size else 0
        state[new] = 1
    return hits


def sieve_hits(trace: Shorts, size: int, state: Bytes, links: Shorts) -> int:
    """Return the hits of SIEVE: as CLOCK, but what the hand passes keeps its place in the queue.

    `state` is that of `clock_hits`. `links` has a row an object, the one that came in after it and
    the one before it, and a last row for the queue's two ends, which holds its own number before.
    """
    hits, held, ends = 0, 0, links.shape[0] - 1
    hand = links[ends, 0]
    for i in range(trace.size):
        new = trace[i]
        if state[new]:
            hits += 1
            state[new] = 2
            continue
        if held < size:
            held += 1
        else:
            out = links[hand, 0] if hand == ends else hand
            while state[out] == 2:
                state[out] = 1
                out = links[out, 0]
                out = links[out, 0] if out == ends else out
            hand, earlier = links[out, 0], links[out, 1]
            links[hand, 1], links[earlier, 0] = earlier, hand
            state[out] = 0
        newest = links[ends, 1]
        state[new], links[new, 0], links[new, 1] = 1, ends, newest
        links[newest, 0], links[ends, 1] = new, new
    return hits


def lfu_hits(trace: Shorts, size: int, objects: int, node: Shorts) -> int:
    """Return the hits of LFU with counts that an eviction forgets.

    Of equal counts the object leaves that has had its count for longest. `node` has a row an
    object: its count, 0 where it is not held, and the objects before and after it among those of
    its count. Below them it has a row a count from 0 for the ends of these queues, which holds its
    own number before.
    """
    hits, held, least = 0, 0, node[objects, 0]
    for i in range(trace.size):
        new = trace[i]
        count = node[new, 0]
        if count:
            hits += 1
            before, after = node[new, 1], node[new, 2]
            node[before, 2], node[after, 1] = after, before
            if count == least and before == after:
                least = count + 1
        else:
            if held < size:
                held += 1
            else:
                ends = objects + least
                out = node[ends, 2]
                after = node[out, 2]
                node[ends, 2], node[after, 1] = after, ends
                node[out, 0] = 0
            least = 1
        ends = objects + count + 1
        last = node[ends, 1]
        node[new, 0], node[new, 1], node[new, 2] = count + 1, last, ends
        node[last, 2], node[ends, 1] = new, new
    return hits


def distance_counts(distances: NDArray[np.float64], counts: Ints) -> None:
    """Add to `counts`, from 0, how many references have each distance; the last are longer ones."""
    longest = counts.size - 1
    for i in range(distances.size):
        counts[int(min(distances[i], longest))] += 1
