"""Where the threads of a cache stand: looking up, at the disk, or before one of the locks."""

from __future__ import annotations

from perfmodel.labs.queueing.cache_hits_that_hurt.cache import cache_network
from perfmodel.labs.queueing.cache_hits_that_hurt.inputs import LRU, THREADS
from perfmodel.labs.queueing.cache_hits_that_hurt.policies import CachePolicy
from perfmodel.live.drawing import Box, Line, Queue, Scene, Server, Shape, Text
from perfmodel.queueing import exact_mva
from perfmodel.units import number

_PLACES = 6
_ROWS = {"delink": 196.0, "tail": 196.0, "head": 298.0}
_LEFT = {"delink": 190.0, "tail": 16.0, "head": 104.0}


def lock_queues(
    hit_ratio: float,
    disk_latency: float = 100e-6,
    policy: CachePolicy = LRU,
    threads: int = THREADS,
) -> Scene:
    """Draw the ways of hits and misses and the mean number of threads at each place, by exact MVA.

    >>> lock_queues(0.95).says
    'At a hit ratio of 95 %, 55.8 of 72 threads are at the lock for cutting out.'
    """
    exact = exact_mva(cache_network(policy, hit_ratio, disk_latency, threads))
    lookup, disk, *_ = inside = exact.queue_length[0]
    places = dict(zip(_ROWS, zip(inside[2:], exact.utilization[0, 2:], strict=True), strict=True))
    shapes: list[Shape] = [
        Box(90, 8, 180, 44, f"look up\n{number(round(lookup, 1))} threads", 3, "light"),
        Box(16, 82, 120, 44, f"disk\n{number(round(disk, 1))} threads", 3, "light"),
        *_ways(hit_ratio),
    ]
    for lock, (held, busy) in places.items():
        shapes += _lock(lock, float(held), float(busy))
    waiting = float(places["delink"][0])
    says = (
        f"At a hit ratio of {100 * hit_ratio:.0f} %, {waiting:.1f} of {threads} threads are at the "
        "lock for cutting out."
    )
    values = {
        "throughput (million requests/s)": float(exact.throughput[0]) / 1e6,
        "threads at the disk": float(disk),
        "threads at the delink lock": waiting,
    }
    return Scene(340, shapes, says, values)


def _lock(lock: str, held: float, busy: float) -> list[Shape]:
    x, y = _LEFT[lock], _ROWS[lock]
    colour = 2 if busy > 0.9 else 1
    jobs = [""] * min(_PLACES, round(max(0.0, held - busy)))
    return [
        Text(f"{lock}: {held:.1f} threads", x, y - 31, anchor="start", bold=busy > 0.9),
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
