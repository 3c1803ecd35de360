"""Saving a long job: how often, and what share of the time is work.

A job saves after every tau seconds of work, which blocks it for C seconds. It is interrupted after
M seconds on average, at random instants (exponential gaps), in whatever it does. It then takes R
seconds to be back at its last checkpoint. Saves that don't block have C near 0.

Sources: J. W. Young, "A first order approximation to the optimum checkpoint interval", CACM 1974;
J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", Future
Generation Computer Systems 2006. A ValueError is raised if an argument is outside its range or not
finite, or if the shapes don't broadcast.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import lambertw

from perfmodel.validation import (
    Floats,
    check_shapes,
    non_negative,
    one_number,
    positive,
    sample,
)

_SERIES_BELOW = 1e-4
"""Ratio C/M below which Lambert's function, near its branch point, has fewer digits."""

_LAST_SAVE = 1e-9
"""Part of a block that may be missing when an interruption comes: rounding, and not work."""


def young_interval(checkpoint_time: ArrayLike, mtbf: ArrayLike) -> Floats:
    """Return Young's interval in seconds of work, sqrt(2 C M): the least loss to first order.

    Parameters
    ----------
    checkpoint_time : array_like
        C, seconds that a save blocks the job, 0 or more.
    mtbf : array_like
        M, mean seconds between interruptions of the job, above 0. Both broadcast.

    Examples
    --------
    A save of 40 s and one failure a week: nearly two hours.

    >>> float(young_interval(40, 7 * 86400).round())
    6956.0
    """
    cost, mean = _save_and_mean(checkpoint_time, mtbf)
    return np.asarray(np.sqrt(2 * cost * mean))


def daly_interval(checkpoint_time: ArrayLike, mtbf: ArrayLike) -> Floats:
    """Return Daly's interval in seconds of work, the optimum to third order in sqrt(C/M).

    sqrt(2 C M) (1 + sqrt(C / (2 M)) / 3 + C / (18 M)) - C where C is below 2 M, and M above;
    `checkpoint_time` and `mtbf` are as for `young_interval`.

    Examples
    --------
    >>> float((daly_interval(60, 3.0931 * 3600) / 60).round(3))
    18.605
    """
    cost, mean = _save_and_mean(checkpoint_time, mtbf)
    ratio = cost / mean
    higher = 1 + np.sqrt(ratio / 2) / 3 + ratio / 18
    return np.asarray(np.where(ratio < 2, np.sqrt(2 * ratio) * higher - ratio, 1.0) * mean)


def optimal_interval(checkpoint_time: ArrayLike, mtbf: ArrayLike) -> Floats:
    """Return the interval, in seconds of work, that makes `checkpoint_efficiency` largest.

    M (1 + W(-exp(-C/M - 1))), with Lambert's W; `checkpoint_time` and `mtbf` are as for
    `young_interval`. The recovery time doesn't move it.

    Examples
    --------
    >>> float((optimal_interval(60, 3.0931 * 3600) / 60).round(3))
    18.605
    """
    cost, mean = _save_and_mean(checkpoint_time, mtbf)
    ratio = cost / mean
    u = np.sqrt(2 * np.minimum(ratio, _SERIES_BELOW))
    series = u - u**2 / 3 + u**3 / 36 + u**4 / 270 + u**5 / 4320
    exact = 1 + lambertw(-np.exp(-ratio - 1)).real
    return np.asarray(np.where(ratio < _SERIES_BELOW, series, exact) * mean)


def checkpoint_efficiency(
    interval: ArrayLike, checkpoint_time: ArrayLike, mtbf: ArrayLike, recovery_time: ArrayLike = 0.0
) -> Floats:
    """Return the fraction of the time, 0 to 1, that is work kept, in the long run and exactly.

    tau / M exp(-R/M) / (exp((tau + C)/M) - 1).

    Parameters
    ----------
    interval : array_like
        tau, seconds of work from one save to the next, above 0.
    checkpoint_time, mtbf : array_like
        As for `young_interval`.
    recovery_time : array_like, optional
        R, seconds from an interruption to work again, detection and reload included, 0 or more. An
        interruption during recovery starts it again. All broadcast.

    Examples
    --------
    Saves of a minute, recoveries of five, a failure every three hours:

    >>> float(checkpoint_efficiency(18.605 * 60, 60, 3.0931 * 3600, 300).round(4))
    0.8758
    """
    work, cost, mean, recovery = _all_four(interval, checkpoint_time, mtbf, recovery_time)
    span = (work + cost) / mean
    return np.asarray(work / mean * np.exp(-recovery / mean - span) / -np.expm1(-span))


def checkpoint_waste(
    interval: ArrayLike, checkpoint_time: ArrayLike, mtbf: ArrayLike, recovery_time: ArrayLike = 0.0
) -> Floats:
    """Return the fraction of the time that is lost, to first order: C/tau + tau/(2 M) + R/M.

    Saves, then half an interval done again, then recovery. It overstates the loss where these are
    not small, and may exceed 1. `interval`, `checkpoint_time`, `mtbf` and `recovery_time` are as
    for `checkpoint_efficiency`.

    Examples
    --------
    >>> float(checkpoint_waste(6956, 40, 7 * 86400).round(4))
    0.0115
    """
    work, cost, mean, recovery = _all_four(interval, checkpoint_time, mtbf, recovery_time)
    return np.asarray(cost / work + work / (2 * mean) + recovery / mean)


class CheckpointRun(NamedTuple):
    """Where the seconds of a run went; they sum to its length."""

    work: float
    """Work that a completed save kept."""
    saving: float
    """Saves completed."""
    lost: float
    """Work and saves cut short by an interruption, to be done again."""
    recovering: float
    """Recoveries, completed or cut short."""

    @property
    def efficiency(self) -> float:
        """Share of the time that is work kept."""
        return self.work / (self.work + self.saving + self.lost + self.recovering)


def simulate_interruptions(
    gaps: ArrayLike, interval: float, checkpoint_time: float, recovery_time: float = 0.0
) -> CheckpointRun:
    """Return the `CheckpointRun` of a job through given interruptions, however distributed.

    The `gaps` are seconds from each interruption to the next, 0 or more and not all 0; every gap
    begins with a recovery.
    `interval`, `checkpoint_time` and `recovery_time` are as for `checkpoint_efficiency`.

    Examples
    --------
    Of 100 s between interruptions 10 pass in recovery, and two blocks of 30 + 5 s are kept:

    >>> simulate_interruptions([100.0], interval=30, checkpoint_time=5, recovery_time=10)
    CheckpointRun(work=60.0, saving=10.0, lost=20.0, recovering=10.0)
    """
    between = non_negative("gaps", sample("gaps", gaps))
    positive("the sum of gaps", between.sum())
    work = one_number("interval", interval, positive)
    cost = one_number("checkpoint_time", checkpoint_time, non_negative)
    recovery = np.minimum(between, one_number("recovery_time", recovery_time, non_negative))
    kept = np.floor((between - recovery) / (work + cost) + _LAST_SAVE)
    lost = np.maximum(between - recovery - kept * (work + cost), 0)
    saves, waiting = float(kept.sum()), float(recovery.sum())
    return CheckpointRun(saves * work, saves * cost, float(lost.sum()), waiting)


def _save_and_mean(checkpoint_time: ArrayLike, mtbf: ArrayLike) -> tuple[Floats, Floats]:
    check_shapes(checkpoint_time=checkpoint_time, mtbf=mtbf)
    return non_negative("checkpoint_time", checkpoint_time), positive("mtbf", mtbf)


def _all_four(
    interval: ArrayLike, checkpoint_time: ArrayLike, mtbf: ArrayLike, recovery_time: ArrayLike
) -> tuple[Floats, Floats, Floats, Floats]:
    check_shapes(
        interval=interval, checkpoint_time=checkpoint_time, mtbf=mtbf, recovery_time=recovery_time
    )
    return (
        positive("interval", interval),
        non_negative("checkpoint_time", checkpoint_time),
        positive("mtbf", mtbf),
        non_negative("recovery_time", recovery_time),
    )
