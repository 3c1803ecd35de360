"""Times that are whole numbers of a common unit: events that coincide do so without rounding.

Three times 0.1 s is not 0.3 s in floating-point numbers, so that an arrival every 0.1 s and a
service of 0.3 s don't coincide, by the last bit. Counted in units of 0.1 s the times are whole
numbers, whose sums are exact, and what coincides follows the order that a simulator states.

The greatest common unit is the span of the lattice on which the times lie: W. Feller, "An
Introduction to Probability Theory and Its Applications", volume II, 2nd edition, 1971, V.2.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats

_ROUNDING = 1e-13
"""Relative error of a time that counts as rounding."""
_MOST_PARTS, _MOST_UNITS, _MOST_TERM = 10**6, 1e9, 1000
_FEW = 64
"""Times that are tried first: random ones have no unit, and most are refused here."""


def lattice_span(*times: ArrayLike) -> float | None:
    """Return the largest unit of which all `times` are whole multiples, except for rounding.

    `times` are in seconds, 0 or more, and so is the unit: 1 if all are 0, None if there is none, or
    only one below a millionth of the least time or a billionth of the largest.

    >>> lattice_span([0.1, 0.2], 0.7), lattice_span(1.0, 1.5), lattice_span(1.0, 2**0.5)
    (0.1, 0.5, None)
    """
    given = np.concatenate([np.ravel(np.asarray(part, np.float64)) for part in times])
    above = given[given > 0]
    if not above.size:
        return 1.0
    return _span(above) if _span(above[:_FEW]) is not None else None


def _span(times: Floats) -> float | None:
    """Divide the least time until every time is whole.

    Each step takes the denominator that makes one more time whole.
    """
    least, most, parts = float(times.min()), float(times.max()), 1
    while parts <= _MOST_PARTS and most * parts <= _MOST_UNITS * least:
        units = times / least * parts
        between = units[np.abs(units - np.rint(units)) > _ROUNDING * units]
        if not between.size:
            return least / parts
        more = Fraction(float(between[0])).limit_denominator(_MOST_TERM).denominator
        if more == 1:
            return None
        parts *= more
    return None


def in_units(times: ArrayLike, unit: float | None) -> Any:
    """Return times as whole numbers of a `unit`, or as they are if that is None.

    >>> in_units([0.1, 0.3], 0.1)
    array([1., 3.])
    """
    values: Floats = np.asarray(times, np.float64)
    return values if unit is None else np.rint(values / unit)
