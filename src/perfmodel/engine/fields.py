"""Bundles: the named fields that a loop works on, the same in machine code and in plain Python.

A bundle is a NamedTuple whose fields are `Ints`, `Reals`, bundles, or an `int` or `float` that
stays the same during a call. Every array has one dimension: entry (i, j) of a table with n columns
stands at i n + j.

>>> from typing import NamedTuple
>>> class Plan(NamedTuple):
...     servers: int
...     arrival: Reals
>>> as_lists(Plan(2, np.array([0.5, 1.0])))
Plan(servers=2, arrival=[0.5, 1.0])
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from typing import Any, TypeVar, get_type_hints

import numpy as np

Ints = MutableSequence[int]
"""Whole numbers: a list in plain Python, an int64 array in machine code."""
Reals = MutableSequence[float]
"""Numbers: a list, or a float64 array."""
NONE = -1
"""No item, where an index is expected."""
F = TypeVar("F", bound=Callable[..., Any])


def outlined(function: F) -> F:
    """Mark a function that the compiler calls and doesn't copy into each of its callers.

    Copies make a loop faster where the function is called often, and the compiler slower.
    """
    function.__dict__["outlined"] = True
    return function


def as_lists(bundle: Any) -> Any:
    """Return a bundle with lists instead of its arrays: plain Python is faster over them."""
    return _mapped(bundle, lambda array: np.asarray(array).tolist())


def as_arrays(bundle: Any) -> Any:
    """Return a bundle with arrays instead of its lists."""
    return _mapped(bundle, np.array)


def _mapped(bundle: Any, change: Callable[[Any], Any]) -> Any:
    changed = [
        _mapped(f, change)
        if isinstance(f, tuple)
        else f
        if isinstance(f, int | float)
        else change(f)
        for f in bundle
    ]
    return type(bundle)(*changed) if hasattr(bundle, "_fields") else tuple(changed)


def zeros(bundle: type, count: int) -> Any:
    """Return a bundle of arrays of this many zeros each."""
    kinds = get_type_hints(bundle).values()
    return bundle(*(reals(count) if kind == Reals else ints(count) for kind in kinds))


def ints(count: int, value: int = 0) -> Any:
    """Return an array of this many whole numbers."""
    return np.full(count, value, np.int64) if value else np.zeros(count, np.int64)


def reals(count: int, value: float = 0.0) -> Any:
    """Return an array of this many numbers."""
    return np.full(count, value) if value else np.zeros(count)
