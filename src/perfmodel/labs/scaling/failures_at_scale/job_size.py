"""Mean time to failure and expected training time ratio by the size of a job (Kokolis et al.)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.scaling.failures_at_scale.inputs import GPUS_PER_NODE
from perfmodel.validation import Floats, non_negative, positive


def job_mttf(gpus: ArrayLike, node_rate: ArrayLike) -> Floats:
    """Return the mean seconds to the first failure of any node of a job.

    `gpus` of the job, above 0, eight to a node; `node_rate` in failures of a node in a second,
    above 0. Nodes fail independently of each other, at a constant rate.

    >>> float(job_mttf(16384, 6.5e-3 / 86400).round())
    6490.0
    """
    nodes = positive("gpus", gpus) / GPUS_PER_NODE
    return np.asarray(1 / (nodes * positive("node_rate", node_rate)))


def training_time_ratio(
    mttf: ArrayLike, interval: ArrayLike, restart: ArrayLike, save: ArrayLike = 0.0
) -> Floats:
    """Return the expected training time ratio, (1 - (u0 + dt/2)/M) / (1 + w/dt).

    `mttf` M of the job, `interval` dt from save to save, `restart` u0 and `save` w, all in seconds;
    0 where the formula, which is of first order, falls below it.

    >>> float(training_time_ratio(6490.0, 300.0, 300.0).round(3))
    0.931
    """
    between = positive("interval", interval)
    lost = non_negative("restart", restart) + between / 2
    kept = 1 - lost / positive("mttf", mttf)
    return np.asarray(np.maximum(kept, 0) / (1 + non_negative("save", save) / between))
