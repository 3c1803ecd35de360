"""The ratio of two noisy timings, and its distribution for a program timed against itself.

A timing is the true time times exp(noise Z) with Z standard normal, which is never negative and
skewed to the right, as timings are. Then the ratio of two is log-normal as well, its mean is above
the true ratio, and a score that counts every slowdown as 1 is above it further.

Source: the null experiment of A. Shypula and others, "Learning performance-improving code edits",
ICLR 2024; the log-normal distribution of J. Aitchison, J. A. C. Brown, "The lognormal
distribution", Cambridge University Press, 1957.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, expm1, log, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from perfmodel.benchmarking.means import clamped_ratios
from perfmodel.benchmarking.proportions import proportion_interval
from perfmodel.measurement.statistics.intervals import geometric_mean_interval
from perfmodel.queueing.simulation.statistics import Estimate
from perfmodel.validation import Floats, non_negative, positive, sample, whole

MAX_REPEATS = 10**12
"""Repeats of a timing beyond which `repeats_needed` gives up."""


@dataclass(frozen=True)
class TimingRatio:
    """Old time over new time, each the geometric mean of some repeats, for a true speed-up.

    >>> twins = TimingRatio(noise=0.25)
    >>> round(twins.mean, 3), round(twins.mean_of_clamped(), 3)
    (1.064, 1.179)
    >>> round(twins.probability_above(1.1), 3)
    0.394
    """

    noise: float
    """Standard deviation of the logarithm of one timing, 0 or more; 0.1 is about 10 %."""
    speedup: float = 1.0
    """True old time over true new time, above 0; 1 for a program against itself."""
    repeats: int = 1
    """Timings that each of the two is the geometric mean of, 1 or more."""

    def __post_init__(self) -> None:
        """Refuse noise, speed-up or repeats that cannot be."""
        non_negative("noise", self.noise)
        positive("speedup", self.speedup)
        whole("repeats", self.repeats, 1)

    @property
    def log_deviation(self) -> float:
        """Standard deviation of the ratio's logarithm, noise sqrt(2 / repeats)."""
        return self.noise * sqrt(2 / self.repeats)

    @property
    def mean(self) -> float:
        """Mean of the ratio, speed-up times exp(spread^2 / 2): above the speed-up."""
        return self.speedup * exp(self.log_deviation**2 / 2)

    @property
    def standard_deviation(self) -> float:
        """That of the ratio."""
        return self.mean * sqrt(expm1(self.log_deviation**2))

    def quantile(self, probability: ArrayLike) -> Floats:
        """Return the ratio that a `probability` of all ratios, 0 to 1, stays below."""
        return np.asarray(self.speedup * np.exp(self.log_deviation * stats.norm.ppf(probability)))

    def probability_above(self, threshold: float) -> float:
        """Return the chance of a ratio of `threshold` or more, above 0: a "success" of 1.1 or more.

        Of a program against itself it is the share of false successes.
        """
        distance = log(float(positive("threshold", threshold)) / self.speedup)
        if self.log_deviation == 0:
            return float(distance <= 0)
        return float(stats.norm.sf(distance / self.log_deviation))

    def mean_of_clamped(self, floor: float = 1.0) -> float:
        """Return the mean of the larger of the ratio and a `floor`, above 0.

        With d = ln(speedup / floor) / spread: floor times Phi(-d) plus mean times Phi(d + spread).
        """
        low = float(positive("floor", floor))
        if self.log_deviation == 0:
            return max(low, self.speedup)
        d = log(self.speedup / low) / self.log_deviation
        return float(low * stats.norm.cdf(-d) + self.mean * stats.norm.cdf(d + self.log_deviation))

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Return `count` ratios of fresh timings, drawn by `rng`, shape (count,)."""
        logs = rng.normal(log(self.speedup), self.log_deviation, whole("count", count, 1))
        return np.asarray(np.exp(logs))


def noise_of_ratios(ratios: ArrayLike) -> float:
    """Return the noise of one timing, from `ratios` of two timings of one program each.

    The standard deviation of their logarithms over the root of 2. It is taken about their mean: a
    program that is slower when it runs first is a bias and no noise.

    Examples
    --------
    >>> round(noise_of_ratios([0.9, 1.0, 1.0, 1.1]), 3)
    0.058
    """
    logs = np.log(positive("ratios", sample("ratios", ratios, 2)))
    return float(logs.std(ddof=1) / sqrt(2))


def repeats_needed(noise: float, threshold: float, probability: float) -> int:
    """Return the repeats of each timing, 1 or more, that keep false successes rare.

    The `noise` is of one timing, as in `TimingRatio`, the `threshold` the ratio above which a
    change counts as a success, and `probability` the fraction of programs timed against themselves
    that may pass it. Raises `ValueError` if `MAX_REPEATS` are not enough.

    Examples
    --------
    >>> repeats_needed(0.10, threshold=1.1, probability=0.01)
    12
    """
    limit, error = float(threshold), float(non_negative("noise", noise))
    if not 1 < limit < np.inf:
        raise ValueError(f"threshold must be above 1 and finite, got {threshold!r}")
    if not 0 < probability < 0.5:
        raise ValueError(f"probability must be above 0 and below 0.5, got {probability!r}")
    roots = float(stats.norm.isf(probability)) * error * sqrt(2) / log(limit)
    if roots > sqrt(MAX_REPEATS):
        raise ValueError(
            f"noise must be smaller compared with the threshold: it needs over {MAX_REPEATS:.0e} "
            f"repeats, got {noise!r} for {threshold!r}"
        )
    return max(1, ceil(roots**2 * (1 - 1e-12)))


@dataclass(frozen=True, eq=False)
class RatioSummary:
    """A report on many ratios of old to new time, each number with its interval."""

    mean: Estimate
    """Arithmetic mean."""
    clamped_mean: Estimate
    """Arithmetic mean of the larger of ratio and 1, which can't be below 1."""
    geometric_mean: Estimate
    passed: Estimate
    """Share of ratios at or above the threshold, with Wilson's interval."""
    standard_deviation: float
    percentile_95: float


def summarize_ratios(
    ratios: ArrayLike, threshold: float = 1.1, confidence: float = 0.95
) -> RatioSummary:
    """Return the `RatioSummary` of measured ratios, with Student's intervals of means.

    The `ratios` are old time over new time of independent pairs; one of the `threshold` or more
    counts as a success. Intervals have the `confidence` level.

    Examples
    --------
    >>> twins = TimingRatio(noise=0.25).draw(500, np.random.default_rng(0))
    >>> summary = summarize_ratios(twins)
    >>> bool(summary.geometric_mean.covers(1.0)), bool(summary.clamped_mean.low > 1.1)
    (True, True)
    """
    data = positive("ratios", sample("ratios", ratios, 2))
    above = int(np.sum(data >= float(positive("threshold", threshold))))
    ends = proportion_interval(above, data.size, confidence=confidence)
    return RatioSummary(
        mean=_mean(data, confidence),
        clamped_mean=_mean(clamped_ratios(data, 1.0), confidence),
        geometric_mean=_estimate(*geometric_mean_interval(data, confidence)),
        passed=_estimate(above / data.size, *map(float, ends)),
        standard_deviation=float(data.std(ddof=1)),
        percentile_95=float(np.quantile(data, 0.95)),
    )


def _mean(values: Floats, confidence: float) -> Estimate:
    middle, error = float(values.mean()), float(stats.sem(values))
    reach = float(stats.t.ppf((1 + confidence) / 2, values.size - 1)) * error
    return _estimate(middle, middle - reach, middle + reach)


def _estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(np.asarray(value), np.asarray(low), np.asarray(high))
