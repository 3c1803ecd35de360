"""A cache of equal objects played through a trace, by the policy that chooses what to evict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.compilation import compiled_if_long
from perfmodel.offloading.caches.loops import (
    NONE,
    Ints,
    Truths,
    lru_hits,
    next_uses,
    priority_hits,
    score_hits,
    use_counts,
)
from perfmodel.offloading.caches.references import checked_trace, numbered
from perfmodel.validation import Floats, finite, one_of, whole

CACHE_POLICIES = ("LRU", "FIFO", "LFU", "score", "optimal")
"""What `simulate_cache` may evict by."""


@dataclass(frozen=True, eq=False)
class CacheRun:
    """What a cache did with a trace.

    Attributes
    ----------
    trace : ndarray of int, shape (references,)
        The objects in the order of their use.
    hits : ndarray of bool, shape (references,)
        Whether the object was held when it was used.
    evicted : ndarray of int, shape (references,)
        The object that had to leave, -1 if none; the new object itself if it was not let in.
    """

    trace: Ints
    hits: Truths
    evicted: Ints

    @property
    def hit_ratio(self) -> float:
        """Share of references that were hits, first uses counted as misses."""
        return float(self.hits.mean())

    @property
    def misses(self) -> int:
        """References that were not hits: what had to be fetched."""
        return int(self.hits.size - self.hits.sum())

    def contents(self, reference: int) -> frozenset[int]:
        """Return the objects in the cache after the reference of that number, from 0."""
        if whole("reference", reference) >= self.trace.size:
            raise ValueError(
                f"reference must be below {self.trace.size}, the length of the trace, "
                f"got {reference!r}"
            )
        last_in, last_out = {}, {}
        for i in range(reference + 1):
            last_in[int(self.trace[i])] = 2 * i
            if self.evicted[i] != NONE:
                last_out[int(self.evicted[i])] = 2 * i + 1
        return frozenset(x for x, when in last_in.items() if when > last_out.get(x, NONE))


def simulate_cache(
    trace: ArrayLike,
    size: int,
    policy: str = "LRU",
    *,
    scores: ArrayLike | None = None,
    steps: ArrayLike | None = None,
    bypass: bool = False,
) -> CacheRun:
    """Play a trace through a cache that is empty at first.

    Parameters
    ----------
    trace : array_like of int, shape (references,)
        Objects in the order of their use, by numbers from 0. All take the same room.
    size : int
        Objects that the cache holds, 0 or more.
    policy : str, optional
        What leaves when room is needed:

        - "LRU": the object not used for longest.
        - "FIFO": the one that came in first.
        - "LFU": the one used least often since the trace began, in the cache or not.
        - "score": the one whose score is lowest at the moment.
        - "optimal": the one not used again for longest (Belady's MIN), which needs the future.
          Without `bypass` no policy has more hits; with it, none that may bypass has.

        Of equals by use or score, the least recently used leaves.
    scores : array_like, shape (rows, objects), optional
        For "score" only: the score of every object, a row for each moment at which scores change,
        for example those of a router after each token.
    steps : array_like of int, shape (references,), optional
        For "score" only: the row of `scores` that holds at a reference. By default reference i has
        row i.
    bypass : bool, optional
        Whether the new object stays out if it ranks below all that are held. It changes nothing
        for LRU and FIFO, by which the newest ranks highest.

    Raises
    ------
    ValueError
        If an argument is out of range, or `scores` and `policy` don't fit.

    Notes
    -----
    Mattson, Gecsei, Slutz, Traiger, "Evaluation techniques for storage hierarchies", IBM Systems
    Journal 1970; Belady, "A study of replacement algorithms", IBM Systems Journal 1966.

    Examples
    --------
    A loop over three objects in a cache of two: LRU throws each out just before it is used again.

    >>> trace = [0, 1, 2, 0, 1, 2, 0, 1, 2]
    >>> [simulate_cache(trace, 2, policy).hits.sum().item() for policy in ("LRU", "optimal")]
    [0, 3]

    Object 2 has the lowest score, and stays out:

    >>> simulate_cache([0, 1, 2, 0, 1], 2, "score", scores=[[2.0, 3.0, 1.0]] * 5, bypass=True).hits
    array([False, False, False,  True,  True])
    """
    one_of("policy", policy, CACHE_POLICIES)
    references, room = checked_trace(trace), whole("size", size)
    run = CacheRun(references, np.zeros(references.size, bool), np.full(references.size, NONE))
    if (policy == "score") != (scores is not None) or (scores is None and steps is not None):
        raise ValueError('scores and steps must be given for the policy "score" and for no other')
    if room == 0:
        run.evicted[:] = references
    elif scores is not None:
        _by_score(run, room, scores, steps, bypass)
    else:
        _by_rank(run, room, policy, bypass)
    return run


def _by_rank(run: CacheRun, room: int, policy: str, bypass: bool) -> None:
    """Fill a run by a policy that ranks an object at its references only."""
    names, trace = numbered(run.trace)
    objects, count = int(trace.max()) + 1, trace.size
    room = min(room, objects)
    if policy == "LRU":
        last = np.full(objects, NONE)
        compiled_if_long(lru_hits, 4 * count)(trace, last, room, run.hits, run.evicted)
    else:
        rank = _ranks(trace, objects, policy)
        place, heap, key = (
            np.full(objects, NONE),
            np.zeros(room, np.int64),
            np.zeros(room, np.int64),
        )
        compiled_if_long(priority_hits, 4 * count)(
            trace, rank, policy != "FIFO", bypass, place, heap, key, run.hits, run.evicted
        )
    if names is not None:
        left = run.evicted != NONE
        run.evicted[left] = names[run.evicted[left]]


def _ranks(trace: Ints, objects: int, policy: str) -> Ints:
    """Return what each reference gives its object; the lowest is evicted first."""
    count = trace.size
    order = np.arange(count)
    if policy == "FIFO":
        return order
    if policy == "LFU":
        uses = np.zeros(count, np.int64)
        compiled_if_long(use_counts, 4 * count)(trace, np.zeros(objects, np.int64), uses)
        return uses * count + order
    following = np.zeros(count, np.int64)
    compiled_if_long(next_uses, 4 * count)(trace, following, np.full(objects, count))
    return np.asarray(-following)


def _by_score(
    run: CacheRun, room: int, scores: ArrayLike, steps: ArrayLike | None, bypass: bool
) -> None:
    table = _table(scores)
    rows, objects = table.shape
    trace = run.trace
    if trace.max() >= objects:
        raise ValueError(
            f"scores must have a column for each object of the trace, {trace.max() + 1} or more, "
            f"got {objects}"
        )
    step = np.arange(trace.size) if steps is None else checked_trace(steps, "steps")
    if step.size != trace.size or step.max() >= rows:
        raise ValueError(
            f"steps must give each of {trace.size} references a row of scores below {rows}, "
            f"got {step.size} up to {step.max()}"
        )
    content = np.zeros(min(room, objects), np.int64)
    compiled_if_long(score_hits, trace.size * content.size)(
        trace, step, table, bypass, np.full(objects, NONE), content, run.hits, run.evicted
    )


def _table(scores: ArrayLike) -> Floats:
    table = np.require(finite("scores", scores), requirements=["C", "W"])
    if table.ndim != 2 or table.size == 0:
        raise ValueError(f"scores must have a row a step and a column an object, got {table.shape}")
    return table
