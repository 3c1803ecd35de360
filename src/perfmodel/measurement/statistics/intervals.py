"""Intervals: how far a statistic of a sample can be trusted."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from perfmodel.measurement.statistics.quantiles import sample_quantile
from perfmodel.validation import Floats, positive, sample

RESAMPLES = 2000
_SAME = 1e-9
"""Relative difference of two probabilities that counts as rounding."""


def bootstrap_interval(
    values: ArrayLike,
    statistic: Callable[..., Any] = np.median,
    confidence: float = 0.95,
    method: str = "percentile",
) -> tuple[float, float]:
    """Return a bootstrap interval of a statistic of one sample, by `scipy.stats.bootstrap`.

    Raises `ValueError` if there are fewer than two values, a resample has no finite statistic, or
    BCa is asked for and the statistic lies beyond those of all resamples.

    Parameters
    ----------
    values : array_like, shape (n,)
        Two or more.
    statistic : callable
        Takes an array and `axis`: `numpy.median`, `numpy.mean`. Not `numpy.min`, which no
        bootstrap describes, since no resample goes below the sample.
    confidence : float
        Level of the interval, above 0 and below 1.
    method : {'percentile', 'BCa', 'basic'}
        BCa is better for means; for a median its correction, a jackknife, knows two values only.
        Where leaving out any one value doesn't change the statistic, the correction is 0.

    Examples
    --------
    >>> bootstrap_interval([1.0, 1.0, 1.0])
    (1.0, 1.0)
    """
    data = sample("values", values, at_least=2)
    if np.ptp(data) == 0:
        return float(data[0]), float(data[0])
    level = check_level(confidence)

    def of_floats(values: Floats, axis: int) -> Floats:
        return np.asarray(statistic(values, axis=axis), dtype=np.float64)

    with np.errstate(invalid="ignore", divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", scipy.stats.DegenerateDataWarning)
        result = scipy.stats.bootstrap(
            (data,),
            of_floats,
            confidence_level=level,
            n_resamples=RESAMPLES,
            method=method,
            batch=max(1, 2_000_000 // data.size),
            random_state=np.random.default_rng(0),
        )
    if not np.isfinite(result.bootstrap_distribution).all():
        raise ValueError("statistic must be finite on every resample of values")
    if method == "BCa":
        return _corrected(result, float(of_floats(data, axis=0)), level)
    return float(result.confidence_interval.low), float(result.confidence_interval.high)


def _corrected(found: Any, value: float, level: float) -> tuple[float, float]:
    """Return SciPy's BCa interval, or BC where the jackknife doesn't vary and leaves SciPy nan."""
    ends, samples = found.confidence_interval, found.bootstrap_distribution
    shift = scipy.special.ndtri(((samples < value).mean() + (samples <= value).mean()) / 2)
    if not np.isfinite(shift):
        raise ValueError(
            f"statistic must lie among those of the resamples for BCa, got {value:g} beyond all"
        )
    if np.isfinite([ends.low, ends.high]).all():
        return float(ends.low), float(ends.high)
    tails = scipy.special.ndtri([(1 - level) / 2, (1 + level) / 2])
    low, high = sample_quantile(samples, scipy.special.ndtr(2 * shift + tails))
    return float(low), float(high)


def percentile_interval(samples: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval between two percentiles of resampled values, which may be infinite.

    >>> percentile_interval([*range(40), np.inf])
    (1.0, 39.0)
    """
    tail = (1 - check_level(confidence)) / 2
    low, high = sample_quantile(samples, [tail, 1 - tail])
    return float(low), float(high)


def median_interval(values: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
    """Return the distribution-free interval of the median of `values`, two order statistics.

    Its coverage is at least `confidence` for independent samples of any continuous distribution;
    too few samples, below 6 at 95 %, give (-inf, inf).

    >>> median_interval(range(1, 11))
    (2.0, 9.0)
    """
    ordered = np.sort(sample("values", values))
    tail = (1 - check_level(confidence)) / 2
    # The binomial quantile by its sums: scipy.stats has it too, but takes a second to load.
    sums = scipy.special.bdtr(np.arange(ordered.size + 1), ordered.size, 0.5)
    rank = int(np.searchsorted(sums, tail * (1 + _SAME), side="right"))
    if rank < 1:
        return -inf, inf
    return float(ordered[rank - 1]), float(ordered[ordered.size - rank])


def hodges_lehmann(values: ArrayLike) -> float:
    """Return the median of the means of all pairs of `values`, which outliers hardly move.

    >>> hodges_lehmann([1.0, 2.0, 3.0, 100.0])
    2.75
    """
    return float(np.median(_walsh(sample("values", values))))


def signed_rank_interval(values: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval of a symmetric distribution's centre, by Wilcoxon's signed-rank test.

    It covers with at least the `confidence`, exactly so up to 50 `values` and in the normal limit
    above, and is (-inf, inf) when there are too few, below 6 at 95 %.

    Examples
    --------
    >>> signed_rank_interval([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    (1.0, 6.0)
    """
    data = sample("values", values)
    means = _walsh(data)
    cut = _signed_rank_cut(data.size, (1 - check_level(confidence)) / 2)
    if cut < 0:
        return -inf, inf
    return float(means[cut]), float(means[means.size - 1 - cut])


def geometric_mean_interval(
    values: ArrayLike, confidence: float = 0.95
) -> tuple[float, float, float]:
    """Return the geometric mean of a sample of positive numbers, and its interval.

    Student's t at the level `confidence` on the logarithms of `values`, two or more.

    >>> [round(end, 3) for end in geometric_mean_interval([1.0, 1.0, 1.0])]
    [1.0, 1.0, 1.0]
    """
    logs = np.log(positive("values", sample("values", values, at_least=2)))
    quantile = scipy.special.stdtrit(logs.size - 1, (1 + check_level(confidence)) / 2)
    error = quantile * logs.std(ddof=1) / np.sqrt(logs.size)
    middle = logs.mean()
    return float(np.exp(middle)), float(np.exp(middle - error)), float(np.exp(middle + error))


def _walsh(values: Floats) -> Floats:
    rows, columns = np.triu_indices(values.size)
    return np.sort((values[rows] + values[columns]) / 2)


def _signed_rank_cut(count: int, tail: float) -> int:
    """Return the largest w with P(W <= w) at most `tail`, or -1."""
    if count > 50:
        middle, spread = count * (count + 1) / 4, count * (count + 1) * (2 * count + 1) / 24
        return int(np.floor(middle - 0.5 + scipy.special.ndtri(tail) * np.sqrt(spread)))
    ways = np.ones(1)
    for rank in range(1, count + 1):
        longer = np.zeros(ways.size + rank)
        longer[: ways.size] += ways / 2
        longer[rank:] += ways / 2
        ways = longer
    return int(np.searchsorted(np.cumsum(ways), tail * (1 + _SAME), side="right")) - 1


def prediction_interval(values: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
    """Return the prediction interval: where one more value like these, all above 0, lies.

    An interval of the mean narrows with every value; what the next one does is not known any better
    for that. Student's t on logarithms, as for `geometric_mean_interval`, with the scatter of the
    next value added to that of the mean.

    >>> [round(end, 3) for end in prediction_interval([9.0, 10.0, 11.0, 10.0])]
    [7.451, 13.353]
    """
    logs = np.log(positive("values", sample("values", values, at_least=2)))
    quantile = scipy.special.stdtrit(logs.size - 1, (1 + check_level(confidence)) / 2)
    half = quantile * logs.std(ddof=1) * np.sqrt(1 + 1 / logs.size)
    return float(np.exp(logs.mean() - half)), float(np.exp(logs.mean() + half))


def check_level(confidence: float) -> float:
    """Return a level of confidence, refusing one that is not between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be above 0 and below 1, got {confidence!r}")
    return float(confidence)
