"""Hits of a cache at many sizes, for policies that need no knowledge of the future."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.compilation import compiled_if_long
from perfmodel.offloading.caches.loops import Ints
from perfmodel.offloading.caches.references import checked_trace, numbered
from perfmodel.offloading.caches.size_loops import (
    clock_hits,
    distance_counts,
    fifo_hits,
    lfu_hits,
    sieve_hits,
)
from perfmodel.offloading.caches.stack_distance import stack_distances
from perfmodel.validation import check_shapes, one_of, whole_numbers

ONLINE_POLICIES = ("LRU", "FIFO", "CLOCK", "SIEVE", "in-cache LFU")
"""What `hits_by_size` may evict by."""
_MOST_CELLS = 16_000_000
"""Objects times sizes that FIFO's one pass holds at a time, 4 bytes each."""


def hits_by_size(trace: ArrayLike, sizes: ArrayLike, policy: str = "LRU") -> NDArray[np.int64]:
    """Return how many references of a trace hit in a cache, at each of many sizes.

    Parameters
    ----------
    trace : array_like of int, shape (references,)
        Objects in the order of their use, by numbers from 0. All take the same room.
    sizes : array_like of int
        Objects that the cache holds, whole numbers, 0 or more, any shape.
    policy : str, optional
        What leaves when room is needed:

        - "LRU": the object not used for longest. One pass for all sizes (`stack_distances`).
        - "FIFO": the one that came in first. One pass for all sizes as well.
        - "CLOCK": the first at the hand of a ring that was not used since the hand passed it.
        - "SIEVE": the same, but new objects queue at one end and not where the hand stands.
        - "in-cache LFU": the one used least often since it came in; of equals the one that has had
          its count for longest.

    Returns
    -------
    ndarray of int
        Hits, with the shape of `sizes`; 0 where the size is 0. The cache is empty at first.

    Raises
    ------
    ValueError
        If `trace` or `sizes` hold anything but whole numbers from 0, or the policy is unknown.

    Notes
    -----
    CLOCK: Corbato, "A paging experiment with the Multics system", 1969. SIEVE: Zhang et al., NSDI
    2024. `simulate_cache` says for one size which references hit and what leaves, and has LFU with
    counts kept for ever, and Belady's optimum.

    Examples
    --------
    A loop over three objects gives LRU nothing before all three fit:

    >>> hits_by_size([0, 1, 2] * 4, [1, 2, 3])
    array([0, 0, 9])
    >>> hits_by_size([0, 1, 0, 2, 0, 3, 0, 1], [2, 3], "SIEVE")
    array([3, 3])
    """
    one_of("policy", policy, ONLINE_POLICIES)
    references, asked = checked_trace(trace), whole_numbers("sizes", sizes, 0)
    check_shapes(sizes=asked)
    _, places = numbered(references)
    objects = int(places.max()) + 1
    rooms, back = np.unique(np.minimum(asked, objects).astype(np.int64), return_inverse=True)
    if policy == "LRU":
        hits = _lru(places, rooms)
    elif policy == "FIFO":
        hits = _fifo(places.astype(np.uint32), objects, rooms)
    else:
        hits = _one_by_one(places.astype(np.uint32), objects, rooms, policy)
    return hits[back].reshape(asked.shape)


def _lru(trace: Ints, rooms: Ints) -> Ints:
    counts = np.zeros(int(rooms[-1]) + 2, np.int64)
    compiled_if_long(distance_counts, trace.size)(stack_distances(trace), counts)
    return np.cumsum(counts)[rooms]


def _fifo(trace: NDArray[np.uint32], objects: int, rooms: Ints) -> Ints:
    misses = np.zeros(rooms.size, np.int32)
    width = max(1, _MOST_CELLS // objects)
    for first in range(0, rooms.size, width):
        part = rooms[first : first + width].astype(np.int32)
        entry = np.full((objects, part.size), np.iinfo(np.int32).min // 2, np.int32)
        loop = compiled_if_long(fifo_hits, trace.size * part.size)
        loop(trace, part, entry, misses[first : first + width])
    return np.asarray(trace.size - misses.astype(np.int64))


def _one_by_one(trace: NDArray[np.uint32], objects: int, rooms: Ints, policy: str) -> Ints:
    hits = np.zeros(rooms.size, np.int64)
    most = int(np.bincount(trace).max())
    for k, room in enumerate(rooms.tolist()):
        state = np.zeros(objects, np.int8)
        if room == 0:
            continue
        if policy == "CLOCK":
            ring = np.zeros(room, np.uint32)
            hits[k] = compiled_if_long(clock_hits, 2 * trace.size)(trace, room, state, ring)
        elif policy == "SIEVE":
            links = np.zeros((objects + 1, 2), np.uint32)
            links[objects] = objects
            hits[k] = compiled_if_long(sieve_hits, 3 * trace.size)(trace, room, state, links)
        else:
            node = np.zeros((objects + most + 2, 4), np.uint32)
            node[objects:, 1:3] = np.arange(objects, len(node))[:, None]
            hits[k] = compiled_if_long(lfu_hits, 4 * trace.size)(trace, room, objects, node)
    return hits
