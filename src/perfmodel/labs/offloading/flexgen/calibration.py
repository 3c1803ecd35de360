"""The disk's rate from one printed breakdown, and other runs predicted with it.

Table 8 splits a run of 175B, without overlap, into parts. From the time that reading the cache took
follows how fast the disk was read, by way of the operating system's page cache; nothing else is
taken from it, and nothing adjusted later.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from perfmodel.labs.offloading.flexgen.cost import (
    Rates,
    decode_loads,
    prefill_loads,
    step_times,
    throughput,
)
from perfmodel.labs.offloading.flexgen.inputs import CACHE_READ, RUNS, Run, with_disk
from perfmodel.labs.offloading.flexgen.policy import Job, Policy
from perfmodel.validation import positive

BIG: Run = next(run for run in RUNS if run.printed == "0.69")
"""The run of 175B whose parts Table 8 prints, there without overlap."""
FROM_DISK: tuple[Run, ...] = tuple(run for run in RUNS if run.policy.cache[2] == 1)
"""Runs with the cache on disk, `BIG` the first of them."""
HELD_OUT: tuple[Run, ...] = tuple(run for run in FROM_DISK if run is not BIG)
"""Those of them that the rate doesn't come from."""


def cache_read(job: Job, policy: Policy) -> float:
    """Return the bytes of cache that decoding a block reads from disk, all layers and steps."""
    layer = 4 * policy.batch.block * job.mean_context * job.shape.hidden * policy.cache[2]
    return layer * job.shape.layers * (job.generated - 1)


def disk_rate() -> float:
    """Return the bytes/s at which the cache was read from disk in the run of Table 8.

    An effective rate, of the disk with the operating system's page cache before it; and too low if
    the printed seconds weren't of reading alone.

    >>> round(disk_rate() / 1e9, 2)
    2.81
    """
    return cache_read(BIG.job, BIG.policy) / CACHE_READ


def calibrated(factor: float = 1.0) -> Rates:
    """Return the released rates with the disk's from Table 8, times a factor.

    >>> round(throughput(BIG.job, BIG.policy, calibrated()), 2)
    0.68
    """
    return with_disk(float(positive("factor", factor)) * disk_rate())


def implied_disk(printed: float) -> float:
    """Return the disk's bytes/s at which the run of 175B has a printed throughput, tokens/s.

    Throughputs that no disk between 1 MB/s and 100 GB/s gives are refused.

    >>> round(implied_disk(0.69) / 2**30, 2)
    2.66
    """
    from scipy.optimize import brentq

    target = float(positive("printed", printed))

    def off(rate: float) -> float:
        return throughput(BIG.job, BIG.policy, with_disk(rate)) - target

    if off(1e6) > 0 or off(1e11) < 0:
        raise ValueError(f"printed must be a throughput that some disk gives, got {printed!r}")
    return float(brentq(off, 1e6, 1e11))


def parts(rates: Rates | None = None) -> Mapping[str, float]:
    """Return the seconds of the parts that Table 8 prints, by the model, at `calibrated` rates."""
    given = rates or calibrated()
    job, policy = BIG.job, BIG.policy
    first = prefill_loads(job, policy.batch, policy.shares, given)
    later = decode_loads(job, policy.batch, policy.shares, given)
    layers, steps = job.shape.layers, job.shape.layers * (job.generated - 1)
    reading = cache_read(job, policy) / given.disk_read
    weights = first.to_gpu + first.from_disk
    later_weights = steps * (later.to_gpu + later.from_disk) - reading
    return MappingProxyType(
        {
            "prefill, compute": layers * float(first.compute),
            "prefill, weights": layers * float(weights),
            "prefill, cache write": layers * float(first.to_cpu + first.to_disk),
            "decode, compute": steps * float(later.compute),
            "decode, weights": float(later_weights),
            "decode, cache read": reading,
            "decode, cache write": steps * float(later.to_disk),
        }
    )


class Split(NamedTuple):
    """Seconds of a block."""

    prefill: float
    decode: float

    @property
    def total(self) -> float:
        """Both phases."""
        return self.prefill + self.decode


def printed_split(run: Run, decode_only: str) -> Split:
    """Return the seconds of a run's phases that follow from two printed throughputs.

    The run's counts the first token, which comes out of the prefill; `decode_only` doesn't.
    """
    block, tokens = run.policy.batch.block, run.job.generated
    decode = block * (tokens - 1) / float(positive("decode_only", float(decode_only)))
    return Split(block * tokens / run.measured - decode, decode)


def modelled_split(run: Run, rates: Rates) -> Split:
    """Return the seconds of a run's phases by the released model."""
    times, layers = step_times(run.job, run.policy, rates), run.job.shape.layers
    steps = layers * (run.job.generated - 1)
    return Split(layers * float(times.prefill), steps * float(times.decode))


def decode_throughput(run: Run, rates: Rates) -> float:
    """Return the tokens/s of decoding alone, the prefill and its first token left out."""
    tokens = run.policy.batch.block * (run.job.generated - 1)
    return tokens / modelled_split(run, rates).decode
