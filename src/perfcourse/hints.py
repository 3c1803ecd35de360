"""What a good teacher says to an answer that no named misconception explains."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from perfcourse.bank import Question
from perfcourse.compare import close, numbers
from perfcourse.kernel.plain import Other
from perfcourse.properties import AnswerError

UNANSWERED = "Not answered yet."
PACKAGE_ONLY = (
    "This function calls the package's own. The question asks you to build it: "
    "write the formula yourself, in a cell that doesn't call the package's."
)
_NOT_FINITE = "Your answer isn't finite: look for a division by zero."
_RECIPROCAL = "You have the reciprocal: the ratio is the wrong way up."
_FACTORS = {
    -1.0: "The sign is the wrong way round.",
    100.0: "You are a factor of 100 too high: a fraction, not a percentage?",
    0.01: "You are a factor of 100 too low: a percentage, not a fraction?",
    1000.0: "You are a factor of 1000 too high: check the unit's prefix.",
    0.001: "You are a factor of 1000 too low: check the unit's prefix.",
    1e6: "You are a factor of a million too high: check the unit's prefix.",
    1e-6: "You are a factor of a million too low: check the unit's prefix.",
}
_SAFE_HINTS = {_NOT_FINITE, _RECIPROCAL, *_FACTORS.values()}
"""Hints that can't carry a hidden input to the student."""


def value_hint(question: Question, answer: Any, expected: Any) -> str:
    """Return the hint for a value that is neither right nor a known misconception's."""
    if question.kind == "choice":
        return _choice_hint(question, answer, expected)
    if isinstance(expected, dict):
        return _table_hint(answer, expected)
    return _number_hint(answer, expected)


def _number_hint(answer: Any, expected: Any) -> str:
    mine, theirs = numbers(answer), numbers(expected)
    if mine is None or theirs is None:
        return f"Give plain numbers, not {type_word(answer)}."
    if mine.size != theirs.size or (mine.shape != theirs.shape and mine.size > 1):
        return f"The answer has shape {_shape(theirs)}; yours has shape {_shape(mine)}."
    if not np.isfinite(mine).all():
        return _NOT_FINITE
    for factor, advice in _FACTORS.items():
        if close(mine, theirs * factor, 0.01):
            return advice
    with np.errstate(all="ignore"):
        if close(mine, 1 / theirs, 0.01):
            return _RECIPROCAL
    return "Not right yet. Check the formula, then the units, with a case you can do by hand."


def _choice_hint(question: Question, answer: Any, expected: Any) -> str:
    given = pair(answer)
    if given is None:
        return 'Give both, the choice and the number: ("' + question.choices[0] + '", 1.0).'
    if word(given[0]) not in {word(option) for option in question.choices}:
        return f"Choose one of: {', '.join(question.choices)}."
    if close(given[1], expected[1], question.tolerance):
        return "Your number is right, but it argues for another choice."
    return "The number doesn't support a choice yet. " + _number_hint(given[1], expected[1])


def _table_hint(answer: Any, expected: dict[str, Any]) -> str:
    if not isinstance(answer, dict) or set(answer) != set(expected):
        return f"Give a dict with the keys {', '.join(expected)}."
    wrong = [name for name in expected if not close(answer[name], expected[name], 0.01)]
    name = wrong[0] if wrong else next(iter(expected))
    return f"Column {name}: " + _number_hint(answer[name], expected[name])


def function_hint(
    question: Question, got: list[Any], wrong: list[tuple[dict[str, Any], Any]], told: bool
) -> str:
    """Return the hint for a function: `got` are its results, `wrong` the cases it got wrong.

    Where `told` is false the hint carries nothing that the function could have put there, so that
    no hidden input finds its way into the feedback.
    """
    errors = [value for value in got if isinstance(value, AnswerError)]
    if errors:
        if errors[0].kind == "OutOfTimeError":
            return "Your function took too long: is there a loop that doesn't end?"
        always = "for every" if len(errors) == len(got) else "for some"
        return f"Your function raised {_error(errors[0], told)} {always} valid input."
    case, value = wrong[0]
    some = "" if len(wrong) == len(got) else "Right for some inputs only. "
    hint = value_hint(question, value, question.reference(*case.values()))
    return some + (hint if told or hint in _SAFE_HINTS else "Not right yet. Try cases by hand.")


def pair(answer: Any) -> tuple[Any, Any] | None:
    """Return a choice and its number, or None where the answer isn't such a pair."""
    if isinstance(answer, list | tuple) and len(answer) == 2 and isinstance(answer[0], str):
        return answer[0], answer[1]
    return None


def word(text: str) -> str:
    """Return a choice as it is compared: spaces and case don't count."""
    return " ".join(text.split()).casefold()


def _error(error: AnswerError, told: bool) -> str:
    if told and error.message:
        return f"{error.kind} ({error.message})"
    known = isinstance(getattr(builtins, error.kind, None), type)
    return error.kind if told or known else "an exception of its own"


def type_word(answer: Any) -> str:
    """Return what an answer is, in words."""
    if isinstance(answer, Other):
        return f"a {answer.type_name}"
    words = {str: "text", bool: "a truth value", dict: "a dict", list: "a list of other things"}
    return words.get(type(answer), "this")


def _shape(array: Any) -> str:
    return "of a single number" if array.ndim == 0 else str(array.shape)
