"""What the reader does: where hits begin to hurt a lock, and the bound on the throughput."""

from __future__ import annotations

from perfmodel.tasks import Mistake, Task

crossing = Task(
    "The hit ratio at which the slowest lock changes",
    reference=lambda delink, head: head / delink,
    cases=[(0.7, 0.59), (2.0, 0.5), (0.9, 0.8)],
    mistakes=[
        Mistake(
            "head only by misses",
            lambda delink, head: head / (delink + head),
            "You let only misses hang an item in. Under LRU a hit does so too: every request.",
        ),
        Mistake(
            "the wrong way round",
            lambda delink, head: delink / head,
            "That is above 1. At the crossing, `p * delink` equals `head`.",
        ),
        Mistake(
            "miss ratio",
            lambda delink, head: 1 - head / delink,
            "That is the miss ratio there. The hit ratio was asked for.",
        ),
    ],
    hint="Of the share p of requests each holds the first lock for `delink`, all of them the other "
    "for `head`. Set both demands equal.",
    right="From there on each hit makes the slowest lock slower. The disk has no say in it, and "
    "neither has the number of threads.",
)


def lru_bound(hit_ratio: float, disk: float, threads: int) -> float:
    """Return requests a microsecond, by equation (3)."""
    demands = 0.7 * hit_ratio, 0.59 * (1 - hit_ratio), 0.59
    unhindered = 0.51 + (1 - hit_ratio) * disk + sum(demands)
    return min(threads / unhindered, 1 / max(demands))


bound = Task(
    "The bound on the throughput of LRU",
    reference=lru_bound,
    cases=[(0.5, 100.0, 72), (0.9, 100.0, 72), (0.3, 5.0, 72), (0.99, 500.0, 18)],
    mistakes=[
        Mistake(
            "locks added up",
            lambda hit_ratio, disk, threads: min(
                threads / (0.51 + (1 - hit_ratio) * disk + 1.18 + 0.11 * hit_ratio),
                1 / (1.18 + 0.11 * hit_ratio),
            ),
            "Two threads may hold two different locks at a time: the slowest lock counts, not "
            "all together.",
        ),
        Mistake(
            "disk as a queue",
            lambda hit_ratio, disk, threads: min(
                threads / (0.51 + (1 - hit_ratio) * disk + 1.18 + 0.11 * hit_ratio),
                1 / max(0.59, 0.7 * hit_ratio, (1 - hit_ratio) * disk),
            ),
            "You made the threads wait in line for the disk. It serves all of them at once.",
        ),
        Mistake(
            "locks only",
            lambda hit_ratio, disk, threads: 1 / max(0.59, 0.7 * hit_ratio),
            "That is the limit of the locks alone. With many misses the threads are at the disk.",
        ),
        Mistake(
            "threads only",
            lambda hit_ratio, disk, threads: (
                threads / (0.51 + (1 - hit_ratio) * disk + 1.18 + 0.11 * hit_ratio)
            ),
            "That many threads, none of which ever waits. The slowest lock sets a second limit.",
        ),
    ],
    hint="The smaller of two: `threads` over the time of a request that never waits, and one over "
    "the largest of the three demands.",
    right="Two lines: the first rises with the hit ratio, the second falls from 0.843 on. Where "
    "they meet the throughput turns.",
    unit="1/us",
)
