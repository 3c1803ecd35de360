"""Training time kept by the size of a job (Kokolis et al.) and for Weibull gaps."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import gamma

from perfmodel.labs.scaling.failures_at_scale.inputs import GPUS_PER_NODE
from perfmodel.scaling import checkpoint_efficiency, optimal_interval
from perfmodel.validation import Floats, non_negative, one_number, positive, within


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
    productive = 1 - lost / positive("mttf", mttf)
    return np.asarray(np.maximum(productive, 0) / (1 + non_negative("save", save) / between))


def longest_save(goal: float, mtbf: float, recovery_time: float) -> float:
    """Return the seconds that a save may stop a run that keeps a share `goal` of its time as work.

    At the best interval; 0 where recoveries alone cost too much. `goal` above 0 and below 1, `mtbf`
    and `recovery_time` in seconds as in `checkpoint_efficiency`.

    >>> round(longest_save(0.9, 11135, 300))
    33
    """
    share = one_number("goal", goal, positive)
    within("goal", share, 0, 1 - 1e-9)

    def spare(save: float) -> float:
        interval = optimal_interval(save, mtbf)
        return float(checkpoint_efficiency(interval, save, mtbf, recovery_time)) - share

    least = 1e-9 * one_number("mtbf", mtbf, positive)
    if spare(least) <= 0:
        return 0.0
    return float(brentq(spare, least, 10 * mtbf))


def bunched_efficiency(
    interval: float, checkpoint_time: float, mtbf: float, recovery_time: float, shape: float
) -> float:
    """Return the share of the time that is work kept, for Weibull gaps of a given shape.

    Times in seconds as in `checkpoint_efficiency`; `mtbf` is the mean gap after a recovery, which
    no interruption disturbs; `shape` from 0.3 to 10, 1 for exponential gaps. The work of a gap X is
    tau times floor(X / (tau + C)), whose mean is the sum over k of P(X > k (tau + C)).

    >>> [round(bunched_efficiency(1156, 60, 11135, 300, k), 4) for k in (1, 0.5)]
    [0.8761, 0.8841]
    """
    work = one_number("interval", interval, positive)
    block = work + one_number("checkpoint_time", checkpoint_time, non_negative)
    mean, form = one_number("mtbf", mtbf, positive), _shape(shape)
    scale = mean / gamma(1 + 1 / form)
    largest = int(np.ceil(scale / block * 40 ** (1 / form))) + 1
    blocks = np.exp(-((np.arange(1, largest + 1) * block / scale) ** form)).sum()
    return float(work * blocks / (mean + one_number("recovery_time", recovery_time, non_negative)))


def _shape(shape: float) -> float:
    return float(within("shape", one_number("shape", shape), 0.3, 10))
