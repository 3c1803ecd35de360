"""The outer search: GPU batches of 1, 2, 3, 4, 8, 16 ... sequences, and blocks of ever more."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from perfmodel.labs.offloading.flexgen.cost import Rates, Version
from perfmodel.labs.offloading.flexgen.policy import Batch
from perfmodel.labs.offloading.flexgen.program import Limits, Solution, solve
from perfmodel.labs.offloading.flexgen.sizes import Job
from perfmodel.validation import whole


def batch_sizes() -> Iterator[int]:
    """Yield the sizes of a GPU batch in the order of the released search.

    >>> from itertools import islice
    >>> list(islice(batch_sizes(), 7))
    [1, 2, 3, 4, 8, 16, 32]
    """
    yield from (1, 2, 3)
    size = 4
    while True:
        yield size
        size *= 2


def best_count(
    job: Job,
    size: int,
    rates: Rates,
    limits: Limits,
    version: Version = "released",
    gpu_bandwidth: float = inf,
    start: int = 1,
) -> Solution | None:
    """Return the best block of GPU batches of a size, where one more makes it slower or won't fit.

    None where a single GPU batch doesn't fit. The released search adds GPU batches one by one until
    the throughput falls. Here growing steps and then halves lead there, beginning with `start`,
    which comes to the same where the throughput rises to one peak. Except for the buffers of a
    layer it does: the time for a sequence is a linear program in the shares of cache and
    activations, one over the block and shares of weights times that, so that the best is convex in
    one over the block.
    """
    known: dict[int, Solution | None] = {}

    def at(count: int) -> Solution | None:
        if count not in known:
            known[count] = solve(job, Batch(size, count), rates, limits, version, gpu_bandwidth)
        return known[count]

    def rises(count: int) -> bool:
        here, more = at(count), at(count + 1)
        if here is None or more is None:
            return False
        return more.throughput >= here.throughput

    low = high = whole("start", start, 1)
    step = 1
    if rises(start):
        while rises(high := low + step):
            low, step = high, 2 * step
    else:
        while (low := max(high - step, 0)) and not rises(low):
            high, step = low, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if rises(middle) else (low, middle)
    return at(high)


def search(
    job: Job,
    rates: Rates,
    limits: Limits,
    version: Version = "released",
    gpu_bandwidth: float = inf,
) -> dict[int, Solution]:
    """Return the best block of every size of GPU batch that fits, by size."""
    found: dict[int, Solution] = {}
    start = 1
    for size in batch_sizes():
        best = best_count(job, size, rates, limits, version, gpu_bandwidth, start)
        if best is None:
            break
        found[size] = best
        start = max(1, best.policy.batch.count // 2)
    if not found:
        raise ValueError(f"limits must have room for one sequence, got {limits}")
    return found


def best_policy(
    job: Job,
    rates: Rates,
    limits: Limits,
    version: Version = "released",
    gpu_bandwidth: float = inf,
) -> Solution:
    """Return the policy with the most tokens/s; parameters and errors are those of `search`."""
    found = search(job, rates, limits, version, gpu_bandwidth)
    return max(found.values(), key=lambda solution: solution.throughput)
