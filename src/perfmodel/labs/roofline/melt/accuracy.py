"""How sure a share of right answers is: standard errors, and the least difference to be seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from perfmodel.validation import Floats, whole, within


def standard_error(accuracy: ArrayLike, questions: int) -> Floats:
    """Return the standard error of an `accuracy` on n questions: sqrt(p (1 - p) / (n - 1))."""
    p = within("accuracy", accuracy, 0, 1)
    return np.sqrt(p * (1 - p) / (whole("questions", questions, low=2) - 1))


def z_score(first: float, second: float, questions: int) -> float:
    """Return by how many standard errors one share of unrelated questions is above another."""
    errors = standard_error([first, second], questions)
    return float((first - second) / np.hypot(*errors))


def smallest_difference(accuracy: float, questions: int, level: float = 0.05) -> float:
    """Return the difference of two shares that a two-sided test at `level` just detects."""
    z = stats.norm.ppf(1 - float(within("level", level, 0, 1)) / 2)
    return float(z * np.sqrt(2) * standard_error(accuracy, questions))
