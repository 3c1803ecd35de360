"""Slips that can be made in any question: a sign, a unit, a ratio upside down, a number rounded.

A slip is told only where it is the only one that explains the answer: a value of 0.0316 for 31.6
is the reciprocal, and it is a factor of 1000 too low.

>>> [slip.name for slip in explaining(-3.0, 3.0, 0.01)]
['sign']
>>> [slip.name for slip in explaining(1 / 31.6, 31.6, 0.01)]
['reciprocal', 'thousandth']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perfmodel.answers.closeness import close, numbers
from perfmodel.units import number

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
_SIGN = Slip("sign", _factor(-1), "The sign is wrong.")
_RECIPROCAL = Slip("reciprocal", _reciprocal, "You gave the reciprocal: turn the ratio over.")
SLIPS = (
    _SIGN,
    _RECIPROCAL,
    Slip(
        "complement",
        _complement,
        "You gave 1 minus the answer: the question asks for the other fraction.",
    ),
    Slip("rounded down", _rounded(np.floor), _ROUNDED, exact=True),
    Slip("rounded up", _rounded(np.ceil), _ROUNDED, exact=True),
    Slip(
        "one more",
        _one_more(1),
        "One too many: check the first and the last that you count.",
        exact=True,
    ),
    Slip(
        "one less",
        _one_more(-1),
        "One too few: check the first and the last that you count.",
        exact=True,
    ),
    Slip(
        "per cent",
        _factor(100),
        _UP.format(100, "did you give a percentage instead of a fraction?"),
    ),
    Slip(
        "hundredth",
        _factor(0.01),
        _DOWN.format(100, "did you give a fraction instead of a percentage?"),
    ),
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


BYTES = r"bytes?|bits?|[KMGT]i?B"
_PREFIX = "check the unit's prefix."
_FACTORS = {
    8.0: ("bits or bytes?", BYTES),
    60.0: ("minutes or seconds?", r"[nmu]?s|min|h"),
    3600.0: ("hours or seconds?", r"[nmu]?s|min|h"),
    100.0: ("a percentage or a fraction?", r"|%|points"),
    1e3: (_PREFIX, ".*"),
    1e6: (_PREFIX, ".*"),
    1e9: (_PREFIX, ".*"),
}
"""What a factor may come from, and in which units: whole words of them, nothing for no unit."""


def slip(answers: Sequence[Any], rights: Sequence[Any], tolerance: float, unit: str = "") -> str:
    """Return what is said to one slip that explains all answers, or nothing.

    Where two would explain them, neither is told: 0.0316 for 31.6 may be the reciprocal, and may
    be a factor of 1000. What a factor comes from is said where the `unit` can have it: only bytes
    are taken for bits.

    >>> slip([1.0, 2.0], [1000.0, 2000.0], 1e-6)
    "You are a factor of 1,000 too low: check the unit's prefix."
    >>> slip([8.0], [1.0], 1e-6, "bytes/s"), slip([8.0], [1.0], 1e-6, "servers")
    ('You are a factor of 8 too high: bits or bytes?', 'You are a factor of 8 too high.')
    >>> slip([0.0316], [31.6], 0.01)
    ''
    """
    mine, theirs = _flat(list(answers)), _flat(list(rights))
    if mine is None or theirs is None or mine.size != theirs.size or not theirs.any():
        return ""
    slips = [_SIGN, _RECIPROCAL]
    for factor, (why, units) in _FACTORS.items():
        cause = f": {why}" if has_unit(unit, units) else "."
        for by, way in ((factor, "high"), (1 / factor, "low")):
            hint = f"You are a factor of {number(factor)} too {way}{cause}"
            slips.append(Slip(hint, _factor(by), hint))
    explaining = [slip.hint for slip in slips if slip.explains(mine, theirs, tolerance)]
    return explaining[0] if len(explaining) == 1 else ""


def has_unit(unit: str, pattern: str) -> bool:
    """Return whether a whole word of a unit matches a pattern; no unit is an empty word.

    >>> has_unit("GB/s", BYTES), has_unit("servers", BYTES), has_unit("", "|%")
    (True, False, True)
    """
    words = [word for word in re.split(r"[^\w%]+", unit) if word] or [""]
    return any(re.fullmatch(pattern, word) for word in words)


def _flat(value: Any) -> Numbers | None:
    if isinstance(value, Mapping):
        value = [value[key] for key in sorted(value)]
    if isinstance(value, list | tuple):
        parts = [_flat(part) for part in value]
        known = [part for part in parts if part is not None]
        return np.concatenate(known) if known and len(known) == len(parts) else None
    found = numbers(value)
    return None if found is None else found.ravel()
