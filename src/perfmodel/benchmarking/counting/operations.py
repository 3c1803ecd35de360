"""Counting arithmetic: a number that adds every operation on it to a tally, inside NumPy, too.

The count sees the work and no movement of data; it is the W of the roofline, counted instead of
derived.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np


@dataclass
class Operations:
    """Arithmetic operations of a call on floating-point numbers."""

    additions: int = 0
    """Subtractions included."""
    multiplications: int = 0
    divisions: int = 0
    powers: int = 0
    """Roots included."""
    comparisons: int = 0

    @property
    def flops(self) -> int:
        """All of them but comparisons, FLOP."""
        return sum(int(getattr(self, f.name)) for f in fields(self)) - self.comparisons


class CountedNumber:
    """A float that adds each operation on it to a tally; made by `count_operations`.

    >>> tally = Operations()
    >>> x = CountedNumber(3.0, tally)
    >>> (2 * x + 1).value, tally.flops
    (7.0, 2)
    """

    __slots__ = ("tally", "value")

    def __init__(self, value: float, tally: Operations) -> None:
        self.value, self.tally = value, tally

    def __float__(self) -> float:
        """Refuse to become a number of which no operation would be counted."""
        raise TypeError(
            "a counted number can't become a plain float: operations on it would go uncounted; "
            "make arrays for results with numpy.zeros_like(argument)"
        )

    def __neg__(self) -> CountedNumber:
        """Return the negative, at no charge."""
        return CountedNumber(-self.value, self.tally)

    def __abs__(self) -> CountedNumber:
        """Return the magnitude, at no charge."""
        return CountedNumber(abs(self.value), self.tally)

    def sqrt(self) -> CountedNumber:
        """Return the root; `numpy.sqrt` calls it."""
        self.tally.powers += 1
        return CountedNumber(math.sqrt(self.value), self.tally)

    def conjugate(self) -> CountedNumber:
        """Return itself; `numpy.vdot` calls it."""
        return self

    __hash__ = None  # type: ignore[assignment]


def _arithmetic(kind: str, do: Callable[[Any, Any], Any], swapped: bool) -> Callable[..., Any]:
    def method(self: CountedNumber, other: Any) -> Any:
        if not isinstance(other, (int, float, CountedNumber, np.number)):
            return NotImplemented
        setattr(self.tally, kind, getattr(self.tally, kind) + 1)
        plain = other.value if isinstance(other, CountedNumber) else other
        result = do(plain, self.value) if swapped else do(self.value, plain)
        return result if kind == "comparisons" else CountedNumber(float(result), self.tally)

    return method


for _kind, _names in {
    "additions": ("add", "sub"),
    "multiplications": ("mul",),
    "divisions": ("truediv", "floordiv", "mod"),
    "powers": ("pow",),
}.items():
    for _name in _names:
        _do = getattr(operator, _name)
        setattr(CountedNumber, f"__{_name}__", _arithmetic(_kind, _do, swapped=False))
        setattr(CountedNumber, f"__r{_name}__", _arithmetic(_kind, _do, swapped=True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    _compare = _arithmetic("comparisons", getattr(operator, _name), swapped=False)
    setattr(CountedNumber, f"__{_name}__", _compare)


def count_operations(function: Callable[..., object], *args: Any) -> Operations:
    """Return how many arithmetic operations a call does on the floats among its arguments.

    Floats, arrays of floats, and those in lists and tuples among the `args` are replaced by numbers
    that count, in copies. Whole numbers stay as they are. What the `function`, called once, makes
    of constants alone is not counted, nor are operations of libraries that need plain floats
    (`numpy.linalg`, `scipy`), which refuse them. Returns an `Operations`.

    Examples
    --------
    >>> import numpy as np
    >>> count_operations(np.dot, np.ones(100), np.ones(100)).flops
    199
    """
    tally = Operations()
    function(*(_counting(arg, tally) for arg in args))
    return tally


def _counting(value: Any, tally: Operations) -> Any:
    if isinstance(value, (float, np.floating)):
        return CountedNumber(float(value), tally)
    if isinstance(value, (list, tuple)):
        return type(value)(_counting(item, tally) for item in value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        counted = np.empty(value.shape, dtype=object)
        counted.ravel()[:] = [CountedNumber(float(item), tally) for item in value.flat]
        return counted
    return value
