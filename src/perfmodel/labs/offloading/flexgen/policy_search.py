"""The best nine shares of a batch by a linear program, and a search over batches around it.

All seconds and bytes of `cost` are affine in the shares, so that their values at 0 and at the nine
unit vectors are all that the program needs: the model is written down once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfmodel.labs.offloading.flexgen.calibration import BIG, disk_rate
from perfmodel.labs.offloading.flexgen.cost import (
    DECODE_ARMS,
    PREFILL_ARMS,
    RESOURCES,
    TIERS,
    Rates,
    Version,
    decode_arms,
    decode_loads,
    needs,
    prefill_arms,
    prefill_loads,
    step_bytes,
)
from perfmodel.labs.offloading.flexgen.inputs import CAPACITIES, GIB, with_disk
from perfmodel.labs.offloading.flexgen.policy import SHARES, Batch, Job, Policy
from perfmodel.validation import Floats, non_negative, positive, whole

COUNT = len(SHARES)
_PROBES = np.vstack([np.zeros(COUNT), np.eye(COUNT)])
_TRIPLES = np.kron(np.eye(3), np.ones(3))
HIDDEN_ON_DISK = SHARES.index("hd")
GPU_MEMORY = "gpu_memory"
"""Name of the resource that no version of the model has."""


@dataclass(frozen=True)
class Limits:
    """Bytes that a policy may fill."""

    gpu: float
    cpu: float
    disk: float

    def __post_init__(self) -> None:
        """Refuse less than nothing."""
        for name in ("gpu", "cpu", "disk"):
            non_negative(name, getattr(self, name))

    @classmethod
    def of(cls, capacities: Mapping[str, float], share: float = 1.0) -> Limits:
        """Return the limits of a machine of which a share may be filled.

        The share is above 1 where the bytes of the model are taken to be too careful.

        >>> Limits.of({"GPU": 10, "CPU": 100, "disk": 1000}, 0.5).cpu
        50.0
        """
        part = float(non_negative("share", share))
        return cls(*(part * float(capacities[tier]) for tier in TIERS))


@dataclass(frozen=True)
class Solution:
    """The best shares of a batch: seconds of the block, and generated tokens/s.

    `prices` are the seconds that the block gets shorter for one more byte of a tier.
    `shares_of_time` add up to 1: a resource (of `cost.RESOURCES`, or `GPU_MEMORY`) that is faster
    by 1 % makes the block shorter by its share of 1 %.
    """

    policy: Policy
    time: float
    throughput: float
    prices: dict[str, float]
    shares_of_time: dict[str, float]

    def price_of_gigabyte(self, tier: str) -> float:
        """Return the tokens/s that one more GB (1e9 bytes) of a tier brings, the batch as it is."""
        return self.throughput * 1e9 * self.prices[tier] / self.time


def affine(function: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
    """Return constants, shape (rows,), and slopes, (rows, 9), of rows affine in the shares.

    >>> affine(lambda shares: 2 + 3 * shares[..., :1])[1][0, :2].tolist()
    [3.0, 0.0]
    """
    values = function(_PROBES)
    return values[0], (values[1:] - values[0]).T


def solve(
    job: Job,
    batch: Batch,
    rates: Rates,
    limits: Limits,
    version: Version = "released",
    gpu_bandwidth: float = np.inf,
) -> Solution | None:
    """Return the shares with the shortest block, or None where nothing fits.

    The released version keeps activations off the disk. `gpu_bandwidth` (bytes/s) is that of the
    GPU's own memory, which no version has: infinite unless given.
    """
    from scipy.optimize import linprog

    first = affine(lambda x: prefill_arms(prefill_loads(job, batch, x, rates), version))
    arms = affine(lambda x: decode_arms(decode_loads(job, batch, x, rates, version), version))
    reading = affine(lambda x: _reading(job, batch, x, gpu_bandwidth)[..., None])
    later = np.append(arms[0], reading[0]), np.vstack([arms[1], reading[1]])
    rows, bounds_above = [], []
    scale = 1.0 / max(float((part[0] + part[1].max(axis=1)).max()) for part in (first, later))
    for phase, (constants, slopes) in enumerate((first, later)):
        ends = np.zeros((len(constants), 2))
        ends[:, phase] = -1.0
        rows.append(np.hstack([slopes * scale, ends]))
        bounds_above.append(-constants * scale)
    constants, slopes = affine(lambda x: np.concatenate(needs(job, batch, x, version), axis=-1))
    bounds = [part.size for part in needs(job, batch, _PROBES[0], version)]
    owners = np.repeat(np.arange(len(TIERS)), bounds)
    unit = float(np.abs(slopes).max())
    rows.append(np.hstack([slopes / unit, np.zeros((len(owners), 2))]))
    capacity = np.array([limits.gpu, limits.cpu, limits.disk])[owners]
    bounds_above.append((capacity - constants) / unit)
    steps = np.array([1.0, job.generated - 1.0]) * job.shape.layers
    result = linprog(
        np.concatenate([np.zeros(COUNT), steps]),
        A_ub=np.vstack(rows),
        b_ub=np.concatenate(bounds_above),
        A_eq=np.hstack([_TRIPLES, np.zeros((3, 2))]),
        b_eq=np.ones(3),
        bounds=[*_share_bounds(version), (0, None), (0, None)],
        method="highs",
    )
    if result.status != 0:
        return None
    time = float(result.fun) / scale
    worth = -result.ineqlin.marginals[-len(owners) :] / unit / scale
    prices = np.bincount(owners, np.maximum(worth, 0.0), len(TIERS))
    policy = Policy.from_shares(batch, np.clip(result.x[:COUNT], 0, 1) + 0.0)
    return Solution(
        policy,
        time,
        batch.block * job.generated / time,
        dict(zip(TIERS, map(float, prices), strict=True)),
        _shares_of_time(job, policy, rates, version, gpu_bandwidth, -result.ineqlin.marginals),
    )


def _shares_of_time(
    job: Job, policy: Policy, rates: Rates, version: Version, bandwidth: float, weights: Floats
) -> dict[str, float]:
    """Return each resource's part of the arms that bind, by their dual values."""
    seconds = dict.fromkeys(RESOURCES, 0.0)
    given = iter(weights)
    first = prefill_loads(job, policy.batch, policy.shares, rates)
    later = decode_loads(job, policy.batch, policy.shares, rates, version)
    for loads, arms in ((first, PREFILL_ARMS[version]), (later, DECODE_ARMS[version])):
        for arm in arms:
            weight = float(next(given))
            for name in arm:
                seconds[name] += weight * float(getattr(loads, name))
    reading = float(_reading(job, policy.batch, policy.shares, bandwidth))
    seconds[GPU_MEMORY] = float(next(given)) * reading
    whole = sum(seconds.values())
    return {name: part / whole for name, part in seconds.items()}


def _reading(job: Job, batch: Batch, shares: Floats, bandwidth: float) -> Floats:
    """Return the seconds of a layer in which the GPU reads its own memory."""
    if not bandwidth > 0:
        raise ValueError(f"gpu_bandwidth must be above 0, got {bandwidth!r}")
    return step_bytes(job, batch, shares) / job.shape.layers / bandwidth


def _share_bounds(version: Version) -> list[tuple[float, float]]:
    bounds = [(0.0, 1.0)] * COUNT
    if version != "paper":
        bounds[HIDDEN_ON_DISK] = (0.0, 0.0)
    return bounds


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
    solutions: dict[int, Solution] = {}
    start = 1
    for size in batch_sizes():
        best = best_count(job, size, rates, limits, version, gpu_bandwidth, start)
        if best is None:
            break
        solutions[size] = best
        start = max(1, best.policy.batch.count // 2)
    if not solutions:
        raise ValueError(f"limits must have room for one sequence, got {limits}")
    return solutions


def best_policy(
    job: Job,
    rates: Rates,
    limits: Limits,
    version: Version = "released",
    gpu_bandwidth: float = inf,
) -> Solution:
    """Return the policy with the most tokens/s; parameters and errors are those of `search`."""
    solutions = search(job, rates, limits, version, gpu_bandwidth)
    return max(solutions.values(), key=lambda solution: solution.throughput)


SIZES = (1, 4, 16, 32, 64)
COUNTS = (1, 2, 4, 8, 16, 32)
BOUND_BY: Mapping[str, tuple[str, ...]] = {
    "disk": ("from_disk", "to_disk"),
    "computing": ("compute",),
    "GPU's links": ("to_gpu", "to_cpu"),
}
"""What most of the time depends on, by the resources that it stands for."""
NO_ROOM = len(BOUND_BY)


class PolicyMap(NamedTuple):
    """The best tokens/s of each batch and the index in `BOUND_BY` of its bound, by (size, count).

    Where nothing fits they are 0 and `NO_ROOM`.
    """

    throughput: Floats
    bound: NDArray[np.int64]

    @property
    def best(self) -> tuple[int, int]:
        """Place of the largest throughput."""
        index = np.unravel_index(int(np.argmax(self.throughput)), self.throughput.shape)
        return int(index[0]), int(index[1])


def policy_map(dram: float, disks: float, job: Job = BIG.job) -> PolicyMap:
    """Return the best policies over a grid of GPU batches.

    With `dram` GiB, all of which may be filled, and a disk `disks` times as fast as in Table 8.
    """
    rates = with_disk(float(positive("disks", disks)) * disk_rate())
    machine = {**CAPACITIES, "CPU": float(positive("dram", dram)) * GIB}
    limits = Limits.of(machine)
    throughput = np.zeros((len(SIZES), len(COUNTS)))
    bound = np.full(throughput.shape, NO_ROOM)
    for index in np.ndindex(throughput.shape):
        batch = Batch(SIZES[index[0]], COUNTS[index[1]])
        solution = solve(job, batch, rates, limits)
        if solution is None:
            continue
        hangs = solution.shares_of_time
        parts = [sum(hangs[name] for name in names) for names in BOUND_BY.values()]
        throughput[index] = solution.throughput
        bound[index] = int(np.argmax(parts))
    return PolicyMap(throughput, bound)
