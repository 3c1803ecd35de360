"""How much of a benchmark's one number depends on single tasks: leave one out, and leave k out.

A statistic here is any function that reduces the last axis of an array, as
`perfmodel.benchmarking.harmonic_mean` does. A ValueError names the argument that is out of range.

Source: R. D. Cook, "Detection of influential observation in linear regression", Technometrics 19
(1), 1977, for the idea of deleting one observation at a time.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.validation import Floats, finite, positive

Statistic = Callable[[Floats], ArrayLike]


def leave_one_out(values: ArrayLike, statistic: Statistic) -> Floats:
    """Return the statistic without each of two or more tasks in turn, in the shape of `values`.

    The `statistic` reduces the last axis, that of the tasks.

    Examples
    --------
    >>> from perfmodel.benchmarking import arithmetic_mean
    >>> print(leave_one_out([1.0, 2.0, 9.0], arithmetic_mean))
    [5.5 5.  1.5]
    """
    data = finite("values", values)
    if data.ndim == 0 or data.shape[-1] < 2:
        raise ValueError(f"values must have two tasks or more, got shape {data.shape}")
    result = np.asarray(statistic(data[..., _others(data.shape[-1])]), dtype=np.float64)
    if result.shape != data.shape:
        raise ValueError(
            f"statistic must reduce the last axis alone, to shape {data.shape}, got {result.shape}"
        )
    return result


def harmonic_weights(ratios: ArrayLike) -> Floats:
    """Return each task's part of the sum of inverse ratios, which is all a harmonic mean sees.

    The parts, in the shape of `ratios`, add up to 1 along the last axis. Without task i the
    harmonic mean is (n - 1)/n / (1 - part) times as large.

    Examples
    --------
    >>> print(harmonic_weights([1.0, 0.5, 1.0]))
    [0.25 0.5  0.25]
    """
    inverse = 1 / positive("ratios", ratios)
    return np.asarray(inverse / inverse.sum(axis=-1, keepdims=True))


def _others(count: int) -> NDArray[np.intp]:
    """Return a row for each task with the indices of all others."""
    columns = np.arange(count - 1)
    return columns + (columns >= np.arange(count)[:, None])
