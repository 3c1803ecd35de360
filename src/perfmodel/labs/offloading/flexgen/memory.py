"""Bytes that a policy needs at most on GPU, CPU and disk, in both versions of the model.

Each row is an affine function of the nine shares. What is at home on a device stays; what works
there comes and goes. The released code adds up the working buffers of a layer; the paper takes the
largest of them, which is a row for each here, as the largest of several bounds is below a capacity
where all of them are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from perfmodel.labs.offloading.flexgen.cost import Version, columns
from perfmodel.labs.offloading.flexgen.policy import Batch, Policy
from perfmodel.labs.offloading.flexgen.sizes import Job
from perfmodel.validation import Floats

TIERS = ("GPU", "CPU", "disk")


class Needs(NamedTuple):
    """Bytes needed, shape (..., rows), a row for each bound: the largest is what a policy needs."""

    gpu: Floats
    cpu: Floats
    disk: Floats


def needs(job: Job, batch: Batch, shares: Floats, version: Version = "released") -> Needs:
    """Return the bytes that shares need on each tier, by bound."""
    released = version != "paper"
    wg, wc, wd, cg, cc, cd, hg, hc, hd = columns(shares)
    s, n, layers = job.prompt, job.generated, job.shape.layers
    h, b, g = job.shape.hidden, batch.block, batch.size
    w, all_weights = job.shape.layer_weights, job.shape.weights
    kept = 4 * (s + n) * h * b * layers
    first, later = 2 * s * h, 2 * h
    buffers = (_summed if released else _separate)(job, batch, cg)
    incoming = 2 * w * (1 - wg)
    gpu = [
        all_weights * wg + first * b * hg + kept * cg + incoming + first * g * (1 - hg) + buffer
        for buffer in buffers.prefill
    ]
    gpu += [
        all_weights * wg + later * b * hg + kept * cg + incoming + later * g * (1 - hg) + buffer
        for buffer in buffers.decode
    ]
    prompt_only = 4 * s * h * b * layers if released else kept
    cpu = [
        all_weights * wc + first * b * hc + prompt_only * cc + w * (1 - wg) + first * g * (1 - hg),
        all_weights * wc
        + later * b * hc
        + kept * cc
        + w * wd
        + 4 * h * g * hd
        + 8 * (s + n) * h * g * cd
        + 2 * job.shape.heads * (s + n) * g
        + 2 * h * g,
    ]
    disk = [all_weights * wd + first * b * hd + kept * cd]
    return Needs(*(np.stack(rows, axis=-1) for rows in (gpu, cpu, disk)))


def peak_needs(job: Job, policy: Policy, version: Version = "released") -> dict[str, float]:
    """Return the bytes that a policy needs on each tier of `TIERS`."""
    rows = needs(job, policy.batch, policy.shares, version)
    return {tier: float(bounds.max()) for tier, bounds in zip(TIERS, rows, strict=True)}


class _Buffers(NamedTuple):
    prefill: list[Floats]
    decode: list[Floats]


def _summed(job: Job, batch: Batch, cg: Floats) -> _Buffers:
    s, t, g = job.prompt, job.prompt + job.generated, batch.size
    h, h2, heads = job.shape.hidden, job.shape.feed_forward, job.shape.heads
    prefill = g * (8 * s * h + (2 * s * h + 2 * heads * s**2) + 2 * s * h + 4 * s * h)
    prefill += g * (2 * s * h2 + 2 * s * h)
    attention = g * (2 * h + 2 * t * h + 2 * heads * t) + g * (2 * t * h + 2 * h)
    copies = 4 * g * t * h
    small = g * (8 * h + 4 * h + 2 * h2 + 2 * h)
    return _Buffers([np.full_like(cg, prefill)], [small + (attention + copies) * cg])


def _separate(job: Job, batch: Batch, cg: Floats) -> _Buffers:
    s, t, g = job.prompt, job.prompt + job.generated, batch.size
    h, h2, heads = job.shape.hidden, job.shape.feed_forward, job.shape.heads

    def buffers(positions: int, attention: float) -> list[Floats]:
        p = positions
        fixed = max(8 * g * p * h, 4 * g * p * h, 2 * g * p * (h + h2))
        return [np.full_like(cg, fixed), attention * cg]

    return _Buffers(
        buffers(s, g * (4 * s * h + 2 * heads * s**2)),
        buffers(1, g * (2 * h + 2 * t * h + 2 * heads * t)),
    )
