"""How far predicted step times are off, with an interval that knows which steps belong together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.measurement.statistics.quantiles import sample_quantile
from perfmodel.validation import finite, positive, sample, whole, within


class StepErrors(NamedTuple):
    """Shares by which predicted seconds are off, with intervals."""

    mean: float
    mean_low: float
    mean_high: float
    median: float
    median_low: float
    median_high: float


def step_errors(
    seconds: ArrayLike,
    predicted: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> StepErrors:
    """Return the mean and the median of |predicted / measured - 1|, with bootstrap intervals.

    `seconds` and `predicted`, shape (n,): measured and predicted, above 0. `groups`, shape (n,):
    steps of a group have similar errors (neighbours on a line of sizes): whole groups are drawn
    with replacement. Without it each step is a group, which makes the interval too narrow if
    neighbours have similar errors. `confidence`: of the percentile intervals, above 0 and below 1.
    `resamples`: how often groups are drawn again, 2 or more. Raises `ValueError` if a time isn't
    above 0, lengths differ, or there are fewer than two groups.

    >>> found = step_errors([1.0, 1.0, 2.0, 2.0], [1.1, 0.9, 2.4, 2.4], groups=[0, 0, 1, 1])
    >>> [round(value, 2) for value in found[:3]]
    [0.15, 0.1, 0.2]
    """
    measured = positive("seconds", sample("seconds", seconds))
    guess = positive("predicted", predicted)
    label = np.arange(measured.size) if groups is None else finite("groups", groups)
    if not measured.shape == guess.shape == label.shape:
        raise ValueError(
            f"predicted and groups must be of shape {measured.shape}, got {guess.shape} and "
            f"{label.shape}"
        )
    level = float(within("confidence", confidence, 0.01, 0.999))
    off = np.abs(guess / measured - 1)
    names, member = np.unique(label, return_inverse=True)
    if names.size < 2:
        raise ValueError(f"groups must be two or more, got {names.size}")
    rng = np.random.default_rng(seed)
    drawn = rng.integers(names.size, size=(whole("resamples", resamples, 2), names.size))
    weights = np.apply_along_axis(np.bincount, 1, drawn, minlength=names.size)
    sums, sizes = np.bincount(member, off), np.bincount(member)
    means = (weights @ sums) / (weights @ sizes)
    medians = [sample_quantile(off, 0.5, row[member]) for row in weights]
    tails = ((1 - level) / 2, (1 + level) / 2)
    ends = [*np.quantile(means, tails).tolist(), *np.quantile(medians, tails).tolist()]
    return StepErrors(float(off.mean()), ends[0], ends[1], float(np.median(off)), ends[2], ends[3])
