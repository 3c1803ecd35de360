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
            "You let only misses insert an item at the head. Under LRU every request does, also a "
            "hit.",
        ),
        Mistake(
            "the wrong way round",
            lambda delink, head: delink / head,
            "Your answer is above 1. At the crossing, `p * delink` equals `head`.",
        ),
        Mistake(
            "miss ratio",
            lambda delink, head: 1 - head / delink,
            "You computed the miss ratio. The task asks for the hit ratio.",
        ),
    ],
    hint="A fraction p of the requests hold the first lock for `delink`. All requests hold the "
    "other lock for `head`. Set both demands equal.",
    right="Above this hit ratio each hit adds to the demand at the slowest lock. It depends "
    "neither on the disk nor on the number of threads.",
)


def lru_bound(hit_ratio: float, disk: float, threads: int) -> float:
    """Return requests a microsecond, by equation (3)."""
    demands = 0.7 * hit_ratio, 0.59 * (1 - hit_ratio), 0.59
    unhindered = 0.51 + (1 - hit_ratio) * disk + sum(demands)
    return min(threads / unhindered, 1 / max(demands))


bound = Task(
    "The bound on the throughput of LRU",
    reference=lru_bound,
    cases=[
        (0.5, 100.0, 72),
        (0.9, 100.0, 72),
        (0.3, 5.0, 72),
        (0.99, 500.0, 18),
        (0.2, 100.0, 72),
    ],
    mistakes=[
        Mistake(
            "locks added up",
            lambda hit_ratio, disk, threads: min(
                threads / (0.51 + (1 - hit_ratio) * disk + 1.18 + 0.11 * hit_ratio),
                1 / (1.18 + 0.11 * hit_ratio),
            ),
            "Two threads can hold two different locks at the same time. Only the slowest lock "
            "counts, not their sum.",
        ),
        Mistake(
            "disk as a queue",
            lambda hit_ratio, disk, threads: min(
                threads / (0.51 + (1 - hit_ratio) * disk + 1.18 + 0.11 * hit_ratio),
                1 / max(0.59, 0.7 * hit_ratio, (1 - hit_ratio) * disk),
            ),
            "You made the disk a queue. It serves all threads at once.",
        ),
        Mistake(
            "locks only",
            lambda hit_ratio, disk, threads: 1 / max(0.59, 0.7 * hit_ratio),
            "You used the limit of the locks alone. With many misses the threads are at the disk.",
        ),
        Mistake(
            "threads only",
            lambda hit_ratio, disk, threads: (
                threads / (0.51 + (1 - hit_ratio) * disk + 1.18 + 0.11 * hit_ratio)
            ),
            "You assumed that no thread ever waits. The slowest lock sets a second limit.",
        ),
    ],
    hint="Take the smaller of two limits: `threads` divided by the time of a request that never "
    "waits, and 1 divided by the largest of the three demands.",
    right="The first limit rises with the hit ratio. The second falls above 0.843. The throughput "
    "turns where they meet.",
    unit="1/us",
)
