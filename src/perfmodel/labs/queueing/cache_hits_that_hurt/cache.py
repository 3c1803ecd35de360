"""How many requests a second a cache answers: a closed network of threads, a disk and three locks.

Threads circulate: they look an item up, fetch it from the disk on a miss, and then queue at the
locks of the list. Lookup and disk have no queue, and a lock serves one thread at a time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from perfmodel.labs.queueing.cache_hits_that_hurt.policies import (
    LOCKS,
    LOOKUP,
    LRU,
    THREADS,
    CachePolicy,
    lock_demands,
    passed_over,
)
from perfmodel.live.drawing import Box, Line, Queue, Scene, Server, Shape, Text
from perfmodel.queueing import (
    Deterministic,
    JobClass,
    Network,
    Station,
    exact_mva,
    throughput_curve,
)
from perfmodel.units import number
from perfmodel.validation import Floats, non_negative, whole, within

NEARLY = 0.999
"""Fraction of the highest throughput that counts as the highest."""
_GRID = np.linspace(0, 1, 201)


def away_from_locks(hit_ratio: ArrayLike, disk_latency: float) -> Floats:
    """Return the seconds of a request without a queue: the lookup and the disk.

    >>> print((1e6 * away_from_locks([0, 1], 5e-6)).round(2))
    [5.51 0.51]
    """
    hit, disk = within("hit_ratio", hit_ratio, 0, 1), non_negative("disk_latency", disk_latency)
    return np.asarray(LOOKUP + (1 - hit) * disk)


def throughput_bound(
    policy: CachePolicy, hit_ratio: ArrayLike, disk_latency: float, threads: int = THREADS
) -> Floats:
    """Return the most requests a second that any order of events allows.

    It is the smaller of two limits: `threads` divided by the time of a request without waiting, and
    1 divided by the largest demand for a lock. The shape is that of `hit_ratio`, and
    `disk_latency` is in seconds.

    >>> from perfmodel.labs.queueing.cache_hits_that_hurt.policies import LRU
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

    >>> from perfmodel.labs.queueing.cache_hits_that_hurt.policies import LRU
    >>> print((throughput(LRU, [0.8, 1.0], 5e-6) / 1e6).round(3))
    [1.693 1.429]
    """
    count = whole("threads", threads, low=1)
    demands, away = lock_demands(policy, hit_ratio), away_from_locks(hit_ratio, disk_latency)
    return np.asarray(throughput_curve(demands, count, away)[..., -1])


def turning_point(policy: CachePolicy, disk_latency: float, threads: int = THREADS) -> float:
    """Return the hit ratio beyond which the cache answers fewer requests a second than before.

    The top may be flat, so it is the highest hit ratio with `NEARLY` the highest throughput. It is
    1.0 for a policy that no hit hurts.

    >>> from perfmodel.labs.queueing.cache_hits_that_hurt.policies import FIFO, LRU
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
    """Return the fraction of its best throughput that a cache loses when every request hits.

    >>> from perfmodel.labs.queueing.cache_hits_that_hurt.policies import LRU
    >>> round(loss_at_all_hits(LRU, 100e-6), 3)
    0.152
    """
    rates = throughput(policy, _GRID, disk_latency, threads)
    return float(1 - rates[-1] / rates.max())


def cache_network(
    policy: CachePolicy, hit_ratio: float, disk_latency: float, threads: int = THREADS
) -> Network:
    """Return the network of lookup, disk and locks, to be solved or simulated.

    There is one class of threads; lookup and disk take their time exactly, locks exponential times.

    >>> from perfmodel.labs.queueing.cache_hits_that_hurt.policies import LRU
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


_PLACES = 6
_ROWS = {"delink": 196.0, "tail": 196.0, "head": 298.0}
_LEFT = {"delink": 190.0, "tail": 16.0, "head": 104.0}


def lock_queues(
    hit_ratio: float,
    disk_latency: float = 100e-6,
    policy: CachePolicy = LRU,
    threads: int = THREADS,
) -> Scene:
    """Draw the routes of hits and misses and the mean number of threads at each station.

    >>> lock_queues(0.95).says
    'At a hit ratio of 95 %, 55.8 of 72 threads are at the delink lock.'
    """
    exact = exact_mva(cache_network(policy, hit_ratio, disk_latency, threads))
    lookup, disk, *_ = inside = exact.queue_length[0]
    by_lock = dict(zip(_ROWS, zip(inside[2:], exact.utilization[0, 2:], strict=True), strict=True))
    shapes: list[Shape] = [
        Box(90, 8, 180, 44, f"look up\n{number(round(lookup, 1))} threads", 3, "light"),
        Box(16, 82, 120, 44, f"disk\n{number(round(disk, 1))} threads", 3, "light"),
        *_ways(hit_ratio),
    ]
    for lock, (threads_there, busy) in by_lock.items():
        shapes += _lock(lock, float(threads_there), float(busy))
    waiting = float(by_lock["delink"][0])
    says = (
        f"At a hit ratio of {100 * hit_ratio:.0f} %, {waiting:.1f} of {threads} threads are at the "
        "delink lock."
    )
    values = {
        "throughput (million requests/s)": float(exact.throughput[0]) / 1e6,
        "threads at the disk": float(disk),
        "threads at the delink lock": waiting,
    }
    return Scene(340, shapes, says, values)


def _lock(lock: str, threads: float, busy: float) -> list[Shape]:
    x, y = _LEFT[lock], _ROWS[lock]
    colour = 2 if busy > 0.9 else 1
    jobs = [""] * min(_PLACES, round(max(0.0, threads - busy)))
    return [
        Text(f"{lock}: {threads:.1f} threads", x, y - 31, anchor="start", bold=busy > 0.9),
        Queue(x, y, _PLACES, jobs, colour),
        Server(x + 20 * _PLACES + 20, y, 16, "", min(busy, 1.0), colour),
    ]


def _ways(hit_ratio: float) -> list[Shape]:
    return [
        Line([(130, 52), (76, 82)], head=True),
        Line([(230, 52), (230, 150)], head=True),
        Line([(76, 126), (76, 150)], head=True),
        Text(f"{100 * (1 - hit_ratio):.0f} % miss", 16, 66, anchor="start"),
        Text(f"{100 * hit_ratio:.0f} % hit", 240, 100, anchor="start"),
        Line([(76, 214), (76, 298), (100, 298)], head=True),
        Line([(250, 214), (250, 238), (76, 238)]),
    ]
