"""The interval of a mean error if both training rows and test rows were drawn at random.

Twenty draws of training rows, all tested on the same three machines, say much about the draws and
little about machines. Here the unit that varies is resampled as a whole: a machine, a mixture, or a
row if rows were drawn one by one.

>>> errors = [[0.1, 0.3, 0.2, 0.15, 0.2, 0.3, 0.2, 0.1, 0.1, 0.3]] * 2
>>> estimate, low, high = group_interval(errors, np.ones((2, 10)))
>>> round(estimate, 3), 0.1 < low < estimate < high < 0.35
(0.195, True)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from perfmodel.validation import Floats, finite, non_negative, whole, within

MIN_GROUPS = 10
"""Fewest units with an interval: with eight, only 90 to 92 % of intervals would cover."""
RESAMPLES = 1999
WIDER = 1.25
"""Factor by which intervals of differences are widened. The bootstrap's intervals are too narrow
far out in their tails: 7 to 15 % of contests of equals would have a loser."""


def group_interval(
    sums: ArrayLike, counts: ArrayLike, confidence: float = 0.95, seed: int = 0
) -> tuple[float, float, float]:
    """Return the mean over all answers and its interval, by a bootstrap of whole units.

    Parameters
    ----------
    sums : array_like, shape (s, g)
        Sum of errors (or of differences of errors) in each of s drawings on each of g units.
    counts : array_like, shape (s, g)
        Answers summed; 0 where a unit was not asked.
    confidence : float
        Of the interval, above 0 and below 1.
    seed : int
        Of the resamples.

    Returns
    -------
    tuple of float
        Mean, lower and upper end. NaN ends if fewer than ten units were tested: then the data say
        nothing about other units.

    Notes
    -----
    The bootstrap-t (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 12):
    units are drawn with replacement, and each resample's mean is divided by its own standard
    error, so that the few units with large errors are allowed for. Its quantiles multiply a
    standard error that counts units and drawings as in two-way clustering (Cameron, Gelbach and
    Miller, J. Business & Economic Statistics 29(2), 2011).
    """
    total, asked = finite("sums", sums), non_negative("counts", counts)
    if total.ndim != 2 or total.shape != asked.shape:
        raise ValueError(f"counts must have the shape {total.shape} of sums, got {asked.shape}")
    if asked.sum() == 0:
        raise ValueError("counts must be above 0 somewhere, got 0 everywhere")
    within("confidence", confidence, 1e-6, 1 - 1e-6)
    used = asked.sum(axis=0) > 0
    # A curve that is asked far from its rows may err by a factor whose square is beyond a float.
    size = float(np.abs(total).max()) or 1.0
    total, asked = total[:, used] / size, asked[:, used]
    mean = float(total.sum() / asked.sum())
    if used.sum() < MIN_GROUPS:
        return mean * size, np.nan, np.nan
    error = _standard_error((total - mean * asked) / asked.sum(), confidence)
    if error == 0:
        return mean * size, mean * size, mean * size
    left = (total - mean * asked).sum(axis=0)
    low, high = _studentised(left, asked.sum(axis=0), confidence, seed)
    return mean * size, (mean - high * error) * size, (mean - low * error) * size


def difference_interval(
    gaps: ArrayLike, counts: ArrayLike, pairs: int = 1
) -> tuple[float, float, float]:
    """Return a mean difference of errors and an interval that holds for all pairs together.

    `gaps` and `counts`, shape (s, g), are as for `group_interval`. Which of the `pairs` is best is
    known only afterwards, so the level is corrected for multiple comparisons (Bonferroni): it's
    95 % for all pairs together. The interval is also a quarter wider (`WIDER`, from simulated
    contests of equals: `benchmarks/contest_coverage.py`).

    >>> gaps = [[0.1, 0.3, 0.2, 0.15, 0.2, 0.3, 0.2, 0.1, 0.1, 0.3]] * 2
    >>> _, low, high = difference_interval(gaps, np.ones((2, 10)), pairs=6)
    >>> round(low, 2), round(high, 2)
    (0.07, 0.33)
    """
    confidence = 1 - 0.05 / whole("pairs", pairs, 1)
    mean, low, high = group_interval(gaps, counts, confidence)
    return mean, mean - WIDER * (mean - low), mean + WIDER * (high - mean)


def _standard_error(left: Floats, confidence: float) -> float:
    of_units, of_drawings = _variance(left.sum(axis=0)), _variance(left.sum(axis=1))
    both = float(np.sum(left**2))
    variance = max(of_units + of_drawings - both, of_units, of_drawings)
    if variance == 0 or len(left) < 2 or of_drawings == 0:
        return float(np.sqrt(variance))
    # Few drawings: Student's quantile for their share of the variance (Satterthwaite's freedom).
    freedom = (len(left) - 1) * ((of_units + of_drawings) / of_drawings) ** 2
    tail = (1 + confidence) / 2
    return float(np.sqrt(variance) * stats.t.ppf(tail, freedom) / stats.norm.ppf(tail))


def _variance(parts: Floats) -> float:
    return float(np.sum(parts**2) * parts.size / max(parts.size - 1, 1))


def _studentised(left: Floats, counts: Floats, confidence: float, seed: int) -> tuple[float, float]:
    """Return the quantiles of a resample's mean over its standard error.

    `left` are the sums of the units less those of the mean, which would cancel in the squares.
    """
    units = left.size
    weights = np.random.default_rng(seed).multinomial(units, [1 / units] * units, RESAMPLES)
    asked = weights @ counts
    means = weights @ left / asked
    # The squares of what is left of each unit about the resample's own mean, without a loop.
    squares = weights @ left**2 - 2 * means * (weights @ (left * counts))
    squares += means**2 * (weights @ counts**2)
    errors = np.sqrt(np.maximum(squares, 0) * units / (units - 1)) / asked
    # Where all units drawn are equal the squares cancel to their rounding, a root of about 1e-8.
    good = errors > 1e-6 * errors.max()
    ratios = means[good] / errors[good]
    tail = (1 - confidence) / 2
    low, high = np.quantile(ratios, [tail, 1 - tail])
    return float(low), float(high)
