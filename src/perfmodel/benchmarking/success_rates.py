"""How tasks differ in their success rates: a beta distribution, and how well counts know it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special, stats

from perfmodel.benchmarking.pass_at_k_estimator import whole_counts
from perfmodel.measurement.statistics.intervals import check_level
from perfmodel.measurement.statistics.profiles import profile_end
from perfmodel.validation import Floats, non_negative, one_number, positive, whole, within

_FAR = float(np.log(1e4))
"""How far the size a + b is followed: a correlation of 1e-4 is none."""


@dataclass(frozen=True)
class BetaRates:
    """Success rates that have a beta distribution over tasks.

    >>> alike, unlike = BetaRates(400, 600), BetaRates(0.4, 0.6)
    >>> round(alike.pass_at(8), 3), round(unlike.pass_at(8), 3)
    (0.983, 0.712)
    """

    a: float
    """Above 0. Near 0 with `b`, tasks are either solved always or never."""
    b: float

    def __post_init__(self) -> None:
        """Refuse a law that isn't one."""
        positive("a", self.a)
        positive("b", self.b)

    @property
    def mean(self) -> float:
        """Mean success rate: pass@1."""
        return self.a / (self.a + self.b)

    @property
    def correlation(self) -> float:
        """Correlation of two samples of one task: 0 for equal tasks, 1 for equal samples."""
        return 1 / (self.a + self.b + 1)

    def pass_at(self, k: float) -> float:
        """Return the chance that one of `k` samples of a task is correct, 1 - E[(1 - p)^k].

        `k` is 0 or more and need not have been measured: beyond what was, it is extrapolation.
        """
        tries = float(non_negative("k", k))
        log_fail = special.betaln(self.a, self.b + tries) - special.betaln(self.a, self.b)
        return float(-np.expm1(log_fail))


def beta_rates_through(pass_one: float, pass_k: float, k: int) -> BetaRates:
    """Return the `BetaRates` of tasks that have a given pass@1 and pass@k.

    `pass_k` is above `pass_one`, and below 1 - (1 - pass_one)^k: the value for equal tasks, for `k`
    of 2 or more. Raises `ValueError` if no scatter of rates between tasks can give these numbers.

    Examples
    --------
    >>> law = beta_rates_through(0.3855, 0.7096, 8)
    >>> round(law.a + law.b, 3)
    1.087
    """
    tries = whole("k", k, 2)
    mean = one_number("pass_one", pass_one, partial(within, low=0, high=1))
    most = float(-np.expm1(tries * np.log1p(-mean))) if mean < 1 else 1.0
    if not 0 < mean < float(pass_k) < most:
        raise ValueError(
            f"pass_k must lie between pass_one and {most:.4g}, what {tries} samples of equal tasks "
            f"give, got {pass_k!r} with pass_one {pass_one!r}"
        )

    def excess(log_size: float) -> float:
        size = float(np.exp(log_size))
        return BetaRates(mean * size, (1 - mean) * size).pass_at(tries) - float(pass_k)

    size = float(np.exp(optimize.brentq(excess, -25.0, 25.0)))
    return BetaRates(mean * size, (1 - mean) * size)


def fit_beta_rates(samples: ArrayLike, correct: ArrayLike) -> BetaRates:
    """Return the `BetaRates` of greatest likelihood (beta-binomial counts).

    Of n `samples` of each task `correct` are correct. Raises `ValueError` if no task has a correct
    sample, or none a wrong one, or no task has two samples: then any distribution of the same mean
    is as good.

    Examples
    --------
    >>> fit_beta_rates(10, [0, 0, 1, 9, 10]).correlation > 0.5
    True
    """
    n, c = np.broadcast_arrays(
        whole_counts("samples", samples, 1), whole_counts("correct", correct)
    )
    if not (c <= n).all() or not 0 < c.sum() < n.sum() or n.max() < 2:
        raise ValueError(
            "correct must be at most samples, with some right, some wrong and two samples of a "
            f"task, got {int(c.sum())} of {int(n.sum())}"
        )

    def loss(logs: Floats) -> float:
        return -float(np.sum(stats.betabinom.logpmf(c, n, *np.exp(logs))))

    start = np.log([c.sum() / n.sum(), 1 - c.sum() / n.sum()])
    best = optimize.minimize(loss, start, method="L-BFGS-B", bounds=[(-12, 12)] * 2)
    a, b = np.exp(best.x)
    return BetaRates(float(a), float(b))


def correlation_interval(
    samples: ArrayLike, correct: ArrayLike, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the interval of the correlation of a task's samples, by the profile likelihood.

    An end is 0 where tasks of one rate explain the counts as well, 1 where tasks that always or
    never succeed do. `samples` and `correct` are as for `fit_beta_rates`, the level is the
    `confidence`.

    Examples
    --------
    >>> low, high = correlation_interval(10, [5, 6, 4, 5])
    >>> low, high < 0.6
    (0.0, True)
    """
    best = fit_beta_rates(samples, correct)
    n, c = np.broadcast_arrays(np.asarray(samples, float), np.asarray(correct, float))

    def loss(logit: float, log_size: float) -> float:
        mean, size = special.expit(logit), np.exp(log_size)
        return -float(stats.betabinom.logpmf(c, n, mean * size, (1 - mean) * size).sum())

    centre = float(special.logit(best.mean))
    start = float(np.log(best.a + best.b))

    def least(log_size: float) -> float:
        ends = (centre - 5, centre + 5)
        return float(optimize.minimize_scalar(loss, ends, ends, (log_size,), "bounded").fun)

    lowest = least(start)
    if abs(start) > _FAR:
        start = float(np.copysign(_FAR, start))
        lowest = least(start)

    def profile(log_size: float, _: None) -> tuple[float, None]:
        return float(np.sqrt(2 * max(least(log_size) - lowest, 0.0))), None

    most = float(stats.norm.ppf((1 + check_level(confidence)) / 2))
    ends = [profile_end(profile, (start, 0.0, None), side, 0.2, 2 * _FAR, most) for side in (1, -1)]
    low, high = (float(1 / (np.exp(end) + 1)) for end in ends)
    return low, high
