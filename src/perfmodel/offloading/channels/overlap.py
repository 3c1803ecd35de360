"""How far the channels of measured steps overlap: a fraction for each, a power for all.

The fraction is the time that a step has hidden, divided by the time that it could hide. The power p
of a norm is fitted to several steps, whose channels are busy in different proportions, and predicts
others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from perfmodel.measurement.statistics.intervals import check_level
from perfmodel.offloading.channels.work import busy_times, step_time
from perfmodel.validation import Floats, positive, whole, within

_INVERSES = np.linspace(0, 1, 1001)
"""1/p of the powers that a fit tries, from the maximum to the sum."""
_EXACT = 1e-6
"""Relative error of a time that counts as none."""


@dataclass(frozen=True)
class PowerFit:
    """The power of the norm that fits measured steps best, with its uncertainty."""

    power: float
    """p, 1 (sum) to infinity (maximum)."""
    low: float
    high: float
    """Ends of the interval of p, from steps drawn again and from the powers that fit as well; 1 to
    infinity where the steps don't determine it, as when one channel is busy nearly all the time."""
    error: float
    """Root of the mean square of ln(measured/fitted) over the steps."""


def overlapped_time(seconds: ArrayLike, overlap: ArrayLike) -> Floats:
    """Return the time of a step that hides a fraction of the time that can be hidden.

    Parameters
    ----------
    seconds : array_like, shape (..., channels)
        Time for which each channel is busy, s, 0 or more.
    overlap : array_like
        0 to 1: 0 is the sum of the times, 1 their maximum.

    Returns
    -------
    ndarray
        Seconds, shape (...).

    Examples
    --------
    >>> overlapped_time([3.0, 4.0], [0, 0.5, 1])
    array([7. , 5.5, 4. ])
    """
    busy, hidden = busy_times(seconds), within("overlap", overlap, 0, 1)
    total = busy.sum(axis=-1)
    return np.asarray(total - hidden * (total - busy.max(axis=-1)))


def overlap_fraction(seconds: ArrayLike, measured: ArrayLike) -> Floats:
    """Return the fraction of the hideable time that a measured step has hidden.

    Parameters
    ----------
    seconds : array_like, shape (..., channels)
        Time for which each channel is busy on its own, s, at least two above 0.
    measured : array_like
        Time of the step, s, above 0.

    Returns
    -------
    ndarray
        0 where the step takes the sum, 1 where it takes the maximum, shape (...). Below 0 it takes
        longer than the sum: the channels disturb each other, or work was forgotten. If it is above
        1, the step is shorter than its busiest channel, so a channel's time was overestimated.

    Raises
    ------
    ValueError
        If there is nothing to hide, as only one channel has work, or more than 1e16 times that of
        the others.

    Examples
    --------
    >>> overlap_fraction([3.0, 4.0], [7.0, 5.5, 4.0, 8.5])
    array([ 0. ,  0.5,  1. , -0.5])
    """
    busy, time = busy_times(seconds), positive("measured", measured)
    total, most = busy.sum(axis=-1), busy.max(axis=-1)
    _something_to_hide(busy)
    return np.asarray((total - time) / (total - most))


def fit_power(
    seconds: ArrayLike,
    measured: ArrayLike,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> PowerFit:
    """Fit the power of the norm to measured steps whose channels' times are known.

    Parameters
    ----------
    seconds : array_like, shape (steps, channels)
        Time for which each channel is busy on its own, s; in each of three or more steps two
        channels or more above 0.
    measured : array_like, shape (steps,)
        Times of the steps, s, above 0.
    confidence : float
        Of the interval, above 0 and below 1.
    resamples : int
        Bootstrap samples of steps, 1 or more. With few steps the interval comes out too narrow.
    seed : int
        Of the samples.

    Returns
    -------
    PowerFit
        Of least squares of ln(time), with 1/p to 0.001. Steps longer than the sum or shorter than
        the maximum pull p to its end; `overlap_fraction` shows them.

    Examples
    --------
    >>> seconds = [[3.0, 4.0], [1.0, 4.0], [4.0, 4.0], [4.0, 2.0]]
    >>> fit_power(seconds, step_time(seconds, 2)).power
    2.0
    """
    busy, time = busy_times(seconds), positive("measured", measured)
    if busy.ndim != 2 or time.shape != busy.shape[:1] or len(time) < 3:
        raise ValueError(
            "seconds and measured must be of shape (steps, channels) and (steps,) with 3 steps or "
            f"more, got {busy.shape} and {time.shape}"
        )
    _something_to_hide(busy)
    tail = (1 - check_level(confidence)) / 2
    with np.errstate(divide="ignore"):
        powers = 1 / _INVERSES
    squares = np.log(time / step_time(busy, powers[:, None])) ** 2
    draws = np.random.default_rng(seed).multinomial(
        len(time), np.full(len(time), 1 / len(time)), size=whole("resamples", resamples, 1)
    )
    drawn = _INVERSES[np.argmin(squares @ draws.T, axis=0)]
    sums = squares.sum(axis=1)
    best = int(np.argmin(sums))
    spare = len(time) - 1
    most = float(stdtrit(spare, 1 - tail))
    exact = len(time) * _EXACT**2
    as_good = _INVERSES[sums <= sums[best] * (1 + most**2 / spare) + exact]
    drawn_low, drawn_high = np.quantile(drawn, [tail, 1 - tail])
    with np.errstate(divide="ignore"):
        low, high = 1 / max(drawn_high, as_good.max()), 1 / min(drawn_low, as_good.min())
    return PowerFit(
        float(powers[best]), float(low), float(high), float(np.sqrt(squares[best].mean()))
    )


def _something_to_hide(busy: Floats) -> None:
    """Refuse steps in which a single channel has work, and none could overlap."""
    if not (busy.sum(axis=-1) > busy.max(axis=-1)).all():
        raise ValueError(
            "seconds must be above 0, and not by rounding, for two channels or more, "
            "else nothing overlaps"
        )
