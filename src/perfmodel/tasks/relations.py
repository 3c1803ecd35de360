"""How a student's answers are related to the right ones, where one rule holds in all cases.

Each sentence states what was found in the numbers; what may have led to it is asked, never claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from perfmodel.answers.closeness import agrees, numbers
from perfmodel.answers.slips import BYTES, has_unit
from perfmodel.units import number
from perfmodel.validation import Floats

_NEAR = 0.03
_POWERS = {2.0: "the square of", 0.5: "the square root of"}
_BINARY = {"GiB": 2**30 / 1e9, "MiB": 2**20 / 1e6, "KiB": 1.024}
_TIMES = {2.0: "twice", 0.5: "half of"}


def relation(
    answers: Sequence[Any],
    rights: Sequence[Any],
    cases: Sequence[Mapping[str, Any]],
    tolerance: float,
    unit: str = "",
) -> str:
    """Return the rule that leads from the right answers to those given, or nothing.

    Both are numbers, or arrays of them, one a case each; `cases` holds the arguments of each case
    by name, and is empty where a value is asked for.

    >>> cases = [{"n": 2, "t": 5.0}, {"n": 3, "t": 7.0}]
    >>> relation([5.0, 7.0], [10.0, 21.0], cases, 1e-6)
    'In all cases you have the right number over `n`: is a factor missing or a divisor too many?'
    >>> relation([15.0, 28.0], [10.0, 21.0], cases, 1e-6)
    'In all cases you are above the right number by `t`: did you add it once too often?'
    >>> relation([20.0, 42.0], [10.0, 21.0], cases, 1e-6)
    'In all cases you have twice the right number: look for a factor of 2.'
    """
    known_rights = [numbers(right) for right in rights]
    sizes = [0 if right is None else right.size for right in known_rights]
    mine, theirs = (_row(values, sizes) for values in (answers, rights))
    if mine is None or theirs is None or mine.shape != theirs.shape or not theirs.any():
        return ""
    known = _arguments(cases, sizes)
    several = "In all cases you" if len(rights) > 1 else "Everywhere you"
    head = several if mine.size > 1 else "You"
    with np.errstate(all="ignore"):
        for said in _rules(mine, theirs, known, tolerance, unit):
            return f"{head} {said}"
    return ""


def _rules(
    mine: Floats, theirs: Floats, known: Mapping[str, Floats], tolerance: float, unit: str
) -> Iterator[str]:
    """Yield what each rule that holds says, the plainest first."""

    def same(values: Floats) -> bool:
        return bool(np.isfinite(values).all()) and agrees(mine, values, tolerance)

    if mine.size > 1 and not np.ptp(mine) and np.ptp(theirs):
        yield f"have {number(mine[0])}, whatever the arguments are."
    for factor, words in _TIMES.items():
        if same(factor * theirs):
            yield f"have {words} the right number: look for a factor of 2."
    if has_unit(unit, BYTES):
        for name, factor in _BINARY.items():
            if same(factor * theirs) or same(theirs / factor):
                decimal = name.replace("i", "")
                yield f"are off by the ratio of {name} to {decimal}: which unit is asked for?"
    yield from _of_arguments(same, theirs, known)
    for power, words in _POWERS.items():
        if same(theirs**power):
            yield f"have {words} the right number."
    if (theirs < 1).all() and (theirs > 0).all() and same(1 - theirs):
        yield "have 1 minus the right number: the other part is asked for."
    if mine.size > 1:
        ratio = mine[0] / theirs[0]
        if same(ratio * theirs) and np.ptp(theirs):
            yield f"have {number(ratio)} times the right number: which constant is that?"
        if same(theirs + (mine - theirs)[0]) and np.ptp(theirs):
            off = (mine - theirs)[0]
            yield f"are {'above' if off > 0 else 'below'} the right number by {number(abs(off))}."
    whole = same(np.round(mine)) and not same(theirs)
    if whole and any(same(rounding(theirs)) for rounding in (np.floor, np.ceil)):
        yield "rounded to a whole number: give the number unrounded."
    elif whole and (np.abs(np.abs(mine - theirs) - 1) < 1e-9 * np.abs(theirs)).all():
        yield "are off by one: check both ends of the count."
    elif agrees(mine, theirs, _NEAR):
        yield (
            f"are within {100 * _NEAR:.0f} % of the right number: is a small term missing, or did "
            "you round on the way?"
        )


def _of_arguments(same: Any, theirs: Floats, known: Mapping[str, Floats]) -> Iterator[str]:
    for name, values in known.items():
        if same(values * theirs):
            yield (
                f"have the right number times `{name}`: is a divisor missing or a factor too many?"
            )
        if same(theirs / values):
            yield f"have the right number over `{name}`: is a factor missing or a divisor too many?"
        if same(theirs + values):
            yield f"are above the right number by `{name}`: did you add it once too often?"
        if same(theirs - values):
            yield f"are below the right number by `{name}`: is it missing?"
        for shown, term in ((f"{name} - 1", values - 1), (f"1 - {name}", 1 - values)):
            if same(term * theirs) or same(theirs / term):
                way = "times" if same(term * theirs) else "over"
                yield f"have the right number {way} `{shown}`: does that factor belong there?"
        if same((values - 1) / values * theirs) or same(values / (values - 1) * theirs):
            yield f"are off by the ratio of `{name}` to `{name} - 1`: which of them belongs there?"
        if same(values):
            yield f"have `{name}` itself."
    for (one, first), (other, second) in permutations(known.items(), 2):
        if same(first / second * theirs):
            yield (
                f"have the right number times `{one}` over `{other}`: check which of them "
                "multiplies and which divides."
            )
        if one < other and same(first * second * theirs):
            yield f"have the right number times `{one}` and `{other}`: is one of them too many?"
        if one < other and same(theirs / (first * second)):
            yield f"have the right number over `{one}` and `{other}`: is one of them missing?"
        if one < other and (same(theirs + first * second) or same(theirs - first * second)):
            way = "above" if same(theirs + first * second) else "below"
            yield f"are {way} the right number by `{one}` times `{other}`: which term is that?"
        if same(theirs + first / second) or same(theirs - first / second):
            way = "above" if same(theirs + first / second) else "below"
            yield f"are {way} the right number by `{one}` over `{other}`: which term is that?"


def _arguments(cases: Sequence[Mapping[str, Any]], sizes: Sequence[int]) -> dict[str, Floats]:
    """Return the numbers that the cases name, those that differ from case to case."""
    if len(cases) != len(sizes) or sum(sizes) < 2:
        return {}
    rows = {name: _row([case.get(name) for case in cases], sizes) for name in cases[0]}
    return {
        name: row
        for name, row in rows.items()
        if row is not None and np.isfinite(row).all() and np.ptp(row) and row.all()
    }


def _row(values: Sequence[Any], sizes: Sequence[int]) -> Floats | None:
    """Return finite numbers, this many a case, a single one for all of its case; or None."""
    parts = []
    for value, size in zip(values, sizes, strict=True):
        found = numbers(value)
        if found is None or found.size not in (1, size):
            return None
        parts.append(np.broadcast_to(found.ravel(), size))
    row = np.concatenate(parts) if parts else np.empty(0)
    return row if np.isfinite(row).all() else None
