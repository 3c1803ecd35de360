"""How tasks differ in their success rates: a beta distribution, and pass@k by it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import optimize, special

from perfmodel.validation import non_negative, one_number, positive, whole, within


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
