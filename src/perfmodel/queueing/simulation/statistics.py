"""From a simulated series to a mean with an interval: warm-up, batches, autocorrelation, quantiles.

A queue remembers: neighbouring response times are similar, so the usual standard error is far too
small. Batches long enough to be independent give an honest one. A series that looks too short for
that gets an infinite interval. The look of a short run deceives, which is why `run_length` refuses
most of them by the laws of the network before anything is seen.

>>> waits = np.concatenate([np.full(100, 7.0), np.tile([1.0, 2, 3, 2, 1, 2, 1], 100)])
>>> mser5(waits)
100
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.measurement.statistics.quantiles import (
    between,
    quantile_positions,
    sample_quantile,
)
from perfmodel.queueing.simulation.selection import Ordered
from perfmodel.validation import Floats, at_most, one_number, sample, whole, within

BATCHES = 20
"""Batches of an interval."""
USUAL_QUANTILE = 2.0930240544083087
"""Student's, of a 95 % interval from `BATCHES` means: a fresh process needn't load SciPy for it."""
ENOUGH = 100
"""Independent observations, in effect, below which a run is too short for an interval."""


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """A simulated value and its confidence interval; arrays of one shape.

    >>> Estimate(np.array(2.0), np.array(1.75), np.array(2.5))
    2 in [1.75, 2.5]
    >>> Estimate(np.array([2.0, 3.0]), np.array([1.75, -np.inf]), np.array([2.5, np.inf]))
    [2 in [1.75, 2.5], 3 (run too short)]
    """

    value: Floats
    low: Floats
    high: Floats
    effective_size: Floats = field(default_factory=lambda: np.array(np.inf))
    """Independent observations that it is worth, in effect; infinite where that is not known."""

    def without_interval(self, where: np.ndarray) -> Estimate:
        """Return the same with infinite intervals at the places that are true in `where`."""
        low, high = np.where(where, -np.inf, self.low), np.where(where, np.inf, self.high)
        return Estimate(self.value, low, high, self.effective_size)

    @property
    def half_width(self) -> Floats:
        """The larger distance from the value to an end of the interval."""
        return np.asarray(np.maximum(self.high - self.value, self.value - self.low))

    @property
    def too_short(self) -> np.ndarray:
        """Where the run was too short for an interval, which is then infinite."""
        return np.isinf(self.high)

    def covers(self, truth: ArrayLike) -> np.ndarray:
        """Return where the interval contains `truth`; an infinite one says nothing and doesn't."""
        value = np.asarray(truth, dtype=np.float64)
        known = np.isfinite(self.low) & np.isfinite(self.high)
        return np.asarray(known & (self.low <= value) & (value <= self.high))

    def __str__(self) -> str:
        parts = np.broadcast_arrays(self.value, self.low, self.high)
        texts = list(map(_in_words, *(part.ravel().tolist() for part in parts)))
        shown = np.array(texts, dtype=object).reshape(parts[0].shape)
        if not self.value.ndim:
            return texts[0]
        return np.array2string(shown, separator=", ", threshold=50, formatter={"all": str})

    __repr__ = __str__


def _in_words(value: float, low: float, high: float) -> str:
    if np.isinf(high):
        return f"{value:.6g} (run too short)"
    return f"{value:.6g} in [{low:.6g}, {high:.6g}]"


def mser5(series: ArrayLike) -> int:
    """Return how many observations at the start to drop as warm-up, by MSER-5.

    The mean of the remaining observations, in batches of five, gets the least squared standard
    error that can be had by dropping up to half of the batches.

    Parameters
    ----------
    series : array_like, shape (observations,)
        In the order of time; a rest beyond the last full batch of five is ignored.

    Returns
    -------
    int
        A multiple of 5; the smallest on ties.

    References
    ----------
    K. P. White, Simulation 69(6), 1997; S. C. Spratt, thesis, University of Virginia, 1998.
    """
    x = _series(series, at_least=5)
    batches = x[: x.size // 5 * 5].reshape(-1, 5) @ np.full(5, 0.2)
    batches -= batches.mean()
    half = batches.size // 2
    head, tail = batches[:half], batches[half:]
    left = np.arange(batches.size, batches.size - half - 1, -1, dtype=np.float64)
    total = tail.sum() + np.append(head[::-1].cumsum()[::-1], 0.0)
    squares = tail @ tail + np.append((head * head)[::-1].cumsum()[::-1], 0.0)
    error = np.maximum(squares - total * total / left, 0) / (left * left)
    return 5 * int(np.argmax(error <= error.min() * (1 + 1e-12)))


def _series(series: ArrayLike, at_least: int) -> Floats:
    x = sample("series", series, at_least)
    at_most("size of series", np.abs(x).max(), 1e100)
    return x


def batch_means(series: ArrayLike, batches: int = BATCHES, confidence: float = 0.95) -> Estimate:
    """Return the mean of a series with Student's interval from the means of equal batches.

    Parameters
    ----------
    series : array_like, shape (observations,)
        Without its warm-up; the first few are dropped where the batches do not fit.
    batches : int
        Into how many the series is cut, 2 or more.
    confidence : float
        Of the interval.

    Returns
    -------
    Estimate
        Shape ().

    Examples
    --------
    >>> print(batch_means([1.0, 3.0, 2.0, 4.0, 3.0, 5.0], batches=3))
    3 in [0.515862, 5.48414]
    """
    count = whole("batches", batches, low=2)
    x = _series(series, at_least=count)
    means = x[x.size % count :].reshape(count, -1).mean(axis=1)
    return of_replications(means, confidence)


def of_replications(values: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Return the mean over axis 0 of independent values, with Student's interval.

    >>> print(of_replications([1.0, 2.0, 3.0]))
    2 in [-0.484138, 4.48414]
    """
    x = np.asarray(values, dtype=np.float64)
    half = _quantile(confidence, x.shape[0] - 1) * x.std(axis=0, ddof=1) / np.sqrt(x.shape[0])
    mean = np.asarray(x.mean(axis=0))
    return Estimate(mean, np.asarray(mean - half), np.asarray(mean + half))


def ratio(numerator: Floats, denominator: Floats, confidence: float = 0.95) -> Estimate:
    """Return sum(numerator) / sum(denominator) over axis 0, with an interval from batches of rows.

    `numerator` and `denominator`, shape (rows, ...), are what was added up in successive stretches
    of a run, such as response times and departures. The estimate has shape (...). Its interval
    allows for correlation of neighbouring batches and for their skewness; it is infinite if the
    rows are worth fewer than `ENOUGH` independent ones, or if nothing was seen. Where the rows hold
    few memories of their series, those that look worth more are the calm ones: of the intervals
    given to series truly worth 60, 30 % miss. Source: R. Willink, Communications in Statistics
    34(12), 2005 (skewness); A. Tafazzoli, J. R. Wilson, IIE Transactions 43(2), 2011 (correlation
    of batches); F. H. C. Marriott, J. A. Pope, Biometrika 41, 1954 (its bias).
    """
    total = denominator.sum(axis=0)
    value = np.divide(numerator.sum(axis=0), total, out=np.zeros(total.shape), where=total > 0)
    if len(numerator) < BATCHES:
        return _of_too_few(value)
    errors = numerator - value * denominator
    worth = effective_size(errors)
    rows = len(errors) // BATCHES
    batch = errors[len(errors) - rows * BATCHES :]
    batch = batch.reshape(BATCHES, rows, *value.shape).sum(axis=1)
    scale = np.where(total > 0, total / len(errors) * rows, 1.0)
    low, high, deviation = _skewed(batch / scale, confidence)
    varies = deviation > 1e-12 * np.abs(value)
    short = (varies & (worth < ENOUGH)) | (total == 0)
    known = np.where(varies | (total == 0), np.minimum(worth, total), np.inf)
    return Estimate(value, value + low, value + high, known).without_interval(short)


def effective_size(errors: Floats) -> Floats:
    """Return how many independent values the rows of a series are worth, over axis 0.

    The sum of autocorrelations is cut off where that of a pair of lags first falls below zero.

    Source: C. J. Geyer, Statistical Science 7(4), 1992, initial positive sequence.
    """
    rows = len(errors)
    centred = errors - errors.mean(axis=0)
    spectrum = np.fft.rfft(centred, 1 << (2 * rows - 1).bit_length(), axis=0)
    cover = np.fft.irfft(np.abs(spectrum) ** 2, axis=0)[: rows // 2 * 2]
    variance = np.where(cover[0] > 0, cover[0], 1.0)
    pairs = (cover[0::2] + cover[1::2]) / variance
    positive = np.logical_and.accumulate(pairs > 0, axis=0)
    return np.asarray(rows / np.maximum(2 * (pairs * positive).sum(axis=0) - 1, 1.0))


def quantiles(
    series: Floats, bounds: np.ndarray, levels: Floats, confidence: float = 0.95
) -> Estimate:
    """Return quantiles of a series, with intervals from how the share below each one varies.

    `series`, shape (observations,). `bounds`, shape (rows + 1,): where in the series each stretch
    of the run begins, and the last one ends. `levels`: between 0 and 1. Shape (levels,).
    """
    inside = series[bounds[0] : bounds[-1]]
    if inside.size < BATCHES:
        value = sample_quantile(inside, levels) if inside.size else np.zeros(levels.size)
        return _of_too_few(value)
    ordered = Ordered(inside)
    value = _at(ordered, levels, inside.size)
    counts = np.diff(bounds).astype(np.float64)
    below = ordered.below(bounds - bounds[0], value)
    share = ratio(below, np.repeat(counts[:, None], levels.size, axis=1), confidence)
    low, high = (
        _at(ordered, np.clip(np.nan_to_num(levels + end - share.value), 0, 1), inside.size)
        for end in (share.low, share.high)
    )
    return Estimate(value, low, high, share.effective_size).without_interval(share.too_short)


def _of_too_few(value: Floats) -> Estimate:
    low, high, worth = (np.full(value.shape, end) for end in (-np.inf, np.inf, 0.0))
    return Estimate(value, low, high, worth)


def _at(ordered: Ordered, levels: Floats, size: int) -> Floats:
    rank, fraction = quantile_positions(levels, size)
    lower, upper = ordered.at(rank), ordered.at(np.minimum(rank + 1, size - 1))
    return between(lower, upper, fraction)


def _skewed(batch: Floats, confidence: float) -> tuple[Floats, Floats, Floats]:
    """Return the ends of the interval of a mean of 0, and its standard error."""
    count = len(batch)
    centred = batch - batch.mean(axis=0)
    squares = (centred**2).sum(axis=0)
    safe = np.where(squares > 0, squares, 1.0)
    near = (centred[1:] * centred[:-1]).sum(axis=0) / safe
    near = np.clip((near + 1 / count) / (1 - 4 / count), 0, 0.9)
    error = np.sqrt(squares / (count - 1) / count * (1 + near) / (1 - near))
    skewness = (centred**3).mean(axis=0) / (safe / count) ** 1.5
    shift = skewness / (6 * np.sqrt(count))
    shift = np.where(np.abs(shift) < 1e-6, 1e-6, shift)
    t = _quantile(confidence, count - 1)
    ends = [-(np.cbrt(1 + 6 * shift * (z - shift)) - 1) / (2 * shift) for z in (t, -t)]
    return ends[0] * error, ends[1] * error, error


def _quantile(confidence: float, freedom: int) -> float:
    """Return the two-sided quantile of Student's t."""
    one_number("confidence", confidence, partial(within, low=0.5, high=0.9999))
    if (confidence, freedom) == (0.95, BATCHES - 1):
        return USUAL_QUANTILE
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + confidence / 2))
