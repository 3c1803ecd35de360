"""Slips that can be made in any question: a sign, a unit, a ratio upside down, a number rounded.

A slip is told only where it is the only one that explains the answer: a value of 0.0316 for 31.6
is the reciprocal, and it is a factor of 1000 too low.

>>> [slip.name for slip in explaining(-3.0, 3.0, 0.01)]
['sign']
>>> [slip.name for slip in explaining(1 / 31.6, 31.6, 0.01)]
['reciprocal', 'thousandth']
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from perfmodel.answers.closeness import close, numbers

if TYPE_CHECKING:
    pass

Numbers = NDArray[np.float64]
_EXACT = 1e-9


@dataclass(frozen=True)
class Slip:
    """A slip: what it makes of the right numbers, and what a good teacher would say."""

    name: str
    of: Callable[[Numbers], Numbers | None]
    """Returns what the slip makes of them, or None where nobody could make it."""
    hint: str
    exact: bool = False
    """Whether it leads to whole numbers, which are compared as such and not within a tolerance."""

    def explains(self, answer: Any, expected: Any, tolerance: float) -> bool:
        """Whether the slip leads from what is expected to the answer."""
        right = numbers(expected)
        with np.errstate(all="ignore"):
            slipped = None if right is None else self.of(right)
        return slipped is not None and close(answer, slipped, _EXACT if self.exact else tolerance)


def _factor(factor: float) -> Callable[[Numbers], Numbers | None]:
    return lambda x: factor * x if x.any() else None


def _reciprocal(x: Numbers) -> Numbers | None:
    return 1 / x if x.all() else None


def _complement(x: Numbers) -> Numbers | None:
    return 1 - x if ((x > 0.05) & (x < 0.95)).all() else None


def _rounded(rounding: Callable[[Numbers], Numbers]) -> Callable[[Numbers], Numbers | None]:
    return lambda x: rounding(x) if x.size == 1 and x.min() > 2 and (x % 1).any() else None


def _one_more(step: int) -> Callable[[Numbers], Numbers | None]:
    return lambda x: x + step if x.size == 1 and x.min() > 2 and not (x % 1).any() else None


_UP = "A factor of {} too high: {}"
_DOWN = "A factor of {} too low: {}"
_ROUNDED = "You rounded to a whole number. Give the number as it comes out."
SLIPS = (
    Slip("sign", _factor(-1), "The sign is the wrong way round."),
    Slip("reciprocal", _reciprocal, "You have the reciprocal: the ratio is the wrong way up."),
    Slip("complement", _complement, "You have what is left to 1: the other share was asked for."),
    Slip("rounded down", _rounded(np.floor), _ROUNDED, exact=True),
    Slip("rounded up", _rounded(np.ceil), _ROUNDED, exact=True),
    Slip("one more", _one_more(1), "One too many: check the count at its edges.", exact=True),
    Slip("one less", _one_more(-1), "One short: check the count at its edges.", exact=True),
    Slip("per cent", _factor(100), _UP.format(100, "is it per cent, where a share was meant?")),
    Slip("hundredth", _factor(0.01), _DOWN.format(100, "did you take a share for a percentage?")),
    Slip("thousandfold", _factor(1e3), _UP.format(1000, "check the unit's prefix.")),
    Slip("thousandth", _factor(1e-3), _DOWN.format(1000, "check the unit's prefix.")),
    Slip("millionfold", _factor(1e6), _UP.format("a million", "check the unit's prefix.")),
    Slip("millionth", _factor(1e-6), _DOWN.format("a million", "check the unit's prefix.")),
    Slip("billionfold", _factor(1e9), _UP.format("a billion", "check the unit's prefix.")),
    Slip("billionth", _factor(1e-9), _DOWN.format("a billion", "check the unit's prefix.")),
)


def explaining(answer: Any, expected: Any, tolerance: float) -> list[Slip]:
    """Return the slips that lead from what is expected to the answer."""
    return [slip for slip in SLIPS if slip.explains(answer, expected, tolerance)]
