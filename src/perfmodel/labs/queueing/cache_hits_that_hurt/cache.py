"""How many requests a second a cache answers: a closed network of threads, a disk and three locks.

Threads circulate: look an item up, on a miss fetch it from the disk, then queue at the locks of the
list. Looking up and fetching hold nobody up, a lock serves one thread at a time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from perfmodel.labs.queueing.cache_hits_that_hurt.inputs import LOOKUP, THREADS
from perfmodel.labs.queueing.cache_hits_that_hurt.policies import (
    LOCKS,
    CachePolicy,
    lock_demands,
    passed_over,
)
from perfmodel.queueing import Deterministic, JobClass, Network, Station, throughput_curve
from perfmodel.validation import Floats, non_negative, whole, within

NEARLY = 0.999
"""Share of the most throughput that counts as the most."""
_GRID = np.linspace(0, 1, 201)


def away_from_locks(hit_ratio: ArrayLike, disk_latency: float) -> Floats:
    """Return the seconds of a request that nobody else prolongs: looking up, and the disk.

    >>> print((1e6 * away_from_locks([0, 1], 5e-6)).round(2))
    [5.51 0.51]
    """
    hit, disk = within("hit_ratio", hit_ratio, 0, 1), non_negative("disk_latency", disk_latency)
    return np.asarray(LOOKUP + (1 - hit) * disk)


def throughput_bound(
    policy: CachePolicy, hit_ratio: ArrayLike, disk_latency: float, threads: int = THREADS
) -> Floats:
    """Return the most requests a second that any order of events allows.

    That is the smaller of `threads` over the time of a request without waiting, and one over the
    largest demand for a lock, in the shape of `hit_ratio`; `disk_latency` is in seconds.

    >>> from perfmodel.labs.queueing.cache_hits_that_hurt.inputs import LRU
    >>> print((throughput_bound(LRU, [0.8, 1.0], 5e-6) / 1e6).round(3))
    [1.695 1.429]
    """
    count = whole("threads", threads, low=1)
    demands = lock_demands(policy, hit_ratio)
    unhindered = away_from_locks(hit_ratio, disk_latency) + demands.sum(axis=-1)
    with np.errstate(divide="ignore"):
        return np.asarray(np.minimum(count / unhindered, 1 / demands.max(axis=-1)))


def throughput(
    policy: CachePolicy, hit_ratio: ArrayLike, disk_latency: float, threads: int = THREADS
) -> Floats:
    """Return the requests a second by mean value analysis, exact for exponential lock times.

    >>> from perfmodel.labs.queueing.cache_hits_that_hurt.inputs import LRU
    >>> print((throughput(LRU, [0.8, 1.0], 5e-6) / 1e6).round(3))
    [1.693 1.429]
    """
    count = whole("threads", threads, low=1)
    demands, away = lock_demands(policy, hit_ratio), away_from_locks(hit_ratio, disk_latency)
    return np.asarray(throughput_curve(demands, count, away)[..., -1])


def turning_point(policy: CachePolicy, disk_latency: float, threads: int = THREADS) -> float:
    """Return the hit ratio beyond which the cache answers fewer requests a second than before.

    It is the highest hit ratio with `NEARLY` the most throughput, since the top may be flat for
    long, and 1.0 for a policy that no hit hurts.

    >>> from perfmodel.labs.queueing.cache_hits_that_hurt.inputs import FIFO, LRU
    >>> round(turning_point(LRU, 100e-6), 2), turning_point(FIFO, 100e-6)
    (0.78, 1.0)
    """
    rates = throughput(policy, _GRID, disk_latency, threads)
    level = NEARLY * rates.max()
    last = int(np.flatnonzero(rates >= level)[-1])
    if last == _GRID.size - 1:
        return 1.0
    return float(
        brentq(
            lambda hit: float(throughput(policy, hit, disk_latency, threads)) - level,
            *_GRID[[last, last + 1]],
        )
    )


def loss_at_all_hits(policy: CachePolicy, disk_latency: float, threads: int = THREADS) -> float:
    """Return what of its best throughput a cache has lost when every request hits, 0 to 1.

    >>> from perfmodel.labs.queueing.cache_hits_that_hurt.inputs import LRU
    >>> round(loss_at_all_hits(LRU, 100e-6), 3)
    0.152
    """
    rates = throughput(policy, _GRID, disk_latency, threads)
    return float(1 - rates[-1] / rates.max())


def cache_network(
    policy: CachePolicy, hit_ratio: float, disk_latency: float, threads: int = THREADS
) -> Network:
    """Return the threads and their ways through lookup, disk and locks, to be solved or simulated.

    There is one class of threads; lookup and disk take their time exactly, locks exponential times.

    >>> from perfmodel.labs.queueing.cache_hits_that_hurt.inputs import LRU
    >>> cache_network(LRU, 0.9, 5e-6).visits.round(2).tolist()
    [[1.0, 0.1, 0.9, 0.1, 1.0]]
    """
    hit = float(within("hit_ratio", hit_ratio, 0, 1))
    disk = float(non_negative("disk_latency", disk_latency))
    tail = policy.tail + policy.second_chance * float(passed_over(hit))
    routing = np.zeros((5, 5))
    routing[0, 1], routing[0, 2] = 1 - hit, policy.promoted * hit
    routing[1, 3] = routing[2, 4] = routing[3, 4] = 1.0
    return Network(
        [Station("lookup", discipline="delay"), Station("disk", discipline="delay")]
        + [Station(lock) for lock in LOCKS],
        [JobClass("threads", population=whole("threads", threads, low=1))],
        [Deterministic(LOOKUP), Deterministic(disk), policy.delink, tail, policy.head],
        routing=routing,
        entry=np.eye(5)[0],
    )
