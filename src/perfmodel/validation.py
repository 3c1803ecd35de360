"""Checks of arguments: one sentence that names the argument, its value and what is allowed.

Every model calls these first, so that bad input never turns into a silent NaN:

>>> within("serial_fraction", 1.2, 0, 1)
Traceback (most recent call last):
    ...
ValueError: serial_fraction must be between 0 and 1, got 1.2
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
LARGEST_WHOLE = 2**63 - 1024
"""The largest floating-point number that an integer of 64 bits holds."""


def finite(name: str, value: ArrayLike) -> Floats:
    """Return `value` as a float array, refusing text, complex numbers, NaN and infinity.

    >>> finite("time", [1, 2])
    array([1., 2.])
    """
    array = _as_floats(name, value)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {_shown(value)}")
    return array


def positive(name: str, value: ArrayLike) -> Floats:
    """Return `value` as a float array whose every element is finite and above zero."""
    array = finite(name, value)
    if not (array > 0).all():
        raise ValueError(f"{name} must be above 0, got {_shown(value)}")
    return array


def non_negative(name: str, value: ArrayLike) -> Floats:
    """Return `value` as a float array whose every element is finite and zero or more."""
    array = finite(name, value)
    if not (array >= 0).all():
        raise ValueError(f"{name} must be 0 or more, got {_shown(value)}")
    return array


def at_least(name: str, value: ArrayLike, low: float) -> Floats:
    """Return `value` as a float array whose every element is finite and `low` or more."""
    array = finite(name, value)
    if not (array >= low).all():
        raise ValueError(f"{name} must be {low:g} or more, got {_shown(value)}")
    return array


def at_most(name: str, value: ArrayLike, high: float) -> Floats:
    """Return `value` as a float array whose every element is finite and `high` or less."""
    array = finite(name, value)
    if not (array <= high).all():
        raise ValueError(f"{name} must be at most {high:.15g}, got {_shown(value)}")
    return array


def within(name: str, value: ArrayLike, low: float, high: float) -> Floats:
    """Return `value` as a float array whose every element lies in the closed range [low, high].

    >>> within("serial_fraction", 0.25, 0, 1)
    array(0.25)
    """
    array = finite(name, value)
    if not ((array >= low) & (array <= high)).all():
        raise ValueError(f"{name} must be between {low:g} and {high:g}, got {_shown(value)}")
    return array


def whole(name: str, value: Any, low: int = 0, high: float = LARGEST_WHOLE) -> int:
    """Return `value` as an int from `low` to `high`; 3.0 is whole, 3.5 and True are not.

    Without `high` any number is accepted that an integer of 64 bits holds.

    >>> whole("levels", 1e9, low=1, high=10_000)
    Traceback (most recent call last):
        ...
    ValueError: levels must be at most 10000, got 1000000000.0
    """
    array = finite(name, value)
    if array.ndim or isinstance(value, bool | np.bool_) or array != np.floor(array) or array < low:
        raise ValueError(f"{name} must be a whole number, {low} or more, got {_shown(value)}")
    at_most(name, value, high)
    return int(value)


def whole_numbers(name: str, value: ArrayLike, low: int, high: float = np.inf) -> Floats:
    """Return `value` as a float array of whole numbers from `low` to `high`.

    >>> whole_numbers("servers", 2.5, 1)
    Traceback (most recent call last):
        ...
    ValueError: servers must be whole and 1 or more, got 2.5
    """
    array = np.asarray(value, dtype=None if is_regular(value) else object)
    fine = array.dtype.kind in "iuf" and (np.isfinite(array) & (array >= low)).all()
    if not fine or (array != np.floor(array)).any():
        raise ValueError(f"{name} must be whole and {low} or more, got {value!r}")
    return at_most(name, array, high)


def one_number(name: str, value: Any, check: Callable[[str, ArrayLike], Floats] = finite) -> float:
    """Return `value` as a float that passes `check`, refusing arrays and lists.

    >>> one_number("capacity", 3, positive)
    3.0
    """
    array = check(name, value)
    if array.ndim:
        raise ValueError(f"{name} must be one number, got {_shown(value)}")
    return float(array)


def check_shapes(**arguments: ArrayLike) -> None:
    """Refuse arguments without a value, and arguments that do not broadcast.

    >>> check_shapes(arrival_rate=[1, 2], service_rate=[1, 2, 3])
    Traceback (most recent call last):
        ...
    ValueError: arrival_rate and service_rate must have shapes that broadcast, got (2,) and (3,)
    """
    shapes = {
        name: np.shape(value) if is_regular(value) else finite(name, value).shape
        for name, value in arguments.items()
    }
    for name, shape in shapes.items():
        if 0 in shape:
            raise ValueError(f"{name} must have one value or more, got shape {shape}")
    try:
        np.broadcast_shapes(*shapes.values())
    except ValueError:
        names, sizes = (_listed(map(str, part)) for part in (shapes, shapes.values()))
        raise ValueError(f"{names} must have shapes that broadcast, got {sizes}") from None


def one_of(name: str, value: Any, allowed: Iterable[str]) -> str:
    """Return `value` if it is one of the words `allowed`.

    >>> one_of("when_full", "wait", ("block", "lose"))
    Traceback (most recent call last):
        ...
    ValueError: when_full must be one of block, lose, got 'wait'
    """
    words = tuple(allowed)
    if not isinstance(value, str) or value not in words:
        raise ValueError(f"{name} must be one of {', '.join(words)}, got {_shown(value)}")
    return value


def function(name: str, value: Any, of: str = "") -> Callable[..., Any]:
    """Return `value` if it can be called.

    >>> function("clock", 3.0)
    Traceback (most recent call last):
        ...
    ValueError: clock must be a function, got 3.0
    """
    if not callable(value):
        raise ValueError(f"{name} must be a function{of and f' of {of}'}, got {_shown(value)}")
    return value  # type: ignore[no-any-return]


def sample(name: str, values: ArrayLike, at_least: int = 1) -> Floats:
    """Return `values` as a one-dimensional finite array with `at_least` elements or more."""
    array = finite(name, values)
    if array.ndim != 1 or array.size < at_least:
        raise ValueError(
            f"{name} must be a one-dimensional sample of {at_least} or more values, "
            f"got shape {array.shape}"
        )
    return array


def _as_floats(name: str, value: ArrayLike) -> Floats:
    kind = np.asarray(value).dtype.kind if is_regular(value) else "O"
    if kind not in "iuf":
        raise ValueError(f"{name} must be a number or an array of numbers, got {_shown(value)}")
    return np.asarray(value, dtype=np.float64)


def is_regular(value: ArrayLike) -> bool:
    """Return whether `value` has rows of one length, as an array must.

    >>> is_regular([[1, 2], [3, 4]]), is_regular([[1, 2], [3]])
    (True, False)
    """
    try:
        np.asarray(value)
    except ValueError:
        return False
    return True


def _listed(parts: Iterable[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}"


def _shown(value: object) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    text = np.array2string(np.asarray(value)) if isinstance(value, np.ndarray) else repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
