"""Which slips and mistakes of a question lead to the same numbers."""

from __future__ import annotations

import functools
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from perfmodel.answers.closeness import numbers
from perfmodel.answers.slips import SLIPS, Numbers

if TYPE_CHECKING:
    from perfcourse.bank import Question

_HINTS = {slip.name: slip.hint for slip in SLIPS}
RIGHT = "the right answer"


def coincident(question: Question, answers: list[Any]) -> set[tuple[str, str]]:
    """Return the pairs of names that lead to the same numbers by different thoughts.

    `answers` are the right one and those of the question's mistakes, in order. A pair is of
    slips, or of a slip and a mistake; for choices also of mistakes or the right
    answer, which may have a number in common though they choose differently.
    """
    given = [question.numbers_of(answer) for answer in answers]
    right = None if isinstance(given[0], dict) else numbers(given[0])
    if right is None:
        return set()
    names = [RIGHT, *(wrong.name for wrong in question.mistakes)]
    with np.errstate(all="ignore"):
        made = {slip.name: slip.of(right) for slip in SLIPS}
    made |= {name: numbers(answer) for name, answer in zip(names, given, strict=True)}
    rows = {name: row for name, row in made.items() if row is not None and row.size == right.size}
    coinciding = _alike([row.ravel() for row in rows.values()], question.tolerance)
    return {
        pair
        for pair, same in zip(combinations(rows, 2), coinciding, strict=True)
        if same and _differs(question, *pair)
    }


def _differs(question: Question, one: str, other: str) -> bool:
    """Whether two names that lead to the same numbers are worth telling apart."""
    if one in _HINTS and other in _HINTS:
        return _HINTS[one] != _HINTS[other]
    return RIGHT not in (one, other) if one in _HINTS else bool(question.choices)


@functools.lru_cache(maxsize=64)
def _pairs(count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first and the second of each pair, in the order of `combinations`."""
    first, second = np.triu_indices(count, 1)
    return first, second


def _alike(rows: list[Numbers], tolerance: float) -> NDArray[np.bool_]:
    """Return for each pair of rows, in the order of `combinations`, whether they agree."""
    first, second = _pairs(len(rows))
    table = np.array(rows)
    mine, theirs = table[first], table[second]
    with np.errstate(all="ignore"):
        scale = np.maximum(np.abs(mine), np.abs(theirs))
        agree = np.abs(mine - theirs) <= tolerance * scale
    rows_agree: NDArray[np.bool_] = np.all(agree, axis=1)
    return rows_agree
