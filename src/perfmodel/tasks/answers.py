"""A student's value: whether there is one, why it can't be compared, and how it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from perfmodel.answers.closeness import numbers
from perfmodel.validation import Floats


def unfilled(answer: Any) -> bool:
    """Return whether an answer is nothing, or has `...` left in it.

    >>> unfilled(...), unfilled({"a": 1.0, "b": ...}), unfilled([0.0]), unfilled(np.zeros(3))
    (True, True, False, False)
    """
    if isinstance(answer, Mapping):
        answer = list(answer.values())
    if isinstance(answer, list | tuple):
        return any(part is ... for part in answer)
    return answer is None or answer is ...


def complaint(answer: Any, right: Any) -> str:
    """Return why `answer` can't be compared with `right` at all, or nothing.

    >>> complaint([1.0, 2.0], np.ones(3))
    'it has shape (2,), and shape (3,) is asked for'
    >>> complaint("12", 12.0), complaint(2.0, 3.0)
    ('it is text, and a number is asked for', '')
    """
    if answer is None or answer is ...:
        return "it is nothing: is a return missing?"
    if isinstance(right, Mapping):
        if isinstance(answer, Mapping) and set(answer) == set(right):
            said = {key: complaint(answer[key], right[key]) for key in right}
            return next((f"at {key!r} {why}" for key, why in said.items() if why), "")
        return f"a dict with the keys {', '.join(map(repr, right))} is asked for"
    mine, theirs = numbers(answer), numbers(right)
    if theirs is None or mine is None:
        same = (mine is None) == (theirs is None) and _kind(answer) == _kind(right)
        return "" if same else f"it is {_kind(answer)}, and {_kind(right)} is asked for"
    if mine.shape != theirs.shape and not mine.size == theirs.size == 1:
        return f"it has {_shape(mine)}, and {_shape(theirs)} is asked for"
    if np.isfinite(theirs).all() and not np.isfinite(mine).all():
        return "it isn't finite: look for a division by zero"
    return ""


def short(value: Any, digits: int = 6) -> str:
    """Return an argument or an answer in a few characters, numbers to this many `digits`.

    More digits are shown of a number that would otherwise look like a whole one.

    >>> short(0.1 + 0.2), short(np.arange(100.0)), short("PS"), short(1e-9), short(12345678)
    ('0.3', '[0, 1, 2, ... 99]', "'PS'", '1e-09', '12345678')
    >>> short([[1], [2, 3]]), short(1.0 + 1e-9), short(1.0)
    ('[[1], [2, 3]]', '1.000000001', '1')
    """
    if isinstance(value, np.bool_):
        return str(bool(value))
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        return (
            _digits(float(value), digits) if isinstance(value, float | np.floating) else str(value)
        )
    if _is_row(value):
        parts = [short(part, digits) for part in value]
        return f"[{', '.join(parts if len(parts) <= 4 else [*parts[:3], '... ' + parts[-1]])}]"
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if callable(value) and hasattr(value, "__name__"):
        return str(value.__name__)
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _digits(value: float, digits: int) -> str:
    text = f"{value:.{digits}g}"
    plain = float(text)
    if plain != value and plain.is_integer() and abs(value) < 10.0**digits:
        text = next(t for n in range(digits, 18) if float(t := f"{value:.{n}g}") != plain)
    return text


def _is_row(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim == 1
    return isinstance(value, list | tuple) and not any(
        isinstance(part, list | tuple | np.ndarray) for part in value
    )


def _shape(array: Floats) -> str:
    return f"shape {array.shape}" if array.ndim else "the shape of a single number"


def _kind(value: Any) -> str:
    if numbers(value) is not None:
        return "a number" if np.ndim(value) == 0 else "an array of numbers"
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    words = {str: "text", bool: "a truth value", dict: "a dict", list: "a list", tuple: "a tuple"}
    return words.get(type(value), f"a {type(value).__name__}")
