"""How many students the next class needs, by the noncentral t distribution.

The square of a noncentral t is a noncentral F, which SciPy computes where its t overflows.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from perfmodel.validation import one_number, positive, whole, within

MOST = 100_000
"""More students than this is said as too many."""


def power(effect: float, sd: float, students: int, groups: int = 1, level: float = 0.05) -> float:
    """Return the probability that a two-sided t test at a `level` finds an effect.

    `effect` is the true fall from before to after; with two groups of equal size, by how much it
    differs between them. `sd` is the standard deviation of the students' differences, in the same
    unit; `students` are those in each group, 2 or more.

    >>> round(power(0.5, 1.0, 34), 3)
    0.808
    """
    size = abs(one_number("effect", effect)) / one_number("sd", sd, positive)
    count = whole("students", students, 2)
    alpha = one_number("level", within("level", level, 1e-6, 0.5))
    if groups not in (1, 2):
        raise ValueError(f"groups must be 1 or 2, got {groups!r}")
    degrees = groups * (count - 1)
    edge = stats.t.isf(alpha / 2, degrees) ** 2
    return float(stats.ncf.sf(edge, 1, degrees, size**2 * count / groups))


def students_needed(
    effect: float, sd: float, wanted: float = 0.8, groups: int = 1, level: float = 0.05
) -> int | None:
    """Return the fewest students (in each group) with which an effect is found often enough.

    Arguments are those of `power`; `wanted` is the power. None if more than 100,000 are needed.

    >>> students_needed(0.5, 1.0)
    34
    """
    if effect == 0:
        raise ValueError("effect must not be 0: no class is large enough to find nothing")
    goal = one_number("wanted", within("wanted", wanted, 0.01, 0.999))
    low, high = 2, 4
    if power(effect, sd, low, groups, level) >= goal:
        return low
    while power(effect, sd, high, groups, level) < goal:
        low, high = high, 2 * high
        if high > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        enough = power(effect, sd, middle, groups, level) >= goal
        low, high = (low, middle) if enough else (middle, high)
    return high


def sd_limit(sd: float, students: int, confidence: float = 0.8) -> float:
    """Return the upper limit of a standard deviation that a pilot of some students gave.

    A pilot's own value is too small about half of the time; who plans with its upper 80 % limit has
    enough students in four of five cases.

    >>> round(sd_limit(1.0, 10), 2)
    1.29
    """
    degrees = whole("students", students, 2) - 1
    tail = 1 - one_number("confidence", within("confidence", confidence, 0.01, 0.999))
    chi2 = float(stats.chi2.ppf(tail, degrees))
    return one_number("sd", sd, positive) * float(np.sqrt(degrees / chi2))
