"""Gaps between interruptions that are not exponential: Weibull, with the same mean."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import gamma

from perfmodel.scaling import young_interval
from perfmodel.validation import Floats, non_negative, one_number, positive, whole, within


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
    most = int(np.ceil(scale / block * 40 ** (1 / form))) + 1
    kept = np.exp(-((np.arange(1, most + 1) * block / scale) ** form)).sum()
    return float(work * kept / (mean + one_number("recovery_time", recovery_time, non_negative)))


def bunched_gaps(count: int, mtbf: float, shape: float, seed: int = 0) -> Floats:
    """Return `count` random Weibull gaps in seconds with the mean `mtbf`, shape (count,)."""
    form = _shape(shape)
    scale = one_number("mtbf", mtbf, positive) / gamma(1 + 1 / form)
    draws = np.random.default_rng(seed).weibull(form, whole("count", count, 1))
    return np.asarray(scale * draws)


def best_interval(checkpoint_time: float, mtbf: float, recovery_time: float, shape: float) -> float:
    """Return the interval in seconds that makes `bunched_efficiency` largest."""
    near = float(young_interval(checkpoint_time, mtbf))
    found = minimize_scalar(
        lambda x: -bunched_efficiency(near * x, checkpoint_time, mtbf, recovery_time, shape),
        bounds=(0.1, 10),
    )
    return near * float(found.x)


def _shape(shape: float) -> float:
    return float(within("shape", one_number("shape", shape), 0.3, 10))
