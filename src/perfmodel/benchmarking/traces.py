"""A quantity sampled in time: its mean over time, which is not the mean of the samples.

A meter that samples when something happens, or that falls behind when the machine is busy, gives
some stretches of time more samples than others. The mean over time weights each reading by the time
that it stands for.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import integrate

from perfmodel.validation import Floats, finite, sample

Between = Literal["straight", "held"]


def time_integral(times: ArrayLike, values: ArrayLike, between: Between = "straight") -> float:
    """Return the integral of a sampled quantity over time in seconds: of watts, joules.

    Parameters
    ----------
    times : array_like, shape (n,)
        Seconds, rising, two or more.
    values : array_like, shape (n,)
        The quantity at these times, in any unit.
    between : {'straight', 'held'}
        What the quantity does between two samples: go straight from one to the next (the trapezoid
        rule), or stay at the earlier one, as a counter's last reading does.

    Examples
    --------
    >>> time_integral([0, 1, 3], [100, 100, 400]), time_integral([0, 1, 3], [100, 100, 400], "held")
    (600.0, 300.0)
    """
    t, y = _trace(times, values)
    if between == "straight":
        return float(integrate.trapezoid(y, t))
    if between == "held":
        return float(y[:-1] @ np.diff(t))
    raise ValueError(f"between must be 'straight' or 'held', got {between!r}")


def time_average(times: ArrayLike, values: ArrayLike, between: Between = "straight") -> float:
    """Return the mean over time of a sampled quantity, in its unit: the integral over the time.

    `times`, `values` and `between` are as for `time_integral`.

    Examples
    --------
    >>> float(np.mean([100, 100, 400])), time_average([0, 1, 3], [100, 100, 400], "held")
    (200.0, 100.0)
    """
    t, _ = _trace(times, values)
    return time_integral(times, values, between) / float(t[-1] - t[0])


def _trace(times: ArrayLike, values: ArrayLike) -> tuple[Floats, Floats]:
    t, y = sample("times", times, 2), finite("values", values)
    if not (np.diff(t) > 0).all():
        raise ValueError(f"times must rise, got {times!r}")
    if y.shape != t.shape:
        raise ValueError(f"values must be as many as times, {t.size}, got shape {y.shape}")
    return t, y
