"""The authors' inputs: what they timed on their cache, and the figures beside their simulator.

Source: https://github.com/ziyueqiu/CacheThputSim, commit 5f56ca1 (7 November 2024), files
upper_bound.py and simulator.py; without a licence, so that only figures are quoted. Where the
code bounds the time at the tail by that at the head without timing it, the bound stands here.
"""

from __future__ import annotations

from dataclasses import dataclass

from perfmodel.labs.queueing.cache_hits_that_hurt.policies import CachePolicy

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
    """A call of the authors' simulator and the figure in the comment beside it."""

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
