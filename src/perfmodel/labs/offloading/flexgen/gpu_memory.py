"""The term that the released model lacks: a step of decoding reads the weights from GPU memory."""

from __future__ import annotations

import numpy as np

from perfmodel import machines
from perfmodel.labs.offloading.flexgen.cost import Rates, columns, step_times
from perfmodel.labs.offloading.flexgen.policy import SHARES, Batch, Policy
from perfmodel.labs.offloading.flexgen.sizes import Job
from perfmodel.offloading import step_time
from perfmodel.validation import Floats, positive

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
