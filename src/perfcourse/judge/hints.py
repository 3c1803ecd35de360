"""What a good teacher says to an answer that no named misconception explains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from perfcourse.bank import Question
from perfcourse.bank.model_answers import outcome
from perfcourse.bank.properties import AnswerError
from perfcourse.bank.words import TRUTHS
from perfcourse.kernel.plain import Other
from perfmodel.answers.closeness import close, numbers, off
from perfmodel.answers.slips import SLIPS, Slip, explaining
from perfmodel.answers.words import MAX_WORDS, option, pair, phrase, word

UNANSWERED = "Not answered yet."
PACKAGE_ONLY = (
    "This function calls the package's own. The question asks you to build it: "
    "write the formula yourself, in a cell that doesn't call the package's."
)
BOTH = 'Give both, the choice and the number that argues for it, as ("choice", number).'
_NOT_FINITE = "Your answer isn't finite: look for a division by zero."
_UNKNOWN = (
    "None of the usual mistakes leads to this. Check the formula, then the units, with a case "
    "that you can do by hand."
)
UNKNOWN_WORDS = "That isn't it. Read the question once more, and what the chapter calls it."
_NEARLY = "Nearly: did you round on the way, or is a small term missing?"
REFUSE = (
    "Your function answers for inputs that make no sense. Look for the condition under which the "
    "formula holds, and raise a ValueError where it doesn't."
)
_NEAR = 0.03
_SAFE_HINTS = {_NOT_FINITE, _NEARLY, BOTH, *(slip.hint for slip in SLIPS)}
"""Hints that can't carry a hidden input to the student."""


def value_hint(question: Question, answer: Any, expected: Any, told: bool = True) -> str:
    """Return the hint for a value that is neither right nor a known misconception's.

    Where `told` is false it says nothing of the value itself, so that no hidden data finds its way
    into the feedback.
    """
    hint = _value_hint(question, answer, expected)
    if told or hint in _SAFE_HINTS:
        return hint
    return _UNKNOWN if question.numeric else UNKNOWN_WORDS


def _value_hint(question: Question, answer: Any, expected: Any) -> str:
    if question.kind == "text":
        return words_hint(answer) or UNKNOWN_WORDS
    if question.kind == "option":
        return option_hint(question.choices, answer) or "That isn't the right choice."
    if question.kind == "choice":
        return _choice_hint(question, answer, expected)
    if isinstance(expected, dict):
        return _table_hint(answer, expected, question.tolerance)
    return _number_hint(answer, expected, question.tolerance)


def _number_hint(answer: Any, expected: Any, tolerance: float) -> str:
    slipped = _slip_hint(explaining(answer, expected, tolerance))
    near = _NEARLY if off(answer, expected) < _NEAR else _UNKNOWN
    return _form_hint(answer, expected) or slipped or near


def _form_hint(answer: Any, expected: Any) -> str:
    """Return what is wrong with an answer's form, or ''."""
    mine, theirs = numbers(answer), numbers(expected)
    if mine is None or theirs is None:
        return f"Give plain numbers, not {type_word(answer)}."
    if mine.size != theirs.size or (mine.shape != theirs.shape and mine.size > 1):
        return f"The answer has shape {_shape(theirs)}; yours has shape {_shape(mine)}."
    return "" if np.isfinite(mine).all() else _NOT_FINITE


def _slip_hint(found: list[Slip]) -> str:
    """Return what the slips that explain an answer say, all of them: no one is preferred."""
    return " Or else: ".join(dict.fromkeys(slip.hint for slip in found))


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


def _choice_hint(question: Question, answer: Any, expected: Any) -> str:
    given = pair(answer)
    if given is None:
        return BOTH
    if word(given[0]) not in {word(option) for option in question.choices}:
        return f"Choose one of: {', '.join(question.choices)}."
    if close(given[1], expected[1], question.tolerance):
        return "Your number is right, but it argues for another choice."
    return "First the number. " + _number_hint(given[1], expected[1], question.tolerance)


def _table_hint(answer: Any, expected: dict[str, Any], tolerance: float) -> str:
    if not isinstance(answer, dict) or set(answer) != set(expected):
        return f"Give a dict with the keys {', '.join(expected)}."
    name = next(name for name in expected if not close(answer[name], expected[name], tolerance))
    return f"Column {name}: " + _number_hint(answer[name], expected[name], tolerance)


def function_hint(
    question: Question,
    got: list[Any],
    wrong: list[tuple[dict[str, Any], Any]],
    told: bool,
    tried: AnswerError | None = None,
) -> str:
    """Return the hint for a function: `got` are its results, `wrong` the cases it got wrong.

    Where `told` is false the hint carries nothing that the function could have put there, so that
    no hidden input finds its way into the feedback; of its errors only what it raised when it was
    `tried` on inputs that its author may know. Inputs that the reference refuses are not valid, and
    a function that refuses them too is right there.
    """
    outcomes = [(value, outcome(question, 0, case)) for case, value in wrong]
    compared = [(value, known) for value, known in outcomes if not isinstance(known, AnswerError)]
    if not compared:
        return REFUSE
    errors = [value for value, _ in compared if isinstance(value, AnswerError)]
    refused = sum(isinstance(value, AnswerError) for value in got) - len(errors)
    valid = len(got) - refused - (len(wrong) - len(compared))
    if errors:
        if errors[0].kind == "OutOfTimeError":
            return "Your function took too long: is there a loop that doesn't end?"
        always = "for every" if len(errors) == valid else "for some"
        return f"Your function raised {_error(errors[0] if told else tried)} {always} valid input."
    some = "" if len(compared) == valid else "Right for some inputs only. "
    slips = [
        slip
        for slip in SLIPS
        if all(slip.explains(*values, question.tolerance) for values in compared)
    ]
    hint = _form_hint(*compared[0]) or _slip_hint(slips) or _UNKNOWN
    return some + (hint if told or hint in _SAFE_HINTS else _UNKNOWN)


def _error(error: AnswerError | None) -> str:
    if error is None:
        return "an error"
    return f"{error.kind} ({error.message})" if error.message else error.kind


def type_word(answer: Any) -> str:
    """Return what an answer is, in words."""
    if isinstance(answer, Other):
        return f"a {answer.type_name}"
    words = {str: "text", bool: "a truth value", dict: "a dict", list: "a list of other things"}
    return words.get(type(answer), "this")


def _shape(array: Any) -> str:
    return "of a single number" if array.ndim == 0 else str(array.shape)
