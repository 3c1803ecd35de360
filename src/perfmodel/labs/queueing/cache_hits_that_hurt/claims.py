"""What the paper finds and its code notes, compared with the model."""

from __future__ import annotations

from functools import partial

from perfmodel.labs.queueing.cache_hits_that_hurt.cache import loss_at_all_hits, throughput
from perfmodel.labs.queueing.cache_hits_that_hurt.policies import (
    CLOCK,
    DISKS,
    FIFO,
    FIFO_RUNS,
    HALF_LRU,
    LRU,
    LRU_RUNS,
    RARE_LRU,
    THREADS,
    CachePolicy,
    NotedRun,
)
from perfmodel.ledger import Claim, Sheet, Trend, same_method, trend

_TABLE = "table of algorithms, column 'does increasing the hit ratio always help?'"
_HURTS = 0.01
"""Fraction of the best throughput; a larger loss at hit ratio 1 counts as a loss."""

_MISSES = {
    0.5879: "No run of the model can answer more than one request per 0.59 us at the head of the "
    "list. So the number was measured on the cache itself, or the lock was held for a shorter "
    "time.",
    0.9866: "Few requests take a lock here, and nearly all the time is the lookup of 0.51 us. The "
    "model has no queue there, but 72 threads in one hash table do delay each other.",
    0.99999: "As at 0.9866, no request waits for a lock. The noted number is 11 % below 72 lookups "
    "at a time.",
}


def _losses(policy: CachePolicy, threads: int = THREADS) -> list[float]:
    return [loss_at_all_hits(policy, disk, threads) for disk in DISKS.values()]


def _shown(losses: list[float]) -> str:
    return ", ".join(f"{100 * loss:.1f} %" for loss in losses)


def _hit_hurts(policy: CachePolicy) -> Trend:
    losses = _losses(policy)
    return Trend(min(losses) > _HURTS, f"lost at hit ratio 1, by disk: {_shown(losses)}")


def _no_hit_hurts() -> Trend:
    losses = _losses(CLOCK)
    return Trend(max(losses) <= _HURTS, f"lost at hit ratio 1, by disk: {_shown(losses)}")


def _depends_on_share() -> Trend:
    half, rare = _losses(HALF_LRU), _losses(RARE_LRU)
    holds = min(half) > _HURTS >= max(rare)
    return Trend(holds, f"46 % promoted: {_shown(half)}; 1 in 72: {_shown(rare)}")


def _faster_disk() -> Trend:
    losses = _losses(LRU)
    holds = losses == sorted(losses, reverse=True) and losses[0] > losses[-1] + _HURTS
    return Trend(holds, f"lost with 5, 100 and 500 us: {_shown(losses)}")


def _more_cores() -> Trend:
    losses = [loss_at_all_hits(LRU, DISKS["slow"], n) for n in (18, 36, 72, 144)]
    holds = losses == sorted(losses) and losses[-1] > losses[0] + _HURTS
    return Trend(holds, f"lost with 18, 36, 72 and 144 threads: {_shown(losses)}")


FINDINGS = [
    trend("LRU", "no: it may hurt", _TABLE, partial(_hit_hurts, LRU)),
    trend("LRU that promotes some hits", "depends on their share", _TABLE, _depends_on_share),
    trend("CLOCK", "yes: it always helps", _TABLE, _no_hit_hurts),
    trend(
        "LRU, by latency of the disk", "more pronounced with faster disks", "abstract", _faster_disk
    ),
    trend("LRU, by threads", "more pronounced with more cores", "abstract", _more_cores),
]


def _noted(policy: CachePolicy, run: NotedRun) -> Claim:
    return same_method(
        f"{policy.name} at hit ratio {run.hit_ratio:g}, disk {1e6 * run.disk_latency:g} us",
        f"{run.throughput / 1e3:.0f} requests/ms",
        "comment in simulator.py",
        lambda: float(throughput(policy, run.hit_ratio, run.disk_latency)) / 1e3,
        within=0.05,
        miss=_MISSES.get(run.hit_ratio, ""),
    )


NOTED = [_noted(LRU, run) for run in LRU_RUNS] + [_noted(FIFO, run) for run in FIFO_RUNS]

SHEET = Sheet(
    "Z. Qiu, J. Yang, M. Harchol-Balter, 'Can increasing the hit ratio hurt cache throughput?', "
    "VALUETOOLS 2024, arXiv 2404.16219v4, and its code (https://github.com/ziyueqiu/CacheThputSim, "
    "commit 5f56ca1)",
    [*FINDINGS, *NOTED],
    unheld="The paper's finding on FIFO follows from its inputs, because only misses take a lock. "
    "Segmented LRU and S3-FIFO need fractions fitted to the authors' trace, which is not in the "
    "code. The code doesn't say what was run for the numbers in its comments.",
)
