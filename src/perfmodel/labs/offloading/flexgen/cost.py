"""Seconds of a layer and bytes on each tier, in the paper's version of the model and the released.

A step of a layer loads four channels and one compute resource; what each takes is an affine
function of the nine shares. The versions differ in how the five are put together:

- "paper" (appendix A.3): everything overlaps, so that a step takes the longest of the five;
- "released" (`experimental/cost_model.py`): disk and link to the GPU follow each other in the
  prefill, as do link to the CPU and disk; in decoding the link to the GPU hides behind nothing;
- "serial": nothing overlaps; the sum of the five. Not in either; it is there for comparison.

Bytes are affine, too. What is at home on a device stays; what works there comes and goes. The
released code adds up the working buffers of a layer; the paper takes the largest of them, which is
a row for each here. Neither has the term of `with_gpu_memory`: decoding reads the weights from GPU
memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from perfmodel import machines
from perfmodel.labs.offloading.flexgen.policy import SHARES, Batch, Job, Policy
from perfmodel.offloading import step_time
from perfmodel.validation import Floats, finite, one_of, positive

Version = Literal["released", "paper", "serial"]


@dataclass(frozen=True)
class Rates:
    """What a machine does: bytes/s of each channel, FLOP/s of each kind of work.

    Of the channels to and from the disk `disk_weights` is for weights in decoding, `decode_to_disk`
    for cache and activations in decoding, the other two for the prefill. Products with weights and
    attention run on the GPU, `attention_cpu` on the CPU. `corrections` are c1, c2 and c3, by which
    small batches and narrow models slow down the CPU in the released version.
    """

    to_gpu: float
    cache_to_cpu: float
    hidden_to_cpu: float
    disk_read: float
    disk_weights: float
    cache_to_disk: float
    hidden_to_disk: float
    decode_to_disk: float
    products_prefill: float
    products_decode: float
    attention_prefill: float
    attention_decode: float
    attention_cpu: float
    corrections: tuple[float, float, float]

    def __post_init__(self) -> None:
        """Refuse rates of 0 and below."""
        for name in self.__dataclass_fields__:
            (finite if name == "corrections" else positive)(name, getattr(self, name))

    def cpu(self, job: Job, batch: Batch, version: Version) -> float:
        """Return the FLOP/s of attention on the CPU for a job and a batch."""
        if version == "paper":
            return self.attention_cpu
        c1, c2, c3 = self.corrections
        small = max(0.0, float(np.log2(64 / batch.size)))
        narrow = max(0.0, float(np.log2(4096 / job.shape.hidden)))
        factor = 1 + c1 * small * narrow - c2 * small - c3 * narrow
        return self.attention_cpu * max(0.1, factor)


class Loads(NamedTuple):
    """Seconds that each resource is busy for one layer of one step; `compute` is GPU with CPU."""

    to_gpu: Floats
    to_cpu: Floats
    from_disk: Floats
    to_disk: Floats
    compute: Floats


RESOURCES = Loads._fields
_EACH = tuple((name,) for name in RESOURCES)
PREFILL_ARMS: Mapping[Version, Sequence[Sequence[str]]] = {
    "released": (("to_gpu", "from_disk"), ("to_cpu", "to_disk"), ("compute",)),
    "paper": _EACH,
    "serial": (RESOURCES,),
}
"""Resources of which each arm is the sum; the longest arm is what the prefill takes."""
DECODE_ARMS: Mapping[Version, Sequence[Sequence[str]]] = {
    "released": tuple(("to_gpu", name) for name in RESOURCES[1:]),
    "paper": _EACH,
    "serial": (RESOURCES,),
}


def prefill_loads(job: Job, batch: Batch, shares: Floats, rates: Rates) -> Loads:
    """Return what a layer costs in the prefill of a block, of the leading shape of `shares`."""
    _, wc, wd, _, cc, cd, _, hc, hd = columns(shares)
    s, h, h2, b = job.prompt, job.shape.hidden, job.shape.feed_forward, batch.block
    w, hidden, cache = job.shape.layer_weights, 2 * s * h * b, 4 * (s + 1) * h * b
    products = b * (8 * s * h**2 + 4 * s * h * h2) / rates.products_prefill
    attention = 4 * b * s**2 * h / rates.attention_prefill
    return Loads(
        to_gpu=(w * (wc + wd) + hidden * (hc + hd)) / rates.to_gpu,
        to_cpu=cache * (cc + cd) / rates.cache_to_cpu + hidden * (hc + hd) / rates.hidden_to_cpu,
        from_disk=(w * wd + hidden * hd) / rates.disk_read,
        to_disk=cache * cd / rates.cache_to_disk + hidden * hd / rates.hidden_to_disk,
        compute=np.full_like(wc, products + attention),
    )


def decode_loads(
    job: Job, batch: Batch, shares: Floats, rates: Rates, version: Version = "released"
) -> Loads:
    """Return what a layer costs for one more token of every sequence of a block, on average.

    Loads have the leading shape of `shares`. The paper's version knows one rate of reading the disk
    and no corrections of the CPU's.
    """
    _, wc, wd, cg, cc, cd, _, hc, hd = columns(shares)
    h, h2, b = job.shape.hidden, job.shape.feed_forward, batch.block
    w, hidden, cache = job.shape.layer_weights, 2 * h * b, 4 * h * b * job.mean_context
    weights_read = rates.disk_read if version == "paper" else rates.disk_weights
    products = b * (8 * h**2 + 4 * h * h2) / rates.products_decode
    on_gpu, on_cpu = cache * cg / rates.attention_decode, cache * (cc + cd)
    return Loads(
        to_gpu=(w * (wc + wd) + hidden * (hc + hd)) / rates.to_gpu,
        to_cpu=hidden * (hc + hd) / rates.hidden_to_cpu,
        from_disk=(cache * cd + hidden * hd) / rates.disk_read + w * wd / weights_read,
        to_disk=(4 * h * b * cd + hidden * hd) / rates.decode_to_disk,
        compute=products + on_gpu + on_cpu / rates.cpu(job, batch, version),
    )


def prefill_arms(loads: Loads, version: Version) -> Floats:
    """Return the sums of which the longest is a layer's prefill, shape (..., arms)."""
    return _arms(loads, PREFILL_ARMS, version)


def decode_arms(loads: Loads, version: Version) -> Floats:
    """Return the sums of which the longest is a layer's step of decoding, shape (..., arms)."""
    return _arms(loads, DECODE_ARMS, version)


class StepTimes(NamedTuple):
    """Seconds of a layer: of the whole prefill, and of one step of decoding."""

    prefill: Floats
    decode: Floats


def step_times(job: Job, policy: Policy, rates: Rates, version: Version = "released") -> StepTimes:
    """Return the seconds of a layer under a policy; `version` says how the resources overlap."""
    loads = prefill_loads(job, policy.batch, policy.shares, rates)
    later = decode_loads(job, policy.batch, policy.shares, rates, version)
    return StepTimes(
        step_time(prefill_arms(loads, version)), step_time(decode_arms(later, version))
    )


def block_time(job: Job, policy: Policy, rates: Rates, version: Version = "released") -> float:
    """Return the seconds of a block: l prefills of a layer and l (n - 1) steps of decoding."""
    times = step_times(job, policy, rates, version)
    return float(job.shape.layers * (times.prefill + (job.generated - 1) * times.decode))


def throughput(job: Job, policy: Policy, rates: Rates, version: Version = "released") -> float:
    """Return the generated tokens/s of a policy: the block's tokens over its time."""
    tokens = policy.batch.block * job.generated
    return tokens / block_time(job, policy, rates, version)


def columns(shares: Floats) -> tuple[Floats, ...]:
    """Return the nine shares along the last axis, each of the leading shape."""
    nine = finite("shares", shares)
    if nine.shape[-1:] != (9,):
        raise ValueError(f"shares must have nine in the last axis, got shape {nine.shape}")
    return tuple(np.moveaxis(nine, -1, 0))


def _arms(
    loads: Loads, arms: Mapping[Version, Sequence[Sequence[str]]], version: Version
) -> Floats:
    one_of("version", version, arms)
    sums = [np.sum([getattr(loads, name) for name in arm], axis=0) for arm in arms[version]]
    return np.stack(sums, axis=-1)


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
    cache = 4 * (s + n) * h * b * layers
    first, later = 2 * s * h, 2 * h
    buffers = (_summed if released else _separate)(job, batch, cg)
    incoming = 2 * w * (1 - wg)
    gpu = [
        all_weights * wg + first * b * hg + cache * cg + incoming + first * g * (1 - hg) + buffer
        for buffer in buffers.prefill
    ]
    gpu += [
        all_weights * wg + later * b * hg + cache * cg + incoming + later * g * (1 - hg) + buffer
        for buffer in buffers.decode
    ]
    prompt_only = 4 * s * h * b * layers if released else cache
    cpu = [
        all_weights * wc + first * b * hc + prompt_only * cc + w * (1 - wg) + first * g * (1 - hg),
        all_weights * wc
        + later * b * hc
        + cache * cc
        + w * wd
        + 4 * h * g * hd
        + 8 * (s + n) * h * g * cd
        + 2 * job.shape.heads * (s + n) * g
        + 2 * h * g,
    ]
    disk = [all_weights * wd + first * b * hd + cache * cd]
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


T4_BANDWIDTH = machines.get("t4").memory_bandwidth
"""Bytes/s of the memory of the GPU that the paper measured on."""


def step_bytes(job: Job, batch: Batch, shares: Floats) -> Floats:
    """Return the bytes that a step of decoding reads from GPU memory, at least.

    The matrices of all layers and the table of words once for each GPU batch, and the cache that is
    kept there.
    """
    on_gpu = columns(shares)[SHARES.index("cg")]
    cached = job.shape.cache(batch.block, job.mean_context)
    return np.asarray(batch.count * job.shape.read_for_a_token + on_gpu * cached)


def with_gpu_memory(
    job: Job, policy: Policy, rates: Rates, bandwidth: float = T4_BANDWIDTH
) -> float:
    """Return the released model's tokens/s where reading a step's bytes takes its time, too."""
    rate = float(positive("bandwidth", bandwidth))
    times = step_times(job, policy, rates)
    reading = float(step_bytes(job, policy.batch, policy.shares)) / rate
    step = float(step_time([job.shape.layers * float(times.decode), reading]))
    time = job.shape.layers * float(times.prefill) + (job.generated - 1) * step
    return policy.batch.block * job.generated / time
