"""Two stored runs compared: is B faster, from samples that lie in files.

The times of B are taken as those of A times a factor. Its interval inverts the rank test of Mann
and Whitney on the logarithms, so that a few pauses don't move it. Means and medians are given as
well. What two files can't show is a drift of the machine between the two runs.

Source: J. L. Hodges and E. L. Lehmann, "Estimates of location based on rank tests", Annals of
Mathematical Statistics 34(2), 1963.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, floor, inf, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from perfmodel.measurement.statistics.hypothesis_tests import welch
from perfmodel.measurement.statistics.intervals import RESAMPLES, check_level, percentile_interval
from perfmodel.measurement.statistics.noise import Finding, dependence, drift
from perfmodel.measurement.statistics.trend import effective_sample_size, theil_sen_slope
from perfmodel.validation import Floats, non_negative, positive, sample, whole

_EXACT = 30
"""Samples of the larger run up to which the rank test's distribution is computed exactly."""
_FEW_PAIRS = 4_000_000
"""Pairs whose differences are all looked at; those of more are counted in halvings."""
_HALVINGS = 60


@dataclass(frozen=True, eq=False)
class StoredComparison:
    """The ratio of times of two stored runs, B over A."""

    ratio: float
    """Hodges-Lehmann estimate: the median of all ratios of a time of B over a time of A."""
    interval: tuple[float, float]
    """By ranks; (0, inf) if the samples are too few."""
    p_ranks: float
    """Of the rank test that the ratio is 1; as independent as the samples are."""
    median_ratio: float
    median_interval: tuple[float, float]
    """By the bootstrap."""
    mean_ratio: float
    mean_interval: tuple[float, float]
    """By the delta method on its logarithm; never below 0."""
    p_means: float
    """Of Welch's test that the means are equal; 1 if neither run varies and both agree."""
    findings: tuple[tuple[Finding, Finding], tuple[Finding, Finding]]
    """Drift and dependence within A, and within B."""
    effective_sizes: tuple[float, float]
    """Independent samples that each run is worth."""
    confidence: float


def compare_samples(a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95) -> StoredComparison:
    """Compare two stored runs of times by ranks, and give their medians and means.

    The times `a` and `b` are above 0, in one common unit, in the order taken. Samples that resemble
    their neighbours count as the independent samples that they are worth, which widens the
    interval. Returns a `StoredComparison` with intervals of the `confidence` level.

    Examples
    --------
    >>> old, new = [10.0, 10.1, 10.2, 10.3, 10.4], [9.0, 9.1, 9.2, 9.3, 90.0]
    >>> found = compare_samples(old, new)
    >>> round(found.ratio, 3), found.interval[1] < 1, found.mean_interval[1] < 1
    (0.902, False, False)
    """
    x, y = positive("a", sample("a", a, 2)), positive("b", sample("b", b, 2))
    level = check_level(confidence)
    findings = (drift(x), dependence(x)), (drift(y), dependence(y))
    worth = _worth(x, findings[0]), _worth(y, findings[1])
    logs = np.sort(np.log(x)), np.sort(np.log(y))
    # Of dependent samples, the variance of the rank statistic grows as that of a mean does.
    growth = max(1.0, x.size / worth[0], y.size / worth[1])
    pairs = x.size * y.size
    middle = sum(_ordered_difference(*logs, k) for k in ((pairs - 1) // 2, pairs // 2)) / 2
    cut = _cut(x.size, y.size, (1 - level) / 2, growth)
    low, high = 0.0, inf
    if cut >= 0:
        low, high = (exp(_ordered_difference(*logs, k)) for k in (cut, pairs - 1 - cut))
    summaries = [(float(z.mean()), float(z.std(ddof=1)), z.size) for z in (x, y)]
    return StoredComparison(
        ratio=exp(middle),
        interval=(low, high),
        p_ranks=_p_ranks(x, y, growth),
        median_ratio=float(np.median(y) / np.median(x)),
        median_interval=_median_interval(x, y, level),
        mean_ratio=summaries[1][0] / summaries[0][0],
        mean_interval=ratio_of_means_interval(*summaries, confidence=level),
        p_means=_p_means(x, y),
        findings=findings,
        effective_sizes=worth,
        confidence=level,
    )


def ratio_of_means_interval(
    a: tuple[float, float, int], b: tuple[float, float, int], *, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the interval of mean B over mean A, from each one's (mean, standard deviation, count).

    By the delta method on the logarithm of the ratio, Student's t with Welch's degrees of freedom.
    Right for means that are known to 20 % or better.

    >>> low, high = ratio_of_means_interval((1.0, 0.1, 10), (0.5, 0.05, 10))
    >>> round(low, 3), round(high, 3)
    (0.455, 0.549)
    """
    means = [float(positive("mean", item[0])) for item in (a, b)]
    counts = [whole("count", item[2], low=2) for item in (a, b)]
    fractions = [
        (float(non_negative("standard deviation", item[1])) / mean) ** 2 / count
        for item, mean, count in zip((a, b), means, counts, strict=True)
    ]
    total, ratio = sum(fractions), means[1] / means[0]
    if total == 0:
        return ratio, ratio
    freedom = total**2 / sum(
        fraction**2 / (count - 1) for fraction, count in zip(fractions, counts, strict=True)
    )
    reach = float(special.stdtrit(freedom, (1 + check_level(confidence)) / 2)) * sqrt(total)
    return ratio * exp(-min(reach, 700.0)), ratio * exp(min(reach, 700.0))


def _worth(times: Floats, findings: tuple[Finding, Finding]) -> float:
    if all(finding.label != "problem" for finding in findings):
        return float(times.size)
    return effective_sample_size(times, theil_sen_slope(times))


def _ordered_difference(a: Floats, b: Floats, rank: int) -> float:
    """Return the difference b - a of the given rank, from 0, among all pairs; both are sorted."""
    if a.size * b.size <= _FEW_PAIRS:
        return float(np.partition((b[:, None] - a).ravel(), rank)[rank])
    low, high = float(b[0] - a[-1]), float(b[-1] - a[0])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if np.searchsorted(a, b - middle).sum() < a.size * b.size - rank:
            high = middle
        else:
            low = middle
    return (low + high) / 2


def _cut(first: int, second: int, tail: float, growth: float) -> int:
    """Return the largest u with P(U <= u) at most `tail`, or -1: U of Mann and Whitney."""
    if growth == 1 and max(first, second) <= _EXACT:
        sums = np.cumsum(_rank_distribution(first, second))
        return int(np.searchsorted(sums, tail * (1 + 1e-9), side="right")) - 1
    spread = sqrt(growth * first * second * (first + second + 1) / 12)
    return max(-1, floor(first * second / 2 - 0.5 + float(special.ndtri(tail)) * spread))


def _rank_distribution(first: int, second: int) -> Floats:
    """Return P(U = u) for u from 0 to first * second, by Mann and Whitney's recursion."""
    ways = [np.ones(1) for _ in range(second + 1)]
    for m in range(1, first + 1):
        new = [np.ones(1)]
        for n in range(1, second + 1):
            # The largest value is one of the first run's with chance m / (m + n).
            both = np.zeros(m * n + 1)
            both[n:] += m / (m + n) * ways[n]
            both[: m * (n - 1) + 1] += n / (m + n) * new[n - 1]
            new.append(both)
        ways = new
    return ways[second]


def _p_ranks(a: Floats, b: Floats, growth: float) -> float:
    test = stats.mannwhitneyu(b, a, alternative="two-sided")
    if growth == 1:
        return float(test.pvalue)
    pairs = a.size * b.size
    spread = sqrt(growth * pairs * (a.size + b.size + 1) / 12)
    return float(min(1.0, 2 * special.ndtr(-abs(test.statistic - pairs / 2) / spread)))


def _p_means(a: Floats, b: Floats) -> float:
    if np.ptp(a) == 0 and np.ptp(b) == 0:
        return float(np.isclose(a[0], b[0], rtol=1e-12))
    return welch(a, b).p_value


def _median_interval(a: Floats, b: Floats, level: float) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    draws = max(1, min(RESAMPLES, 20_000_000 // max(a.size, b.size)))
    middles = [np.median(rng.choice(z, (draws, z.size)), axis=1) for z in (a, b)]
    return percentile_interval(middles[1] / middles[0], level)
