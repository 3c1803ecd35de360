"""Percentiles from the tail of a distribution: the time that a given fraction exceeds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, check_shapes, within


def invert_tail(tail: Callable[[float], ArrayLike], probability: ArrayLike) -> Floats:
    """Return the smallest t of 0 or more with tail(t) <= 1 - probability, of the latter's shape.

    `tail` gives P(T > t) at one t and falls to 0 from whatever it is at 0; `probability` is from 0
    to below 1.

    >>> print(invert_tail(lambda t: np.exp(-t), [0.0, 0.5]).round(6))
    [0.       0.693147]
    """
    late = 1 - checked_probability(probability)
    return np.array([_crossing(tail, float(share)) for share in late.ravel()]).reshape(late.shape)[
        ()
    ]


def checked_probability(probability: ArrayLike) -> Floats:
    """Return `probability` as an array of values from 0 to below 1.

    >>> checked_probability(1.0)
    Traceback (most recent call last):
        ...
    ValueError: probability must be from 0 to below 1, got 1.0
    """
    p = within("probability", probability, 0, 1)
    check_shapes(probability=p)
    if (p == 1).any():
        raise ValueError(f"probability must be from 0 to below 1, got {probability!r}")
    return p


def _crossing(tail: Callable[[float], ArrayLike], late: float) -> float:
    from scipy.optimize import brentq

    def excess(time: float) -> float:
        return float(np.asarray(tail(time))) - late

    if excess(0.0) <= 0:
        return 0.0
    high = 1e-12
    while excess(high) > 0:
        high *= 4
    return float(brentq(excess, 0.0, high, xtol=1e-15 * high))
