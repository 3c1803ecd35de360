"""What a good teacher says to a value that no named mistake explains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from perfcourse.kernel.plain import Other
from perfmodel.answers.closeness import close, numbers, off
from perfmodel.answers.slips import SLIPS, Slip, explaining
from perfmodel.answers.words import MAX_WORDS, option, phrase

UNANSWERED = "Not answered yet."
BOTH = 'Give both, the choice and the number that argues for it, as ("choice", number).'
NOT_FINITE = "Your answer isn't finite: look for a division by zero."
UNKNOWN = (
    "None of the usual mistakes leads to this. Check the formula, then the units, with a case "
    "that you can do by hand."
)
UNKNOWN_WORDS = "That isn't it. Read the question once more, and what the chapter calls it."
NEARLY = "Nearly: did you round on the way, or is a small term missing?"
_NEAR = 0.03
SAFE_HINTS = {NOT_FINITE, NEARLY, BOTH, *(slip.hint for slip in SLIPS)}
"""Hints that can't carry a hidden input to the student."""
TRUTHS = ("true", "false")


def number_hint(answer: Any, expected: Any, tolerance: float) -> str:
    """Return the hint for a wrong number or array: its form, the slips that explain it, or none."""
    slipped = slip_hint(explaining(answer, expected, tolerance))
    near = NEARLY if off(answer, expected) < _NEAR else UNKNOWN
    return form_hint(answer, expected) or slipped or near


def form_hint(answer: Any, expected: Any) -> str:
    """Return what is wrong with the form of a number or an array, or ''."""
    mine, theirs = numbers(answer), numbers(expected)
    if mine is None or theirs is None:
        return f"Give plain numbers, not {type_word(answer)}."
    if mine.size != theirs.size or (mine.shape != theirs.shape and mine.size > 1):
        return f"The answer has shape {_shape(theirs)}; yours has shape {_shape(mine)}."
    return "" if np.isfinite(mine).all() else NOT_FINITE


def slip_hint(slips: Sequence[Slip]) -> str:
    """Return what the slips that explain an answer say, all of them: no one is preferred."""
    return " Or else: ".join(dict.fromkeys(slip.hint for slip in slips))


def table_hint(answer: Any, expected: dict[str, Any], tolerance: float) -> str:
    """Return the hint for a table, a dict of columns: its keys, or its first wrong column."""
    if not isinstance(answer, dict) or set(answer) != set(expected):
        return f"Give a dict with the keys {', '.join(expected)}."
    name = next(name for name in expected if not close(answer[name], expected[name], tolerance))
    return f"Column {name}: " + number_hint(answer[name], expected[name], tolerance)


def words_hint(answer: Any) -> str:
    """Return what is wrong with the form of an answer in words, or ''."""
    if not isinstance(answer, str):
        return f"Answer in words, in quotation marks, not with {type_word(answer)}."
    if len(answer) > MAX_WORDS:
        return f"Answer in a few words: {MAX_WORDS} characters at most."
    return "" if phrase(answer) else UNANSWERED


def option_hint(choices: Sequence[str], answer: Any) -> str:
    """Return what is wrong with a choice as such, or ''."""
    if option(answer) in {option(choice) for choice in choices}:
        return ""
    if tuple(choices) == TRUTHS:
        return "Answer True or False."
    return f"Choose one of: {', '.join(choices)}."


def wrong_shape(shape: Sequence[int], answer: Any) -> str:
    """Return what is wrong with an answer that is to be finite numbers of a shape, or ''."""
    array = numbers(answer)
    if array is None:
        return f"Give plain numbers, not {type_word(answer)}."
    if not np.isfinite(array).all():
        return "Not finite: look for a division by zero."
    given = np.asarray(answer).shape
    if list(given) == shape or np.prod(given) == np.prod(shape) == 1:
        return ""
    return f"Give {_amount(shape)}, not {_amount(given)}."


def _amount(shape: Sequence[int]) -> str:
    if len(shape) > 1:
        return f"an array of shape {tuple(shape)}"
    return f"an array of {shape[0]}" if shape else "a single number"


def missing(answer: Any) -> bool:
    """Whether nothing, or the placeholder, stands where the answer should."""
    return answer is None or (isinstance(answer, Other) and answer.type_name == "ellipsis")


def type_word(answer: Any) -> str:
    """Return what an answer is, in words."""
    if isinstance(answer, Other):
        return f"a {answer.type_name}"
    words = {str: "text", bool: "a truth value", dict: "a dict", list: "a list of other things"}
    return words.get(type(answer), "this")


def _shape(array: Any) -> str:
    return "of a single number" if array.ndim == 0 else str(array.shape)
