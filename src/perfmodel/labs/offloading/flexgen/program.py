"""The best nine shares of a batch: a linear program read off the model itself.

All seconds and bytes of `cost` and `memory` are affine in the shares, so that their values at 0 and
at the nine unit vectors are all that the program needs: the model is written down once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from perfmodel.labs.offloading.flexgen.cost import (
    DECODE_ARMS,
    PREFILL_ARMS,
    RESOURCES,
    Rates,
    Version,
    decode_arms,
    decode_loads,
    prefill_arms,
    prefill_loads,
)
from perfmodel.labs.offloading.flexgen.gpu_memory import step_bytes
from perfmodel.labs.offloading.flexgen.memory import TIERS, needs
from perfmodel.labs.offloading.flexgen.policy import SHARES, Batch, Policy
from perfmodel.labs.offloading.flexgen.sizes import Job
from perfmodel.validation import Floats, non_negative

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
    found = linprog(
        np.concatenate([np.zeros(COUNT), steps]),
        A_ub=np.vstack(rows),
        b_ub=np.concatenate(bounds_above),
        A_eq=np.hstack([_TRIPLES, np.zeros((3, 2))]),
        b_eq=np.ones(3),
        bounds=[*_share_bounds(version), (0, None), (0, None)],
        method="highs",
    )
    if found.status != 0:
        return None
    time = float(found.fun) / scale
    worth = -found.ineqlin.marginals[-len(owners) :] / unit / scale
    prices = np.bincount(owners, np.maximum(worth, 0.0), len(TIERS))
    policy = Policy.from_shares(batch, np.clip(found.x[:COUNT], 0, 1) + 0.0)
    return Solution(
        policy,
        time,
        batch.block * job.generated / time,
        dict(zip(TIERS, map(float, prices), strict=True)),
        _shares_of_time(job, policy, rates, version, gpu_bandwidth, -found.ineqlin.marginals),
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
