"""The study's metrics, and what follows from two of them.

Source: Z. Yuan et al., arXiv 2505.13840, 2025, equations 1 to 9.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from perfmodel.validation import positive, sample


def compression_rate(
    bits_before: float, bits_after: float, score_before: float, score_after: float
) -> float:
    """Return the model compression rate: how much smaller, times the share of the score kept.

    Equation 9; bits of a weight, and scores in any one unit.

    >>> compression_rate(16, 4, 0.5, 0.45)
    3.6
    """
    smaller = positive("bits_before", bits_before) / positive("bits_after", bits_after)
    kept = positive("score_after", score_after) / positive("score_before", score_before)
    return float(smaller * kept)


def energy_per_token(power: float, rate: float) -> float:
    """Return joules per token from a mean `power` in watts and a `rate` in tokens per second.

    >>> energy_per_token(200.0, 25.0)
    8.0
    """
    return float(positive("power", power) / positive("rate", rate))


class PowerLaw(NamedTuple):
    """The exponent b of y = a x**b with its 95 % interval."""

    exponent: float
    low: float
    high: float


def fit_power_law(x: ArrayLike, y: ArrayLike) -> PowerLaw:
    """Return the exponent of a power law by least squares on logarithms, with Student's interval.

    Three points or more, above 0; the x differ.

    >>> round(fit_power_law([1, 2, 4], [3, 6.1, 12]).exponent, 2)
    1.0
    """
    across = np.log(positive("x", sample("x", x, 3)))
    up = np.log(positive("y", sample("y", y, 3)))
    if up.shape != across.shape or np.ptp(across) == 0:
        raise ValueError(f"x must be {up.size} values that differ, got {x!r}")
    slope, start = np.polyfit(across, up, 1)
    off = up - start - slope * across
    freedom = across.size - 2
    error = np.sqrt(off @ off / freedom / ((across - across.mean()) ** 2).sum())
    reach = float(stdtrit(freedom, 0.975) * error)
    return PowerLaw(float(slope), float(slope) - reach, float(slope) + reach)
