"""All plans that divide a job over this many devices, and the best of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from perfmodel.communication.plans.clusters import TieredCluster
from perfmodel.communication.plans.jobs import TrainingJob
from perfmodel.communication.plans.parallel_plans import ParallelPlans
from perfmodel.communication.plans.steps import plan_steps
from perfmodel.validation import whole


def enumerate_plans(
    job: TrainingJob,
    devices: int,
    *,
    tensor: Sequence[int] | None = None,
    micro_batch: Sequence[int] = (1, 2, 4, 8),
    chunks: Sequence[int] = (1,),
    sharded: Sequence[int] = (1,),
    recompute: Sequence[bool] = (False, True),
) -> ParallelPlans:
    """Return every plan that divides layers, heads, batch and devices.

    Parameters
    ----------
    job : TrainingJob
        Its shape and batch.
    devices : int
        That every plan uses up.
    tensor : sequence of int, optional
        Sizes of tensor groups to try; all divisors of `devices` by default.
    micro_batch, chunks, sharded, recompute : sequence
        Values to try of each.

    Returns
    -------
    ParallelPlans
        In order of tensor, pipeline, micro_batch, chunks, sharded, recompute; may be empty.

    Examples
    --------
    >>> from perfmodel.communication import TrainingJob, TransformerShape
    >>> job = TrainingJob(TransformerShape(4, 512, 8, 1000, 128), 8, efficiency=0.5)
    >>> plans = enumerate_plans(job, 4, micro_batch=[1], recompute=[False])
    >>> list(zip(plans.tensor.tolist(), plans.pipeline.tolist(), plans.data.tolist()))
    [(1, 1, 4), (1, 2, 2), (1, 4, 1), (2, 1, 2), (2, 2, 1), (4, 1, 1)]
    """
    count, layers = whole("devices", devices, 1), job.shape.layers
    sizes = _divisors(count) if tensor is None else _all_whole("tensor", tensor)
    groups = [t for t in sizes if job.shape.heads % t == 0 == count % t]
    tried = [_all_whole("micro_batch", micro_batch), _all_whole("chunks", chunks)]
    stages = _all_whole("sharded", sharded, low=0)
    choices = np.array(
        [
            (t, p, count // (t * p), *rest)
            for t in groups
            for p in _divisors(count // t)
            if layers % p == 0
            for rest in product(*tried, stages, recompute)
            if layers % (p * rest[1]) == 0
        ],
        np.int64,
    ).reshape(-1, 7)
    p, d, b, v = choices.T[1:5]
    m = job.batch // (d * b)
    good = (job.batch % (d * b) == 0) & ((v == 1) | ((p > 1) & (m % p == 0)))
    return ParallelPlans(*choices[good].T)


def best_plan(job: TrainingJob, cluster: TieredCluster, plans: ParallelPlans) -> ParallelPlans:
    """Return the plan that fits and takes a `job` the least time a sequence on a `cluster`.

    Of equally fast ones it is the first of `plans`.

    Raises
    ------
    ValueError
        If none fits into the memory of the cluster's devices.

    Examples
    --------
    >>> from perfmodel.communication import Tier, TrainingJob, TransformerShape
    >>> job = TrainingJob(TransformerShape(4, 512, 8, 1000, 128), 8, efficiency=0.5)
    >>> cluster = TieredCluster(1e14, 64e9, [Tier(4, 50e9)])
    >>> int(best_plan(job, cluster, enumerate_plans(job, 4)).tensor)
    1
    """
    steps = plan_steps(job, cluster, plans)
    if not steps.fits.any():
        raise ValueError(
            f"plans must have one that fits into {cluster.memory:g} bytes a device, got "
            f"{len(plans)} that take {steps.memory.min() if len(plans) else 0:g} bytes or more"
        )
    return plans[int(np.argmin(np.where(steps.fits, steps.time, np.inf)))]


def _all_whole(name: str, values: Sequence[int], low: int = 1) -> list[int]:
    return [whole(name, value, low) for value in values]


def _divisors(number: int) -> list[int]:
    return [k for k in range(1, number + 1) if number % k == 0]
