"""Admission control: an online knapsack with a bar that rises as the capacity fills.

Sources: M. Hajiesmaili, talk at TeaPACS 2023 (slides); Y. Zhou, D. Chakrabarty, R. Lukose, "Budget
constrained bidding in keyword auctions and online knapsack problems", WINE 2008.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.validation import Floats, positive, sample, whole, within


def value_ratio(low: float, high: float) -> float:
    """Return theta = high / low of the least and the largest value, checked.

    >>> value_ratio(2, 200)
    100.0
    """
    least, largest = float(positive("low", low)), float(positive("high", high))
    if largest < least:
        raise ValueError(f"high must be low = {least:g} or more, got {high!r}")
    return largest / least


def admission_bar(taken: ArrayLike, low: float, high: float) -> Floats:
    """Return the least value per unit of capacity that is admitted.

    It is (U e / L)^z L / e for the fraction z that is taken: below L at first, where all are
    admitted, and U when all is taken.

    >>> print(admission_bar([0, 0.5, 1], 1, 100).round(2))
    [  0.37   6.07 100.  ]
    """
    theta, z = value_ratio(low, high), within("taken", taken, 0, 1)
    return np.asarray(low * theta**z * np.exp(z - 1))


def admission_guarantee(low: float, high: float) -> float:
    """Return the competitive ratio of the rising bar, 1 + ln(U / L), which no policy improves on.

    >>> round(admission_guarantee(1, 100), 3)
    5.605
    """
    return 1 + float(np.log(value_ratio(low, high)))


def admit(values: ArrayLike, sizes: ArrayLike, low: float, high: float) -> NDArray[np.bool_]:
    """Return which requests the rising bar admits, in the order in which they come.

    `values` are per unit of capacity, from `low` to `high`; `sizes` are fractions of the capacity.
    The guarantee is for small ones.

    >>> print(admit([1, 1, 3, 9], [0.2, 0.2, 0.2, 0.2], 1, 100))
    [ True False  True  True]
    """
    worth, size = _requests(values, sizes, low, high)
    used, admitted = 0.0, np.zeros(worth.size, dtype=bool)
    for i, (value, share) in enumerate(zip(worth, size, strict=True)):
        fits = used + share <= 1 + 1e-12
        admitted[i] = fits and value >= admission_bar(min(used, 1.0), low, high)
        used += share * admitted[i]
    return admitted


def admit_all(sizes: ArrayLike) -> NDArray[np.bool_]:
    """Return which requests are admitted if each that fits is.

    >>> print(admit_all([0.5, 0.6, 0.5]))
    [ True False  True]
    """
    size = within("sizes", sample("sizes", sizes), 0, 1)
    used, admitted = 0.0, np.zeros(size.size, dtype=bool)
    for i, share in enumerate(size):
        admitted[i] = used + share <= 1 + 1e-12
        used += share * admitted[i]
    return admitted


def best_admission(values: ArrayLike, sizes: ArrayLike) -> float:
    """Return the value that is had by who knows all requests and may cut the last one.

    >>> best_admission([1, 3], [0.8, 0.5])
    2.0
    """
    worth = positive("values", sample("values", values))
    size = within("sizes", sample("sizes", sizes), 0, 1)
    order = np.argsort(-worth, kind="stable")
    ends = np.minimum(size[order].cumsum(), 1.0)
    return float(worth[order] @ np.diff(ends, prepend=0.0))


def rising_requests(low: float, high: float, size: float, levels: int) -> tuple[Floats, Floats]:
    """Return the worst requests for the rising bar: each level of value alone fills the capacity.

    They are values and sizes; the `levels` are evenly spaced on a log scale.

    >>> values, sizes = rising_requests(1, 100, 0.5, 3)
    >>> print(values, sizes)
    [  1.   1.  10.  10. 100. 100.] [0.5 0.5 0.5 0.5 0.5 0.5]
    """
    value_ratio(low, high)
    share = float(within("size", positive("size", size), 0, 1))
    level = np.geomspace(low, high, whole("levels", levels, low=2))
    values = np.repeat(level, int(np.ceil(1 / share - 1e-9)))
    return values, np.full(values.size, share)


def worst_stop(values: ArrayLike, sizes: ArrayLike, admitted: ArrayLike) -> float:
    """Return the largest ratio of hindsight to the admitted value, if requests may end any time.

    >>> worst_stop([1, 4], [1, 1], [True, False])
    4.0
    """
    worth, size = np.asarray(values, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    had = np.cumsum(worth * size * np.asarray(admitted))
    ends = [i for i, (now, then) in enumerate(pairwise([*worth, np.inf])) if now != then]
    return max(best_admission(worth[: i + 1], size[: i + 1]) / float(had[i]) for i in ends)


def _requests(
    values: ArrayLike, sizes: ArrayLike, low: float, high: float
) -> tuple[Floats, Floats]:
    value_ratio(low, high)
    worth = within("values", sample("values", values), low, high)
    size = within("sizes", positive("sizes", sample("sizes", sizes)), 0, 1)
    if worth.size != size.size:
        raise ValueError(f"sizes must be as many as values, {worth.size}, got {size.size}")
    return worth, size
