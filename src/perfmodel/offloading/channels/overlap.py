"""How far the channels of a measured step overlap: the fraction of the hideable time it hid."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.offloading.channels.work import busy_times
from perfmodel.validation import Floats, positive, within


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


def _something_to_hide(busy: Floats) -> None:
    """Refuse steps in which a single channel has work, and none could overlap."""
    if not (busy.sum(axis=-1) > busy.max(axis=-1)).all():
        raise ValueError(
            "seconds must be above 0, and not by rounding, for two channels or more, "
            "else nothing overlaps"
        )
