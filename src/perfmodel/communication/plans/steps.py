"""The memory that a plan takes and the parts of its step's time.

Seconds of a step are computing, the sums over tensor groups that nothing hides, the pipeline's
bubble, its messages, and the exchange over replicas. All functions take arrays of plans.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.communication.plans.clusters import TieredCluster
from perfmodel.communication.plans.jobs import TrainingJob
from perfmodel.communication.plans.parallel_plans import ParallelPlans
from perfmodel.validation import Floats, at_least


@dataclass(frozen=True, eq=False)
class PlanSteps:
    """What plans take, arrays of the plans' shape.

    Attributes
    ----------
    memory : ndarray
        Bytes on a device of the first stage, which holds most.
    fits : ndarray of bool
        Whether that is no more than the device has; times are given either way.
    compute, tensor, bubble, messages, exchange : ndarray
        Seconds of a step: computing; sums over tensor groups; the pipeline's idle time; its
        messages, as far as they delay it; gradients and weights over replicas, likewise.
    utilization : ndarray
        Share of all devices' peak that the operations of the model are, recomputed ones left out.
    """

    memory: Floats
    fits: NDArray[np.bool_]
    compute: Floats
    tensor: Floats
    bubble: Floats
    messages: Floats
    exchange: Floats
    utilization: Floats

    @property
    def time(self) -> Floats:
        """Seconds of a step."""
        return self.compute + self.tensor + self.bubble + self.messages + self.exchange


def plan_steps(job: TrainingJob, cluster: TieredCluster, plans: ParallelPlans) -> PlanSteps:
    """Return memory and time of a step of `job` on a `cluster` for each of the `plans`.

    With f and b the seconds of a stage for one micro-batch, sums over its tensor group included, p
    stages, v chunks and m micro-batches, a step without messages takes (m + (p - 1) / v)(f + b) as
    `pipeline_bubble` says. A message of c seconds between stages delays 1F1B by 2 (p - 1)(m + p) /
    p - 2 times c (exact where p divides m, against `simulate_pipeline`), and the interleaved
    schedule by 2 (p v - 1) times c, as long as c is short compared with a chunk.

    Raises
    ------
    ValueError
        If a plan doesn't divide layers, heads or batch, or asks for more devices than there are.

    Examples
    --------
    >>> from perfmodel.communication import Tier, TrainingJob, TransformerShape
    >>> job = TrainingJob(TransformerShape(48, 6144, 48, 51200, 2048), 64, efficiency=0.5)
    >>> cluster = TieredCluster(1e14, 64e9, [Tier(8, 50e9), Tier(64, 25e9)])
    >>> steps = plan_steps(job, cluster, ParallelPlans(8, [1, 2], [8, 4]))
    >>> steps.utilization.round(3), steps.fits
    (array([0.383, 0.371]), array([ True,  True]))
    """
    check_plans(job, cluster, plans)
    shape, tokens = job.shape, plans.micro_batch * job.shape.sequence
    t, p, v, d = plans.tensor, plans.pipeline, plans.chunks, plans.data
    m = job.batch // (d * plans.micro_batch)
    operations = tokens * shape.operations_per_token(plans.recompute)
    work = operations / (t * p * cluster.peak * job.efficiency)
    sums = shape.layers / p * np.where(plans.recompute, 6, 4)
    width = 2.0 * tokens * shape.hidden
    summing = sums * cluster.all_reduce_time(width, t)
    away = np.where(p > 1, plans.devices, 1)
    message = width / cluster.shared_bandwidth(away) + cluster.latency(away)
    delays = np.where(v > 1, 2.0 * (p * v - 1), 2 * (p - 1) * (m + p) / p - 2)
    messages = message * np.where(p > 1, np.maximum(delays, 2 * (p - 1)), 0)
    exchange = exchange_time(job, cluster, plans, m)
    if job.overlap:
        # The last backward pass: of work 2 parts of 3, or 3 of 4 with what it computes again; of a
        # layer's sums 2 of 4, or 4 of 6.
        backward = np.where(
            plans.recompute, work * 3 / 4 + summing * 4 / 6, work * 2 / 3 + summing * 2 / 4
        )
        exchange = np.maximum(exchange - backward, 0)
    useful = job.batch * shape.sequence * shape.operations_per_token()
    memory = plan_memory(job, plans, m)
    compute, tensor, bubble = m * work, m * summing, (p - 1) / v * (work + summing)
    time = compute + tensor + bubble + messages + exchange
    return PlanSteps(
        memory=memory,
        fits=memory <= cluster.memory,
        compute=compute,
        tensor=tensor,
        bubble=bubble,
        messages=messages,
        exchange=exchange,
        utilization=useful / (plans.devices * cluster.peak * time),
    )


def plan_memory(job: TrainingJob, plans: ParallelPlans, micro_batches: ArrayLike) -> Floats:
    """Return the bytes on a device of the first stage: states, and activations in flight.

    Parameters
    ----------
    job : TrainingJob
        Its shape and the bytes of its states.
    plans : ParallelPlans
    micro_batches : array_like
        m of each plan. The first stage has min(p, m) in flight, with v chunks
        min(p (v + 1) - 1, m v) of them for 1 / v of its layers each.
    """
    shape, p, v, t = job.shape, plans.pipeline, plans.chunks, plans.tensor
    layers, m = shape.layers / p, at_least("micro_batches", micro_batches, 1)
    parameters = (layers * shape.layer_parameters + shape.table_parameters) / t
    states = sum(
        size / np.where(plans.sharded >= stage, plans.data, 1)
        for size, stage in ((job.states[name], place) for name, place in _SHARDED_FROM.items())
    )
    flight = np.where(v > 1, np.minimum(p * (v + 1) - 1, m * v) / v, np.minimum(p, m))
    kept = shape.layer_activations(plans.micro_batch, t, plans.recompute)
    laid_out = plans.recompute * shape.layer_activations(plans.micro_batch, t)
    return np.asarray(parameters * states + flight * layers * kept + laid_out)


def exchange_time(
    job: TrainingJob, cluster: TieredCluster, plans: ParallelPlans, micro_batches: ArrayLike
) -> Floats:
    """Return the seconds that a stage's gradients and weights take over the replicas, unhidden.

    Sums are handed out and gathered, in 16 bits, one pass each. Sharded gradients are summed for
    every micro-batch, sharded weights gathered for every one, forward and backward.

    `micro_batches`: m of each plan.
    """
    shape, d, m = job.shape, plans.data, at_least("micro_batches", micro_batches, 1)
    layers = shape.layers / plans.pipeline * shape.layer_parameters
    parameters = (layers + shape.table_parameters) / plans.tensor
    passes = np.select([plans.sharded < 2, plans.sharded == 2], [2.0, m + 1], 3 * m)
    group = np.where(d > 1, d * plans.tensor, 1)
    each = 2 * parameters / cluster.shared_bandwidth(group) + d * cluster.latency(group)
    return np.asarray(passes * (d - 1) / d * each)


_SHARDED_FROM = {"optimizer": 1, "gradients": 2, "weights": 3}


def check_plans(job: TrainingJob, cluster: TieredCluster, plans: ParallelPlans) -> None:
    """Refuse plans that don't divide a job or need more devices than a cluster has."""
    shape, replicas = job.shape, plans.data * plans.micro_batch
    parts, grouped = plans.pipeline * plans.chunks, np.where(plans.chunks > 1, plans.pipeline, 1)
    rules = [
        (f"tensor must divide the {shape.heads} heads", plans.tensor, shape.heads % plans.tensor),
        (f"pipeline x chunks must divide the {shape.layers} layers", parts, shape.layers % parts),
        (
            f"data x micro_batch must divide the batch of {job.batch}",
            replicas,
            job.batch % replicas,
        ),
        (
            "the micro-batches of a replica must be a multiple of pipeline where chunks are many",
            job.batch // replicas,
            job.batch // replicas % grouped,
        ),
        (
            f"plans must use {cluster.devices} devices at most",
            plans.devices,
            plans.devices > cluster.devices,
        ),
    ]
    for rule, value, broken in rules:
        if np.any(broken):
            raise ValueError(f"{rule}, got {np.ravel(value)[np.argmax(np.ravel(broken) != 0)]}")
