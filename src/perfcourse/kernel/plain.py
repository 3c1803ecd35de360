"""Plain data: the only form in which an answer reaches the code that judges it.

An answer is rebuilt from scratch out of Python's own bool, int, float, complex, str, None, list
and dict and of plain NumPy arrays; of a dataclass a dict of its fields. Whatever else a student
hands in arrives as an `Other` that knows only its type's name, so no object of theirs, with an
`__eq__` or `__array__` of its own, ever meets a comparison.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

MAX_DEPTH = 8
MAX_LEAVES = 100_000
MAX_TEXT = 10_000
_ARRAY_KINDS = "biufc"


class TooBigError(ValueError):
    """The value is larger or more deeply nested than any answer needs to be."""


@dataclass(frozen=True)
class Other:
    """Stands for a value that isn't plain data; only its type's name is kept."""

    type_name: str


def whole(text: str) -> str:
    r"""Return a text with a question mark for each half of a character, which no file can hold.

    >>> whole("a\ud800b")
    'a?b'
    """
    return text.encode("utf-8", "replace").decode("utf-8")


def plain(value: Any) -> Any:
    """Return `value` rebuilt from plain data, with an `Other` for each part that isn't plain.

    More than 100 000 elements, 10 000 characters or 8 levels of nesting raise `TooBigError`.

    >>> plain((np.float64(0.5), {"n": np.arange(3)}, {1, 2}))
    [0.5, {'n': array([0, 1, 2])}, Other(type_name='set')]
    """
    return _rebuilt(value, MAX_DEPTH, [MAX_LEAVES])


def _rebuilt(value: Any, depth: int, budget: list[int]) -> Any:
    _spend(budget, 1)
    if depth == 0:
        raise TooBigError(f"the answer is nested more than {MAX_DEPTH} levels deep")
    if value is None or isinstance(value, bool | np.bool_):
        return None if value is None else bool(value)
    if isinstance(value, int | float | complex | np.number):
        return _scalar(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return {_text(str(key)): _rebuilt(v, depth - 1, budget) for key, v in value.items()}
    if isinstance(value, list | tuple | range):
        return _elements(value, depth, budget)
    if isinstance(value, Other):
        return _other(value.type_name)
    if is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        return _rebuilt(parts, depth, budget)
    if isinstance(value, Real | Decimal):
        return float(value)
    return _array_like(value, depth, budget)


def _scalar(value: Any) -> int | float | complex:
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value)
    return complex(value)


def _text(value: str) -> str:
    if len(value) > MAX_TEXT:
        raise TooBigError(f"the answer holds a text of more than {MAX_TEXT} characters")
    return whole(value)


def _elements(values: Iterable[Any], depth: int, budget: list[int]) -> list[Any]:
    return [_rebuilt(value, depth - 1, budget) for value in values]


def _array_like(value: Any, depth: int, budget: list[int]) -> Any:
    if isinstance(value, np.ndarray):
        return _array(value, depth, budget)
    kind = f"{type(value).__module__}.{type(value).__name__}"
    if kind.startswith("pandas.") and kind.endswith(".DataFrame"):
        return {str(name): _array(value[name].to_numpy(), depth, budget) for name in value.columns}
    if kind.startswith("pandas.") and hasattr(value, "to_numpy"):
        return _array(value.to_numpy(), depth, budget)
    return _other(type(value).__name__)


def _other(type_name: str) -> Other:
    """Return what stands for a value; a class can be given any text for a name."""
    return Other("".join(filter(str.isprintable, type_name[:80])))


def _array(array: Any, depth: int, budget: list[int]) -> Any:
    if array.dtype.kind not in _ARRAY_KINDS:
        inside = array.tolist()
        return (
            _elements(inside, depth, budget) if array.ndim else _rebuilt(inside, depth - 1, budget)
        )
    if array.dtype.itemsize > 16:
        array = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    _spend(budget, array.size)
    if array.ndim == 0:
        return array.item()
    return np.array(array, dtype=array.dtype, order="C", subok=False)


def _spend(budget: list[int], amount: int) -> None:
    budget[0] -= amount
    if budget[0] < 0:
        raise TooBigError(f"the answer has more than {MAX_LEAVES} elements")
