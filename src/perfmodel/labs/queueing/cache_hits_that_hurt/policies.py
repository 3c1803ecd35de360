"""Which locks a request of a software cache takes, by its policy, and what the authors timed.

A hit that promotes its item cuts it out of the list (delink) and hangs it in at the head; a miss
cuts off the item at the tail and hangs in the new one at the head.

Source: Z. Qiu, J. Yang, M. Harchol-Balter, VALUETOOLS 2024, arXiv 2404.16219, and
https://github.com/ziyueqiu/CacheThputSim, commit 5f56ca1 (7 November 2024), files upper_bound.py
and simulator.py; without a licence, so that only figures are quoted. Where the code bounds the time
at the tail by that at the head without timing it, the bound stands here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, non_negative, within

LOCKS = ("delink", "tail", "head")
"""The three operations on the list; one thread at a time does each of them."""


@dataclass(frozen=True)
class CachePolicy:
    """A policy: the seconds that each operation holds its lock, and who asks for it.

    >>> CachePolicy("LRU", delink=0.7e-6, tail=0.59e-6, head=0.59e-6).promoted
    1.0
    """

    name: str
    delink: float
    """Seconds to cut an item out of the list."""
    tail: float
    """Seconds to evict the item at the list's end."""
    head: float
    """Seconds to insert an item at the list's head."""
    promoted: float = 1.0
    """Fraction of the hits that move their item to the head."""
    second_chance: float = 0.0
    """Additional seconds at the tail for each item that is spared instead of evicted."""

    def __post_init__(self) -> None:
        for lock in LOCKS:
            non_negative(f"{lock} of policy {self.name!r}", getattr(self, lock))
        non_negative(f"second_chance of policy {self.name!r}", self.second_chance)
        within(f"promoted of policy {self.name!r}", self.promoted, 0, 1)


def passed_over(hit_ratio: ArrayLike) -> Floats:
    """Return how many items a CLOCK's hand passes over before it evicts one, on average.

    The authors' fit to their workload: the more requests hit, the more items have been touched.

    >>> print(passed_over([0.5, 0.9]).round(3))
    [0.194 0.788]
    """
    hit = within("hit_ratio", hit_ratio, 0, 1)
    return np.asarray(2.43e-5 * np.exp(11.24 * hit) + 0.187)


def lock_demands(policy: CachePolicy, hit_ratio: ArrayLike) -> Floats:
    """Return the seconds that a request holds each lock, on average over hits and misses.

    The shape is that of `hit_ratio` and one more axis, in the order of `LOCKS`.

    >>> lru = CachePolicy("LRU", delink=0.7e-6, tail=0.59e-6, head=0.59e-6)
    >>> print(1e6 * lock_demands(lru, 0.9))
    [0.63  0.059 0.59 ]
    """
    hit = within("hit_ratio", hit_ratio, 0, 1)
    moved, miss = policy.promoted * hit, 1 - hit
    tail = policy.tail + policy.second_chance * passed_over(hit)
    return np.stack([moved * policy.delink, miss * tail, (moved + miss) * policy.head], axis=-1)


LOOKUP = 0.51e-6
"""Seconds to look an item up, which every request does and no lock protects."""

THREADS = 72
"""Requests under way at any time: as soon as one is answered, its thread sends the next."""

DISKS = {"fast": 5e-6, "medium": 100e-6, "slow": 500e-6}
"""Seconds to fetch a missing item from the three disks studied."""

LRU = CachePolicy("LRU", delink=0.7e-6, tail=0.59e-6, head=0.59e-6)
HALF_LRU = CachePolicy("LRU for 46 % of hits", 0.78e-6, 0.64e-6, 0.65e-6, promoted=0.46)
RARE_LRU = CachePolicy("LRU for 1 hit in 72", 0.81e-6, 0.64e-6, 0.67e-6, promoted=1 / 72)
CLOCK = CachePolicy("CLOCK", 0.0, 0.65e-6, 0.65e-6, promoted=0.0, second_chance=0.3e-6)
FIFO = CachePolicy("FIFO", 0.0, 0.64e-6, 0.73e-6, promoted=0.0)
POLICIES = (LRU, HALF_LRU, RARE_LRU, CLOCK, FIFO)
"""The service times of a lock grow where threads meet at it less often: they were timed under
each policy."""


@dataclass(frozen=True)
class NotedRun:
    """A call of the authors' simulator and the number in its comment."""

    hit_ratio: float
    disk_latency: float
    """Seconds."""
    throughput: float
    """Requests/s."""


LRU_RUNS = (
    NotedRun(0, 5e-6, 1690e3),
    NotedRun(0.46, 5e-6, 1757e3),
    NotedRun(0.5879, 5e-6, 1787e3),
    NotedRun(0.897, 5e-6, 1601e3),
    NotedRun(0.98, 5e-6, 1475e3),
    NotedRun(0.997, 5e-6, 1436e3),
    NotedRun(0.459, 100e-6, 1256e3),
    NotedRun(0.7597, 100e-6, 1617e3),
    NotedRun(0.967, 500e-6, 1443e3),
)
FIFO_RUNS = (
    NotedRun(0.47, 5e-6, 2601e3),
    NotedRun(0.9597, 5e-6, 32828e3),
    NotedRun(0.9866, 5e-6, 88727e3),
    NotedRun(0.99999, 5e-6, 125396e3),
)
"""Comments in simulator.py, in thousands of requests a second. What was run is not said; see the
ledger's rows."""
