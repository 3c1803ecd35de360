"""Many ratios made into one number: the three Pythagorean means, bounds, and the ratio of totals.

Each mean answers its own question. The harmonic mean of speed-ups is the speed-up of a machine that
spends the same time on every task before the change; the arithmetic mean of their reciprocals, seen
from the other side. The geometric mean is the only one whose ranking doesn't depend on what the
results were divided by. A ValueError names the argument that is out of range.

Source: P. J. Fleming, J. J. Wallace, "How not to lie with statistics: the correct way to summarize
benchmark results", Communications of the ACM 29 (3), 1986; J. E. Smith, "Characterizing computer
performance with a single number", Communications of the ACM 31 (10), 1988.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, finite, non_negative, positive


def arithmetic_mean(values: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Return the arithmetic mean of `values` over their last axis, in their unit.

    Parameters
    ----------
    values : array_like, shape (..., n)
        One or more, of any unit.
    weights : array_like, shape (n,), optional
        How much each counts, 0 or more and not all 0; only their ratios matter. Equal by default.

    Examples
    --------
    >>> print(arithmetic_mean([1.0, 4.0]), arithmetic_mean([1.0, 4.0], weights=[2, 1]))
    2.5 2.0
    """
    data = _rows(finite("values", values))
    return np.asarray(data @ _shares(weights, data))


def geometric_mean(values: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Return the geometric mean of positive `values` over their last axis, in their unit.

    Its inverse is the geometric mean of the inverses, so that "B is 1.5 times as fast as A" and "A
    takes 1.5 times as long as B" are the same statement. `weights` are as for `arithmetic_mean`.

    Examples
    --------
    >>> print(geometric_mean([1.0, 4.0]).round(12))
    2.0
    """
    data = _rows(positive("values", values))
    return np.asarray(np.exp(np.log(data) @ _shares(weights, data)))


def harmonic_mean(values: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Return the harmonic mean of positive `values` over their last axis, in their unit.

    One small value among n holds it down, at n times that value at most; no large one lifts it. The
    `weights` are as for `arithmetic_mean`: with each task's time before the change, the mean of the
    speed-ups is `total_time_ratio`.

    Examples
    --------
    >>> print(harmonic_mean([1.0, 4.0]), harmonic_mean([0.001, 1000.0]).round(6))
    1.6 0.002
    """
    data = _rows(positive("values", values))
    return np.asarray(1 / ((1 / data) @ _shares(weights, data)))


def total_time_ratio(before: ArrayLike, after: ArrayLike) -> Floats:
    """Return how many times as fast all tasks together are: total time before over total after.

    The times `before` and `after` are in seconds, the tasks along the last axis.

    Examples
    --------
    >>> print(total_time_ratio([9.0, 1.0], [3.0, 1.0]))
    2.5
    """
    first, second = np.broadcast_arrays(positive("before", before), positive("after", after))
    return np.asarray(_rows(first).sum(axis=-1) / _rows(second).sum(axis=-1))


def clamped_ratios(ratios: ArrayLike, low: float = 0.0, high: float = inf) -> Floats:
    """Return `ratios` with values outside the bounds moved to the closer bound: no task is lost.

    The bounds are `low` and `high`; `low=1` reports a slower program as one that was not changed.

    Examples
    --------
    >>> print(clamped_ratios([0.0001, 0.5, 90.0], low=0.001, high=10))
    [1.e-03 5.e-01 1.e+01]
    """
    lowest, highest = _bounds(low, high)
    return np.clip(positive("ratios", ratios), lowest, highest)


def _rows(values: Floats) -> Floats:
    if values.ndim == 0 or values.shape[-1] == 0:
        raise ValueError(f"values must have one element or more, got shape {values.shape}")
    return values


def _shares(weights: ArrayLike | None, values: Floats) -> Floats:
    """Return weights that add up to one."""
    count = values.shape[-1]
    if weights is None:
        return np.full(count, 1 / count)
    given = non_negative("weights", weights)
    if given.shape != (count,):
        raise ValueError(f"weights must have shape ({count},), got {given.shape}")
    if not given.any():
        raise ValueError(f"weights must not all be 0, got {weights!r}")
    return np.asarray(given / given.sum())


def _bounds(low: float, high: float) -> tuple[float, float]:
    lowest = float(non_negative("low", low))
    if not high >= lowest:
        raise ValueError(f"high must be {lowest:g} or more, got {high!r}")
    return lowest, float(high)
