"""The loops over references, in the part of Python that numba compiles where a trace is long.

All fill `hits` (False before) and `evicted` (`NONE` before) and count objects from 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from perfmodel.validation import Floats

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]
NONE = -1


def lru_hits(trace: Ints, last: Ints, capacity: int, hits: Truths, evicted: Ints) -> None:
    """Replace the least recently used; `last`, NONE before, becomes each object's last use.

    The cache holds what was last used at `oldest` or later. Both only grow, so that each
    reference is passed once by either end of this window.
    """
    oldest, held = 0, 0
    for i in range(trace.size):
        new = trace[i]
        before = last[new]
        last[new] = i
        if before >= oldest:
            hits[i] = True
        elif held < capacity:
            held += 1
        else:
            while last[trace[oldest]] != oldest:
                oldest += 1
            evicted[i] = trace[oldest]
            oldest += 1


def priority_hits(
    trace: Ints,
    priority: Ints,
    renew: bool,
    bypass: bool,
    heap_index: Ints,
    heap: Ints,
    key: Ints,
    hits: Truths,
    evicted: Ints,
) -> None:
    """Replace the object whose last reference had the lowest priority.

    A hit changes the priority where `renew` says so. `heap_index`, NONE before, is where an object
    stands in `heap`; `key` holds the priorities there; their length is the cache's size.
    """
    held = 0
    for i in range(trace.size):
        new, rank = trace[i], priority[i]
        at = heap_index[new]
        if at != NONE:
            hits[i] = True
            if not renew:
                continue
        elif held < heap.size:
            at = held
            held += 1
        else:
            if bypass and rank < key[0]:
                evicted[i] = new
                continue
            at = 0
            evicted[i] = heap[0]
            heap_index[heap[0]] = NONE
        while at > 0 and key[(at - 1) >> 1] > rank:
            above = (at - 1) >> 1
            heap[at], key[at] = heap[above], key[above]
            heap_index[heap[at]] = at
            at = above
        child = 2 * at + 1
        while child < held:
            if child + 1 < held and key[child + 1] < key[child]:
                child += 1
            if key[child] >= rank:
                break
            heap[at], key[at] = heap[child], key[child]
            heap_index[heap[at]] = at
            at = child
            child = 2 * at + 1
        heap[at], key[at], heap_index[new] = new, rank, at


def score_hits(
    trace: Ints,
    step: Ints,
    scores: Floats,
    bypass: bool,
    last: Ints,
    content: Ints,
    hits: Truths,
    evicted: Ints,
) -> None:
    """Replace the object whose score is lowest now, the least recently used of equals.

    `scores` has a row a step, `step` the row of each reference; `last`, NONE before, is an
    object's last use while it is held; `content` has the cache's length.
    """
    held = 0
    for i in range(trace.size):
        new, row = trace[i], step[i]
        if last[new] != NONE:
            hits[i] = True
        elif held < content.size:
            content[held] = new
            held += 1
        else:
            at = 0
            for other in range(1, held):
                gain = scores[row, content[other]] - scores[row, content[at]]
                if gain < 0 or (gain == 0 and last[content[other]] < last[content[at]]):
                    at = other
            out = content[at]
            if bypass and scores[row, new] < scores[row, out]:
                evicted[i] = new
                continue
            evicted[i] = out
            last[out] = NONE
            content[at] = new
        last[new] = i


def next_uses(trace: Ints, following: Ints, coming: Ints) -> None:
    """Set `following` to the next use of each reference's object.

    `coming`, trace.size before, is changed. An object that is not used again gets trace.size.
    """
    for i in range(trace.size - 1, -1, -1):
        following[i] = coming[trace[i]]
        coming[trace[i]] = i


def use_counts(trace: Ints, count: Ints, uses: Ints) -> None:
    """Set `uses` to how often each reference's object was used until then; `count` from 0."""
    for i in range(trace.size):
        count[trace[i]] += 1
        uses[i] = count[trace[i]]


def lru_depths(trace: Ints, slot: Ints, owner: Ints, tree: Ints, depth: Floats) -> None:
    """Set `depth` to how many objects were used since an object's last use, itself included.

    Each use takes the next slot, and leaves the slot of the use before. `slot` has the slot of each
    object's last use (0 before the first), and `owner` the object of each slot. `tree` is a Fenwick
    tree over slots, starting at 1, that counts the slots not left. It begins full, including slots
    to come, so a use need not be entered.

    When no slot is left, the objects move to the first slots, in their order. `depth` stays
    infinite at an object's first use. `owner` and `tree` have one length, above twice the number of
    objects.
    """
    used, seen, slots = 0, 0, tree.size - 1
    for i in range(1, slots + 1):
        tree[i] = i & -i
    for i in range(trace.size):
        if used == slots:
            used = 0
            for old in range(1, slots + 1):
                if slot[owner[old]] == old:
                    used += 1
                    owner[used] = owner[old]
                    slot[owner[old]] = used
            for j in range(1, slots + 1):
                tree[j] = j & -j
        new = trace[i]
        left = slot[new]
        if left == 0:
            seen += 1
        else:
            older, at = 0, left - 1
            while at > 0:
                older += tree[at]
                at &= at - 1
            depth[i] = seen - older
            at = left
            while at <= slots:
                tree[at] -= 1
                at += at & -at
        used += 1
        slot[new] = used
        owner[used] = new
