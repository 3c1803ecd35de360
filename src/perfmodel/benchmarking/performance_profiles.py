"""Performance profiles: how often a competitor comes within a factor of the fastest.

A profile compares competitors on tasks whose times differ by orders of magnitude and on which some
never arrive: times are divided by the best on the same task, and infinity is a value like others.

Source: E. D. Dolan and J. J. Moré, "Benchmarking optimization software with performance profiles",
Mathematical Programming 91, 2002; for the area G. E. Dahl et al., "Benchmarking neural network
training algorithms", 2023 (arXiv:2306.07179), section 4.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, finite, whole


def performance_ratios(times: ArrayLike) -> Floats:
    """Return each time over the least time that any competitor needed for the same task.

    The ratios are infinite where the times are: on a task that nobody solved all are.

    Parameters
    ----------
    times : array_like, shape (s, n)
        A row a competitor and a column a task, in any one unit a task, infinite where the
        competitor did not arrive.

    Examples
    --------
    >>> print(performance_ratios([[10.0, 40.0], [20.0, 20.0], [np.inf, 10.0]]))
    [[ 1.  4.]
     [ 2.  2.]
     [inf  1.]]
    """
    table = _times(times)
    best = table.min(axis=0)
    ratios = np.full_like(table, inf)
    np.divide(table, best, out=ratios, where=np.isfinite(best))
    return ratios


def performance_profile(ratios: ArrayLike, factor: ArrayLike) -> Floats:
    """Return the fraction of tasks whose ratio is at most a factor: the Dolan-Moré profile.

    The result has the shape (..., k) of k values of `factor`, with which it grows.

    Parameters
    ----------
    ratios : array_like, shape (..., n)
        The tasks along the last axis, infinite where one was not solved. Any numbers will do: of
        scores of which more is better, one less this fraction is above a factor.
    factor : array_like
        One factor or k of them.

    Examples
    --------
    >>> print(performance_profile([[1.0, 4.0], [2.0, 2.0], [np.inf, 1.0]], [1, 2, 4]))
    [[0.5 0.5 1. ]
     [0.  1.  1. ]
     [0.5 0.5 0.5]]
    """
    table, asked = _rows(ratios), np.atleast_1d(finite("factor", factor))
    if asked.ndim != 1:
        raise ValueError(f"factor must be a number or one-dimensional, got shape {asked.shape}")
    ordered = np.sort(table.reshape(-1, table.shape[-1]), axis=1)
    counts = [np.searchsorted(row, asked, side="right") for row in ordered]
    return np.asarray(np.reshape(counts, (*table.shape[:-1], asked.size)) / table.shape[-1])


def profile_area(ratios: ArrayLike, r_max: float = 4.0, points: int | None = None) -> Floats:
    """Return the area under the profile from 1 to `r_max`, over the width: a score from 0 to 1.

    Without `points` the area is exact: a task gives (r_max - r)/(r_max - 1), and nothing beyond
    `r_max`, so that not to arrive costs as much as to be `r_max` times slower.

    Parameters
    ----------
    ratios : array_like, shape (..., n)
        Performance ratios over the tasks, 1 or more, infinite where a task was not solved.
    r_max : float
        The factor at which a task stops to count, above 1.
    points : int, optional
        Take the trapezoid rule on as many equally spaced factors instead, 2 or more: what
        AlgoPerf's published scores do, with 100. It is off by up to one part in 2 (points - 1).

    Examples
    --------
    >>> print(profile_area([[1.0, 4.0], [2.0, 2.0], [np.inf, 1.0]]).round(3))
    [0.5   0.667 0.5  ]
    """
    table = _rows(ratios)
    if (table < 1).any():
        raise ValueError(f"ratios must be 1 or more, got {table.min():g}")
    end = float(finite("r_max", r_max))
    if end <= 1:
        raise ValueError(f"r_max must be above 1, got {r_max!r}")
    if points is None:
        return np.asarray(np.maximum(end - table, 0).mean(axis=-1) / (end - 1))
    profile = performance_profile(table, np.linspace(1, end, whole("points", points, 2)))
    return np.asarray((profile[..., 1:] + profile[..., :-1]).mean(axis=-1) / 2)


def _rows(ratios: ArrayLike) -> Floats:
    table = np.atleast_1d(np.asarray(ratios, dtype=np.float64))
    if not table.shape[-1]:
        raise ValueError(f"ratios must hold one task or more, got shape {table.shape}")
    if np.isnan(table).any():
        raise ValueError("ratios must be numbers, infinite where a task was not solved, got nan")
    return table


def _times(times: ArrayLike) -> Floats:
    table = np.asarray(times, dtype=np.float64)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"times must be a table (competitors, tasks), got shape {table.shape}")
    if not (table > 0).all():
        raise ValueError(f"times must be above 0 or infinite, got {table[~(table > 0)][0]:g}")
    return table
