"""The term that the released model lacks: a step of decoding reads the weights from GPU memory."""

from __future__ import annotations

from perfmodel import machines
from perfmodel.labs.offloading.flexgen.cost import Rates, step_times
from perfmodel.labs.offloading.flexgen.policy import Policy
from perfmodel.labs.offloading.flexgen.sizes import Job
from perfmodel.validation import positive


def step_bytes(job: Job, policy: Policy) -> float:
    """Return the bytes that a step of decoding reads from GPU memory, at least.

    The matrices of all layers and the table of words once for each GPU batch, and the cache that
    is kept there.

    Parameters
    ----------
    job : Job
    policy : Policy
    """
    cached = float(job.shape.cache(policy.batch.block, job.mean_context))
    return policy.batch.count * job.shape.read_for_a_token + policy.cache[0] * cached


def with_gpu_memory(
    job: Job, policy: Policy, rates: Rates, bandwidth: float | None = None
) -> float:
    """Return the released model's tokens/s where a step takes at least what reading it takes.

    Parameters
    ----------
    job : Job
    policy : Policy
    rates : Rates
    bandwidth : float, optional
        Bytes/s of the GPU's memory; a T4's where left out.

    Raises
    ------
    ValueError
        If the bandwidth is not above 0.
    """
    t4 = machines.get("t4").memory_bandwidth
    rate = float(positive("bandwidth", t4 if bandwidth is None else bandwidth))
    times = step_times(job, policy, rates)
    step = max(job.shape.layers * float(times.decode), step_bytes(job, policy) / rate)
    time = job.shape.layers * float(times.prefill) + (job.generated - 1) * step
    return policy.batch.block * job.generated / time
