"""Shares of tasks solved: intervals, paired comparison, and how many tasks a difference takes.

The intervals are those of statsmodels and the test is SciPy's exact one; what is added is how often
an interval holds the truth, and what a suite of this many tasks can tell apart.

Source: E. B. Wilson, Journal of the American Statistical Association 22, 1927; Q. McNemar,
Psychometrika 12, 1947; L. D. Brown, T. T. Cai, A. DasGupta, "Interval estimation for a binomial
proportion", Statistical Science 16 (2), 2001, for the coverage.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from perfmodel.validation import Floats, one_of, whole, within

MAX_TASKS = 100_000
"""Tasks beyond which `tasks_needed` gives up."""
_NEGLIGIBLE = 1e-12
_METHODS = {"wilson": "wilson", "exact": "beta", "wald": "normal"}


def proportion_interval(
    successes: ArrayLike, trials: int, method: str = "wilson", confidence: float = 0.95
) -> tuple[Floats, Floats]:
    """Return the interval, two arrays, of a proportion, by statsmodels' `proportion_confint`.

    Of the `trials` some are `successes`. The `method` is Wilson's score interval (`wilson`);
    Clopper and Pearson's (`exact`), which covers at least the `confidence` and often more; or the
    textbook's p +- z sqrt(p (1 - p) / n) (`wald`), which is too short for rare successes and
    reaches below 0.

    Examples
    --------
    >>> low, high = proportion_interval(15, 279)
    >>> print(f"{low:.2%} to {high:.2%}")
    3.28% to 8.68%
    """
    # Loading it takes a second and brings pandas along.
    from statsmodels.stats.proportion import proportion_confint

    one_of("method", method, _METHODS)
    count = whole("trials", trials, 1)
    k = within("successes", successes, 0, count)
    alpha = 1 - float(_inside("confidence", confidence))
    if method == "wald":
        # statsmodels clips it at 0 and 1, which hides what is wrong with it.
        p, z = k / count, stats.norm.ppf(1 - alpha / 2)
        return p - z * np.sqrt(p * (1 - p) / count), p + z * np.sqrt(p * (1 - p) / count)
    low, high = proportion_confint(k, count, alpha=alpha, method=_METHODS[method])
    return np.asarray(low), np.asarray(high)


def interval_coverage(
    proportion: float, trials: int, method: str = "wilson", confidence: float = 0.95
) -> float:
    """Return how often the interval of a proportion holds it: summed over all possible outcomes.

    The `proportion` is the true one; `trials`, `method` and `confidence` are as for
    `proportion_interval`.

    Examples
    --------
    >>> round(interval_coverage(0.0072, 279, "wald"), 3), round(interval_coverage(0.0072, 279), 3)
    (0.866, 0.947)
    """
    count = whole("trials", trials, 1)
    truth = float(within("proportion", proportion, 0, 1))
    outcomes = np.arange(count + 1)
    low, high = proportion_interval(outcomes, count, method, confidence)
    held = (low <= truth) & (truth <= high)
    return float(stats.binom.pmf(outcomes[held], count, truth).sum())


@dataclass(frozen=True)
class PairedOutcomes:
    """Two systems on the same tasks: how many each solved, and McNemar's exact test."""

    both: int
    only_first: int
    only_second: int
    neither: int

    @property
    def tasks(self) -> int:
        """Tasks that both were given."""
        return self.both + self.only_first + self.only_second + self.neither

    @property
    def difference(self) -> float:
        """Share solved by the second minus that by the first."""
        return (self.only_second - self.only_first) / self.tasks

    @property
    def p_value(self) -> float:
        """Probability of a split at least as uneven, if both solve equally many tasks."""
        apart = self.only_first + self.only_second
        return float(stats.binomtest(self.only_first, apart).pvalue) if apart else 1.0


def mcnemar(first: ArrayLike, second: ArrayLike) -> PairedOutcomes:
    """Return the `PairedOutcomes` of two systems on the same tasks, true where one was solved.

    Only tasks that one of `first` and `second` solved say anything; `p_value` is that of the exact
    two-sided test.

    Examples
    --------
    >>> result = mcnemar([1] * 15 + [0] * 10, [0] * 12 + [1] * 10 + [0] * 3)
    >>> result.only_first, result.only_second, round(result.p_value, 3)
    (12, 7, 0.359)
    """
    a, b = (_solved(name, v) for name, v in (("first", first), ("second", second)))
    if a.shape != b.shape:
        raise ValueError(f"second must have as many tasks as first, {a.size}, got {b.size}")
    counts = (a & b, a & ~b, ~a & b, ~a & ~b)
    return PairedOutcomes(*(int(count.sum()) for count in counts))


def detection_power(
    tasks: int, first: float, second: float, *, correlation: float = 0.0, alpha: float = 0.05
) -> float:
    """Return the chance that McNemar's exact test finds two systems' difference on a suite.

    The tasks that only one of them solves are binomial, and so is their split; all cases are summed
    up. Systems that solve the same tasks differ on fewer, which makes a difference easier to see.
    Raises `ValueError` if no two systems have that correlation.

    Parameters
    ----------
    tasks : int
        Tasks in the suite, independent of each other, 1 or more.
    first, second : float
        True shares of tasks that each solves, above 0 and below 1.
    correlation : float
        Of the two outcomes on one task. 0: a task that one solves is no easier for the other.
    alpha : float
        Chance of a false alarm that the test allows.

    Examples
    --------
    >>> print(f"{detection_power(500, 0.30, 0.32):.2f}")
    0.09
    >>> print(f"{detection_power(500, 0.30, 0.32, correlation=0.8):.2f}")
    0.28
    """
    only_first, only_second = discordant_probabilities(first, second, correlation)
    level, count = float(_inside("alpha", alpha)), whole("tasks", tasks, 1)
    discordant = stats.binom(count, only_first + only_second)
    least, most = discordant.ppf([_NEGLIGIBLE, 1 - _NEGLIGIBLE])
    apart = np.arange(least, most + 1)
    # The largest number on the smaller side for which the two-sided test still rejects, or -1.
    cut = stats.binom.ppf(level / 2, apart, 0.5)
    cut = np.where(2 * stats.binom.cdf(cut, apart, 0.5) > level, cut - 1, cut)
    fraction = only_first / (only_first + only_second)
    rejects = stats.binom.cdf(cut, apart, fraction) + stats.binom.cdf(cut, apart, 1 - fraction)
    return float(np.sum(discordant.pmf(apart) * np.where(cut >= 0, rejects, 0.0)))


def tasks_needed(
    first: float,
    second: float,
    *,
    correlation: float = 0.0,
    power: float = 0.8,
    alpha: float = 0.05,
) -> int:
    """Return how many tasks, 1 or more, a suite needs for two systems' difference to be found.

    The probability rises with the tasks in small teeth, as a whole number of tasks is counted; of
    the counts where it passes `power`, one is returned. `first`, `second`, `correlation` and
    `alpha` are as for `detection_power`, as is what is raised; it's also a `ValueError` if a
    hundred thousand tasks are not enough.

    Examples
    --------
    >>> tasks_needed(0.30, 0.32, correlation=0.8)
    1763
    """
    if not float(_inside("alpha", alpha)) < power < 1:
        raise ValueError(f"power must be above alpha ({alpha!r}) and below 1, got {power!r}")

    def chance(tasks: int) -> float:
        return detection_power(tasks, first, second, correlation=correlation, alpha=alpha)

    high = 16
    while high < MAX_TASKS and chance(high) < power:
        high *= 2
    if chance(high) < power:
        raise ValueError(f"second must differ more from first: it needs over {MAX_TASKS} tasks")
    return bisect_left(range(high + 1), power, lo=1, key=chance)


def discordant_probabilities(
    first: float, second: float, correlation: float = 0.0
) -> tuple[float, float]:
    """Return the shares of tasks that only the first and only the second of two systems solves.

    `first`, `second` and `correlation` are those of `detection_power`.

    >>> [round(share, 3) for share in discordant_probabilities(0.5, 0.6, 0.0)]
    [0.2, 0.3]
    """
    p, q = float(_inside("first", first)), float(_inside("second", second))
    shared = p * q + float(correlation) * sqrt(p * (1 - p) * q * (1 - q))
    if not max(0.0, p + q - 1) - 1e-12 <= shared <= min(p, q) + 1e-12 or p + q - 2 * shared <= 0:
        raise ValueError(
            f"correlation must be one that systems solving {p:g} and {q:g} can have, "
            f"got {correlation!r}"
        )
    return max(p - shared, 0.0), max(q - shared, 0.0)


def _inside(name: str, value: float) -> float:
    if not 0 < float(value) < 1:
        raise ValueError(f"{name} must be above 0 and below 1, got {value!r}")
    return float(value)


def _solved(name: str, values: ArrayLike) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    array = np.asarray(values)
    if array.ndim != 1 or not array.size or not np.isin(array, (0, 1)).all():
        raise ValueError(f"{name} must hold a truth value for each task, got {values!r}")
    return array.astype(bool)
