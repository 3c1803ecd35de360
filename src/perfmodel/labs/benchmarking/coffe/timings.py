"""Time programs in turns, and find how many runs give a mean of the wanted precision."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import ceil

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm

from perfmodel.validation import Floats, finite, non_negative, positive, whole

PRINTED = {
    "HumanEval": (5e-5, 0.0565),
    "MBPP": (4e-5, 0.0531),
    "CodeContests": (3e-5, 0.0237),
    "APPS": (3e-5, 0.0247),
}
"""Relative standard deviation of instruction counts and of times, over programs of four suites, as
printed by Peng et al., 2025, in the table on the stability of the measurement."""


def timings(
    calls: Sequence[Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> Floats:
    """Return the seconds (calls, rounds) of calls in turns, after a warm-up round.

    In turns, a change of the machine's speed affects all of them.

    >>> ticks = iter(range(100))
    >>> print(timings([list, dict], 2, clock=lambda: next(ticks)))
    [[1. 1.]
     [1. 1.]]
    """
    if not calls:
        raise ValueError("calls must hold one or more, got none")
    seconds = np.empty((1 + whole("rounds", rounds, 2), len(calls)))
    for row in seconds:
        for index, call in enumerate(calls):
            began = clock()
            call()
            row[index] = clock() - began
    return seconds[1:].T


def coefficient_of_variation(values: ArrayLike) -> Floats:
    """Return the standard deviation (n - 1) over the mean, along the last axis of two or more.

    >>> print(coefficient_of_variation([[9.0, 10.0, 11.0], [5.0, 5.0, 5.0]]))
    [0.1 0. ]
    """
    runs = positive("values", values)
    if runs.ndim == 0 or runs.shape[-1] < 2:
        raise ValueError(f"values must hold two or more runs, got shape {runs.shape}")
    return np.asarray(runs.std(axis=-1, ddof=1) / runs.mean(axis=-1))


def repeats_for_mean(deviation: float, half_width: float, confidence: float = 0.95) -> int:
    """Return the number of runs after which a mean is known to within a fraction of itself.

    n = (z s / h)^2, rounded up, for independent runs. `deviation` s is their standard deviation and
    `half_width` h half the width of the confidence interval, both as a fraction of the mean.

    >>> repeats_for_mean(0.0565, 0.01), repeats_for_mean(5e-5, 0.01)
    (123, 1)
    """
    if not 0 < finite("confidence", confidence) < 1:
        raise ValueError(f"confidence must be above 0 and below 1, got {confidence!r}")
    z = float(norm.isf((1 - confidence) / 2))
    ratio = z * non_negative("deviation", deviation) / positive("half_width", half_width)
    return max(1, ceil(float(ratio) ** 2 - 1e-9))
