"""Comparison of a student's values with the right ones, and the slips that anybody can make."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from perfmodel.units import number
from perfmodel.validation import Floats

FLOOR = 1e-12
"""An error this small, relative to the largest number of an answer, is rounding."""
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


def agrees(answer: Any, right: Any, tolerance: float) -> bool:
    """Return whether `answer` is `right` within a relative `tolerance`.

    Numbers and arrays of them must have one shape; a dict is compared key by key, other sequences
    part by part. In text, case and spaces don't count. Where 0 is right, the tolerance is absolute,
    or relative to the largest number asked for if that is less than 1.

    >>> agrees(0.1 + 0.2, 0.3, 1e-6), agrees([1, 2], np.array([1.0, 2.0]), 1e-6)
    (True, True)
    >>> agrees(" PS ", "ps", 1e-6), agrees({"a": 1}, {"a": 1, "b": 2}, 1e-6), agrees(True, 1, 0.1)
    (True, False, False)
    """
    if isinstance(right, Mapping):
        if not isinstance(answer, Mapping) or set(answer) != set(right):
            return False
        return all(agrees(answer[key], right[key], tolerance) for key in right)
    theirs = numbers(right)
    if theirs is None:
        return _same_other(answer, right, tolerance)
    mine = numbers(answer)
    if mine is None or (mine.shape != theirs.shape and not mine.size == theirs.size == 1):
        return False
    mine, theirs = mine.ravel(), theirs.ravel()
    finite = np.abs(theirs[np.isfinite(theirs)])
    largest = float(finite.max(initial=0.0)) or 1.0
    scale = np.where(theirs == 0, min(largest, 1.0), np.abs(theirs))
    with np.errstate(all="ignore"):
        near = np.abs(mine - theirs) <= np.maximum(tolerance * scale, FLOOR * largest)
    return bool(np.all(np.where(np.isfinite(theirs), near, mine == theirs)))


def _same_other(answer: Any, right: Any, tolerance: float) -> bool:
    """Compare what isn't numbers: text, truth values, and sequences that hold them."""
    answer, right = (v.tolist() if isinstance(v, np.ndarray) else v for v in (answer, right))
    if isinstance(right, str):
        return isinstance(answer, str) and _plain(answer) == _plain(right)
    if isinstance(right, Sequence):
        if not isinstance(answer, Sequence) or isinstance(answer, str):
            return False
        pairs = zip(answer, right, strict=False)
        return len(answer) == len(right) and all(agrees(a, r, tolerance) for a, r in pairs)
    if isinstance(right, bool | np.bool_):
        return isinstance(answer, bool | np.bool_) and bool(answer) == bool(right)
    return bool(np.array_equal(answer, right))


def numbers(value: Any) -> Floats | None:
    """Return `value` as a float array, or None where it isn't numbers all through.

    >>> numbers([1, 2.5]), numbers("1"), numbers([True]), numbers([[1], [1, 2]])
    (array([1. , 2.5]), None, None, None)
    """
    try:
        array = np.asarray(value)
    except ValueError:
        return None
    return array.astype(float) if array.dtype.kind in "iuf" else None


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
    slips = {-1.0: "The sign is the wrong way round."}
    for factor, (why, units) in _FACTORS.items():
        cause = f": {why}" if has_unit(unit, units) else "."
        slips[factor] = f"You are a factor of {number(factor)} too high{cause}"
        slips[1 / factor] = f"You are a factor of {number(factor)} too low{cause}"
    found = [said for by, said in slips.items() if agrees(mine, by * theirs, tolerance)]
    if theirs.all() and agrees(mine, 1 / theirs, tolerance):
        found.append("You have the reciprocal: the ratio is the wrong way up.")
    return found[0] if len(found) == 1 else ""


def has_unit(unit: str, pattern: str) -> bool:
    """Return whether a whole word of a unit matches a pattern; no unit is an empty word.

    >>> has_unit("GB/s", BYTES), has_unit("servers", BYTES), has_unit("", "|%")
    (True, False, True)
    """
    words = [word for word in re.split(r"[^\w%]+", unit) if word] or [""]
    return any(re.fullmatch(pattern, word) for word in words)


def short(value: Any, digits: int = 6) -> str:
    """Return an argument or an answer in a few characters, numbers to so many `digits`.

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


def _flat(value: Any) -> Floats | None:
    if isinstance(value, Mapping):
        value = [value[key] for key in sorted(value)]
    if isinstance(value, list | tuple):
        parts = [_flat(part) for part in value]
        known = [part for part in parts if part is not None]
        return np.concatenate(known) if known and len(known) == len(parts) else None
    found = numbers(value)
    return None if found is None else found.ravel()


def _plain(text: str) -> str:
    return " ".join(text.replace("\u2019", "'").split()).casefold()


def _shape(array: Floats) -> str:
    return f"shape {array.shape}" if array.ndim else "the shape of a single number"


def _kind(value: Any) -> str:
    if numbers(value) is not None:
        return "a number" if np.ndim(value) == 0 else "an array of numbers"
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    words = {str: "text", bool: "a truth value", dict: "a dict", list: "a list", tuple: "a tuple"}
    return words.get(type(value), f"a {type(value).__name__}")
