"""Intervals: how far a statistic of a sample can be trusted."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from perfmodel.validation import sample

RESAMPLES = 2000


def bootstrap_interval(
    values: ArrayLike,
    statistic: Callable[..., Any] = np.median,
    confidence: float = 0.95,
    method: str = "percentile",
) -> tuple[float, float]:
    """Return a bootstrap interval of a statistic of one sample, by `scipy.stats.bootstrap`.

    Parameters
    ----------
    values : array_like, shape (n,)
        Two or more.
    statistic : callable
        Takes an array and `axis`: `numpy.median`, `numpy.mean`. Not `numpy.min`, which no
        bootstrap describes, since no resample goes below the sample.
    confidence : float
    method : {'percentile', 'BCa', 'basic'}
        BCa is better for means; for a median its correction, a jackknife, knows two values only.

    Returns
    -------
    (float, float)

    Examples
    --------
    >>> bootstrap_interval([1.0, 1.0, 1.0])
    (1.0, 1.0)
    """
    data = sample("values", values, at_least=2)
    if np.ptp(data) == 0:
        return float(data[0]), float(data[0])
    found = stats.bootstrap(
        (data,),
        statistic,
        confidence_level=check_level(confidence),
        n_resamples=RESAMPLES,
        method=method,
        batch=max(1, 2_000_000 // data.size),
        random_state=np.random.default_rng(0),
    ).confidence_interval
    return float(found.low), float(found.high)


def median_interval(values: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
    """Return the distribution-free interval of a median from two order statistics.

    Its coverage is at least `confidence` for independent samples of any continuous law; too few
    samples, below 6 at 95 %, give (-inf, inf).

    >>> median_interval(range(1, 11))
    (2.0, 9.0)
    """
    ordered = np.sort(sample("values", values))
    rank = int(stats.binom.ppf((1 - check_level(confidence)) / 2, ordered.size, 0.5))
    if rank < 1:
        return -inf, inf
    return float(ordered[rank - 1]), float(ordered[ordered.size - rank])


def check_level(confidence: float) -> float:
    """Return a level of confidence, refusing one that is not between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be above 0 and below 1, got {confidence!r}")
    return float(confidence)
