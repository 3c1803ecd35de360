"""What choosing does to a number: the best of several measured candidates is partly luck.

Candidates' true scores are normal with standard deviation `spread`, and each is measured once with
an independent error of standard deviation `noise`. Of speed-ups take logarithms first.

Source: R. H. Thaler, "Anomalies: the winner's curse", Journal of Economic Perspectives 2 (1), 1988;
F. Galton, "Regression towards mediocrity in hereditary stature", 1886; the normal model is the
textbook one (B. Efron, Journal of the American Statistical Association 106, 2011).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from perfmodel.validation import finite, non_negative, sample, whole

_GRID = np.linspace(-9, 9, 2001)


@dataclass(frozen=True)
class Winner:
    """Expected scores of the candidate that measured best, in the candidates' unit."""

    measured: float
    """What its winning measurement says."""
    true: float
    """What it is worth: the mean of measurements of it that were not used to choose it."""

    @property
    def curse(self) -> float:
        """What is lost when it is measured again."""
        return self.measured - self.true


def expected_maximum(count: int) -> float:
    """Return the mean of the highest of `count` independent standard normal numbers.

    >>> [round(expected_maximum(count), 3) for count in (1, 2, 8)]
    [0.0, 0.564, 1.424]
    """
    n = whole("count", count, 1)
    density = n * np.exp(-(_GRID**2) / 2) / sqrt(2 * pi) * special.ndtr(_GRID) ** (n - 1)
    return float(np.sum(_GRID * density) * (_GRID[1] - _GRID[0]))


def winners_curse(count: int, standard_deviation: float, noise: float, mean: float = 0.0) -> Winner:
    """Return the `Winner`: what the best of some candidates measures, and what it is worth.

    With e the mean of the highest of `count` standard normal numbers, tau the `standard_deviation`
    (the standard deviation of the true scores around their `mean`) and s the `noise` (that of a
    measurement's error, in the same unit), it is expected to measure mean + e sqrt(tau^2 + s^2) and
    is worth mean + e tau^2 / sqrt(tau^2 + s^2).

    Examples
    --------
    >>> alike = winners_curse(8, standard_deviation=0.0, noise=0.1)
    >>> round(alike.measured, 3), alike.true
    (0.142, 0.0)
    """
    true, error = (
        float(non_negative("standard_deviation", standard_deviation)),
        float(non_negative("noise", noise)),
    )
    middle, total = float(finite("mean", mean)), hypot(true, error)
    lift = expected_maximum(count) * total
    kept = (true / total) ** 2 if total else 1.0
    return Winner(middle + lift, middle + kept * lift)


def reliability(first: ArrayLike, second: ArrayLike) -> float:
    """Return the correlation of a `first` and a `second` measurement of the same candidates.

    It estimates the fraction of the measured variance that is there again next time, tau^2 / (tau^2
    + s^2).

    Examples
    --------
    >>> round(reliability([1.0, 2.0, 3.0], [1.5, 1.5, 3.0]), 3)
    0.866
    """
    x, y = sample("first", first, 2), sample("second", second, 2)
    if x.shape != y.shape:
        raise ValueError(f"second must have as many values as first, {x.size}, got {y.size}")
    if not (np.ptp(x) and np.ptp(y)):
        raise ValueError("first and second must vary: their correlation is asked for")
    return float(np.corrcoef(x, y)[0, 1])
