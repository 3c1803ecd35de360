"""The quantile of a sample: one definition for every percentile and median of the package.

The level p of n values in ascending order stands at position p (n - 1), counted from 0. Between two
values it is interpolated linearly, as `numpy.quantile` and `numpy.median` do (type 7 of Hyndman and
Fan, The American Statistician 50(4), 1996). This module adds what NumPy leaves out: positions that
are whole except for rounding, values that are infinite, and values that count several times.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.validation import Floats, within

_WHOLE = 1e-9
"""A position this close to a whole number is that number."""


def quantile_positions(levels: ArrayLike, size: int) -> tuple[NDArray[np.int64], Floats]:
    """Return the rank below each quantile, from 0, and the fraction of the way to the next rank.

    >>> quantile_positions([0.5, 0.7], 11)
    (array([5, 7]), array([0., 0.]))
    """
    position = within("levels", levels, 0, 1) * (size - 1)
    nearest = np.round(position)
    position = np.where(np.abs(position - nearest) <= _WHOLE, nearest, position)
    rank = np.floor(position).astype(np.int64)
    return rank, np.asarray(position - rank)


def between(lower: Floats, upper: Floats, fraction: Floats) -> Floats:
    """Return the values a fraction of the way from `lower` to `upper`, either of them infinite."""
    inside = np.isfinite(lower) & np.isfinite(upper)
    low, high = np.where(inside, lower, 0.0), np.where(inside, upper, 0.0)
    beyond = np.where((fraction > 0) & np.isfinite(lower), upper, lower)
    return np.where(inside, low + fraction * (high - low), beyond)


def sample_quantile(
    values: ArrayLike, levels: ArrayLike, counts: NDArray[np.int64] | None = None
) -> Floats:
    """Return quantiles, in the shape of `levels`, of a sample with infinite or repeated values.

    Value i occurs `counts[i]` times, once without `counts`.

    >>> print(sample_quantile([1.0, 2.0, 3.0, np.inf], [0.5, 1.0]))
    [2.5 inf]
    >>> print(sample_quantile([1.0, 5.0], 0.5, counts=np.array([1, 3])))
    5.0
    """
    given = np.asarray(values, dtype=np.float64)
    if given.ndim != 1 or not given.size or np.isnan(given).any():
        raise ValueError(
            f"values must be a one-dimensional sample without nan, got shape {given.shape}"
        )
    times = np.ones(given.size, dtype=np.int64) if counts is None else counts
    order = np.argsort(given, kind="stable")
    ordered, reached = given[order], np.cumsum(times[order])
    rank, fraction = quantile_positions(levels, int(reached[-1]))
    above = np.minimum(rank + 1, reached[-1] - 1)
    lower, upper = (ordered[np.searchsorted(reached, at, side="right")] for at in (rank, above))
    return between(lower, upper, fraction)
