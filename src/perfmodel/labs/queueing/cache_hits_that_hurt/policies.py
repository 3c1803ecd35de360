"""Which locks a request of a software cache takes, by the policy that decides what stays.

Items hang in a list, and whoever changes the list holds a lock meanwhile. A hit that promotes its
item cuts it out (delink) and hangs it in at the head; a miss cuts off the item at the tail and
hangs in the new one at the head. Policies differ in how often a hit promotes.

Source: Z. Qiu, J. Yang, M. Harchol-Balter, VALUETOOLS 2024, arXiv 2404.16219, and their code.
"""

from __future__ import annotations

import math
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
    """Seconds to hang an item in at the list's head."""
    promoted: float = 1.0
    """Share of the hits that move their item to the head."""
    second_chance: float = 0.0
    """Seconds more at the tail for each item that is passed over instead of evicted."""

    def __post_init__(self) -> None:
        """Refuse times below 0 and shares outside 0 to 1."""
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


def crossing_hit_ratio(policy: CachePolicy) -> float:
    """Return the hit ratio above which cutting out takes longer than hanging in; inf if never.

    From there on each further hit makes the slowest lock slower. It is the p at which q p d = (q p
    + 1 - p) h, for the fraction q of hits that promote.

    >>> lru = CachePolicy("LRU", delink=0.7e-6, tail=0.59e-6, head=0.59e-6)
    >>> round(crossing_hit_ratio(lru), 3)
    0.843
    """
    share = policy.promoted
    slope = share * policy.delink + (1 - share) * policy.head
    ratio = policy.head / slope if share * policy.delink else math.inf
    return ratio if ratio <= 1 else math.inf
