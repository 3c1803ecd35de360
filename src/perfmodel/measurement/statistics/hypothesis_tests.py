"""The classical tests: is there a difference, how large may it be, how many runs would show it.

Thin, checked calls of SciPy and statsmodels. A p-value above the limit is no proof that there is
no difference: `equivalence` is the test for that.

>>> samples_needed(effect=9, standard_deviation=10)
21
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from perfmodel.measurement.statistics.intervals import check_level
from perfmodel.validation import Floats, positive, sample, whole

if TYPE_CHECKING:
    from statsmodels.stats.power import TTestIndPower, TTestPower

MAX_SAMPLES = 100_000_000
"""Values in a group beyond which `samples_needed` gives up."""


@dataclass(frozen=True)
class TestResult:
    """A test's statistic, its degrees of freedom and p-value."""

    __test__ = False

    statistic: float
    freedom: tuple[float, ...]
    p_value: float


@dataclass(frozen=True)
class Difference(TestResult):
    """A test of two means, with the difference (second minus first) and its interval."""

    difference: float
    interval: tuple[float, float]


def welch(first: ArrayLike, second: ArrayLike, *, confidence: float = 0.95) -> Difference:
    """Return the `Difference` of two means, `second` minus `first` (Welch's t-test, two-sided).

    The samples are independent, of two values or more, in any common unit; the difference's
    interval has the `confidence` level. Raises `ValueError` if a sample is too small, or neither
    varies.

    Examples
    --------
    >>> test = welch([1.0, 2.0, 3.0], [2.0, 3.0, 4.0])
    >>> test.difference, round(test.p_value, 3)
    (1.0, 0.288)
    """
    x, y = sample("first", first, 2), sample("second", second, 2)
    _check_varies(x, y)
    test = stats.ttest_ind(y, x, equal_var=False)
    ends = test.confidence_interval(check_level(confidence))
    return Difference(
        statistic=float(test.statistic),
        freedom=(float(test.df),),
        p_value=float(test.pvalue),
        difference=float(y.mean() - x.mean()),
        interval=(float(ends.low), float(ends.high)),
    )


def paired(first: ArrayLike, second: ArrayLike, confidence: float = 0.95) -> Difference:
    """Compare two means of values taken in pairs, so that what both share drops out.

    `first`, `second` and `confidence` are those of `welch`, the samples of one length.

    >>> paired([1.0, 5.0, 9.0], [1.5, 5.4, 9.6]).p_value < 0.02
    True
    """
    x, y = sample("first", first, 2), sample("second", second, 2)
    if x.shape != y.shape:
        raise ValueError(f"second must have as many values as first, {x.size}, got {y.size}")
    size = max(np.abs(x).max(), np.abs(y).max())
    _check_varies(y - x, rounding=8 * np.finfo(float).eps * size)
    test = stats.ttest_rel(y, x)
    ends = test.confidence_interval(check_level(confidence))
    return Difference(
        statistic=float(test.statistic),
        freedom=(float(test.df),),
        p_value=float(test.pvalue),
        difference=float((y - x).mean()),
        interval=(float(ends.low), float(ends.high)),
    )


def equivalence(first: ArrayLike, second: ArrayLike, margin: float) -> TestResult:
    """Return the `TestResult` of whether two means differ by less than a margin (TOST, Welch's).

    A small p-value says that they do: the difference lies inside plus or minus `margin`, in the
    samples' unit. At 0.05 this is the same as the 90 % interval of the difference lying inside. The
    statistic is that of the weaker of the two one-sided tests; `first` and `second` are as for
    `welch`.

    Examples
    --------
    >>> equivalence([1.0, 1.1, 0.9], [1.0, 1.1, 0.9], margin=1.0).p_value < 0.01
    True
    """
    from statsmodels.stats.weightstats import ttost_ind

    x, y = sample("first", first, 2), sample("second", second, 2)
    _check_varies(x, y)
    wide = float(positive("margin", margin))
    p, lower, upper = ttost_ind(y, x, -wide, wide, usevar="unequal")
    weaker = lower if lower[1] >= upper[1] else upper
    return TestResult(float(weaker[0]), (float(weaker[2]),), float(p))


def power_of_test(
    effect: float, standard_deviation: float, samples: int, *, alpha: float = 0.05
) -> float:
    """Return the chance that a two-sided t-test of two groups finds a difference that is there.

    Parameters
    ----------
    effect : float
        True difference of the means, above 0.
    standard_deviation : float
        Standard deviation within each group, in the same unit, above 0.
    samples : int
        Values in each group, 2 or more.
    alpha : float
        Chance of a false alarm that the test allows.

    Examples
    --------
    >>> round(power_of_test(9, 10, samples=5), 3)
    0.241
    """
    size = float(positive("effect", effect) / positive("standard_deviation", standard_deviation))
    count = whole("samples", samples, 2)
    return _power(_solver(False), size, count, 1 - check_level(1 - alpha))


def samples_needed(
    effect: float,
    standard_deviation: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    pairs: bool = False,
) -> int:
    """Return how many values, 2 or more, a t-test needs in each group to find a difference.

    `effect`, `standard_deviation` and `alpha` are as for `power_of_test`, `power` is the
    probability of finding it. With `pairs` the number of pairs is returned, and the spread is that
    of their differences. Raises `ValueError` if a hundred million values are not enough.

    Examples
    --------
    >>> samples_needed(9, 20), samples_needed(9, 20, pairs=True)
    (79, 41)
    """
    size = float(positive("effect", effect) / positive("standard_deviation", standard_deviation))
    if not 0 < alpha < power < 1:
        raise ValueError(f"power must be above alpha ({alpha!r}) and below 1, got {power!r}")
    solver = _solver(pairs)
    counts = range(2, MAX_SAMPLES + 1)
    index = bisect_left(counts, power, key=lambda count: _power(solver, size, count, alpha))
    if index == len(counts):
        raise ValueError(
            f"effect must be larger compared with the scatter: it needs over {MAX_SAMPLES} runs"
        )
    return counts[index]


def _solver(pairs: bool) -> TTestPower | TTestIndPower:
    # Loading it takes a second and brings pandas along.
    from statsmodels.stats.power import TTestIndPower, TTestPower

    return TTestPower() if pairs else TTestIndPower()


def _power(test: TTestPower | TTestIndPower, size: float, count: int, alpha: float) -> float:
    probability = float(test.power(size, count, alpha))
    # The noncentral t gives up where the effect is far beyond any doubt.
    return probability if isfinite(probability) else 1.0


def _check_varies(*samples: Floats, rounding: float = 0.0) -> None:
    if all(np.ptp(one) <= rounding for one in samples):
        raise ValueError("samples must vary: a test compares a difference with their spread")
