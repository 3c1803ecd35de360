"""How wrong a predictor is: each measure with its exact definition.

`actual` and `predicted` have the same shape (n,); `actual` is above 0, except in `coverage`. Errors
are shares: 0.1 is 10 %.

>>> actual, predicted = [1.0, 10.0, 100.0], [1.5, 12.0, 100.0]
>>> round(mape(actual, predicted), 3), round(median_ape(actual, predicted), 3)
(0.233, 0.2)
>>> round(r2(actual, predicted), 4)
0.9993
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from perfmodel.measurement.statistics.intervals import check_level
from perfmodel.validation import Floats, finite, positive, sample


def mape(actual: ArrayLike, predicted: ArrayLike) -> float:
    """Mean absolute percentage error, as a fraction: mean of |predicted - actual| / actual.

    It punishes a prediction that is too high without limit and one that is too low by 1 at most, so
    a model fitted to it errs on the low side. Each `actual` value is above 0, as for the other
    errors.
    """
    y, guess = _pair(actual, predicted)
    return float(np.mean(np.abs(guess - y) / y))


def median_ape(actual: ArrayLike, predicted: ArrayLike) -> float:
    """Median of |predicted - actual| / actual: what the middle prediction errs by."""
    y, guess = _pair(actual, predicted)
    return float(np.median(np.abs(guess - y) / y))


def log_error(actual: ArrayLike, predicted: ArrayLike) -> float:
    """Mean of |ln(predicted / actual)|: twice as long and half as long count equally.

    Infinite where a prediction is 0 or less.
    """
    y, guess = _pair(actual, predicted)
    if (guess <= 0).any():
        return np.inf
    return float(np.mean(np.abs(np.log(guess / y))))


def r2(actual: ArrayLike, predicted: ArrayLike) -> float:
    """Coefficient of determination: 1 - sum (actual - predicted)^2 / sum (actual - mean)^2.

    The largest runs decide it: over five decades of seconds a model may be wrong by a third
    everywhere and have 0.99. Never quote it alone. Raises `ValueError` if all actual values are the
    same.
    """
    y, guess = _pair(actual, predicted)
    if np.ptp(y) == 0:
        raise ValueError("actual must have two different values or more for R2")
    wrong, away = (y - guess) / np.ptp(y), (y - y.mean()) / np.ptp(y)
    return 1 - float(np.sum(wrong**2) / np.sum(away**2))


def spearman(actual: ArrayLike, predicted: ArrayLike) -> float:
    """Spearman's rank correlation of actual and predicted; 0 where all predictions are the same."""
    y, guess = _pair(actual, predicted)
    if np.ptp(guess) == 0 or np.ptp(y) == 0:
        return 0.0
    return float(stats.spearmanr(y, guess).statistic)


def coverage(actual: ArrayLike, low: ArrayLike, high: ArrayLike) -> float:
    """Fraction of the actual values that lie in their prediction intervals [low, high]."""
    y, bottom = _pair(actual, low, finite)
    _, top = _pair(actual, high, finite)
    if (bottom > top).any():
        raise ValueError("low must be at most high in every row")
    return float(np.mean((bottom <= y) & (y <= top)))


def mean_interval(values: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
    """Return Student's t interval of the mean of independent scores, one a seed.

    It holds for further seeds only. It is for seeds that are all that varies: each draws another
    simulated world, or the few rows learned from, where the rows asked for are many and stay the
    same. Where machines, networks or programs vary, few of them for many seeds, take
    `perfmodel.prediction.arena.intervals.group_interval`.

    Parameters
    ----------
    values : array_like, shape (n,)
        Two or more.
    confidence : float
        Of the interval, above 0 and below 1.

    Examples
    --------
    >>> low, high = mean_interval([0.10, 0.12, 0.11, 0.13])
    >>> round(low, 3), round(high, 3)
    (0.094, 0.136)
    """
    scores = sample("values", values, 2)
    tail = (1 + check_level(confidence)) / 2
    half = float(stats.sem(scores)) * float(stats.t.ppf(tail, scores.size - 1))
    return float(scores.mean()) - half, float(scores.mean()) + half


def _pair(
    actual: ArrayLike, predicted: ArrayLike, check: Callable[[str, ArrayLike], Floats] = positive
) -> tuple[Floats, Floats]:
    y, guess = check("actual", actual), finite("predicted", predicted)
    if y.ndim != 1 or y.size == 0 or y.shape != guess.shape:
        raise ValueError(
            f"predicted must have the shape (n,) of actual, got {guess.shape} for {y.shape}"
        )
    return y, guess
