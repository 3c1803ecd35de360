"""Judge a function: by its values for drawn inputs, then by its properties."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from perfcourse.bank.hints import (
    SAFE_HINTS,
    UNANSWERED,
    UNKNOWN,
    form_hint,
    missing,
    slip_hint,
)
from perfcourse.bank.model_answers import check_answerable, outcome
from perfcourse.bank.parameters import cases
from perfcourse.bank.properties import AnswerError, Ask
from perfcourse.bank.values import FunctionQuestion
from perfcourse.judge.verdict import Part, Verdict, mistaken, wrong
from perfcourse.kernel.blocked_functions import MARK
from perfcourse.kernel.plain import plain
from perfmodel.answers.slips import SLIPS

PACKAGE_ONLY = (
    "Your function calls the package's function. The question asks you to build it yourself: "
    "write the formula, in a cell that doesn't call the package's function."
)
REFUSE = (
    "Your function answers for inputs that make no sense. Look for the condition under which the "
    "formula holds, and raise a ValueError where it doesn't."
)


def judge_function(
    topic: str,
    question: FunctionQuestion,
    ask: Ask,
    student: str,
    secret: str,
    tried: AnswerError | None,
) -> Verdict:
    """Judge what a function answers for inputs drawn with `secret`; see `judge`."""
    drawn = cases(topic, question, student, secret)
    got = ask.each(case.values() for case in drawn)
    if all(isinstance(value, AnswerError) and value.kind == "NotImplementedError" for value in got):
        return wrong(question, UNANSWERED, answered=False)
    if all(missing(value) for value in got):
        return wrong(question, "Your function returns nothing: end it with return.", False)
    if any(isinstance(value, AnswerError) and MARK in value.message for value in got):
        return wrong(question, PACKAGE_ONLY)
    if _agrees(question, question.reference, drawn, got):
        return _with_properties(question, ask)
    for mistake in question.mistakes:
        if _agrees(question, mistake.model, drawn, got):
            return mistaken(question, mistake)
    failed = [
        (case, value)
        for case, value in zip(drawn, got, strict=True)
        if not _agrees_on(question, question.reference, case, value)
    ]
    return wrong(question, _hint(question, got, failed, secret == "", tried))


def _agrees(
    question: FunctionQuestion,
    model: Callable[..., Any],
    drawn: list[dict[str, Any]],
    got: list[Any],
) -> bool:
    return all(
        _agrees_on(question, model, case, value) for case, value in zip(drawn, got, strict=True)
    )


def _agrees_on(
    question: FunctionQuestion, model: Callable[..., Any], case: dict[str, Any], value: Any
) -> bool:
    try:
        expected = plain(model(*case.values()))
    except (ArithmeticError, ValueError):
        return isinstance(value, AnswerError)
    if model is question.reference:
        check_answerable(question, expected, case)
    return not isinstance(value, AnswerError) and question.same(value, expected)


def _with_properties(question: FunctionQuestion, ask: Ask) -> Verdict:
    base = question.points - sum(prop.points for prop in question.properties)
    parts = [Part("right values", base, base)]
    for prop in question.properties:
        try:
            holds = bool(prop.holds(ask, question.reference))
        except Exception:  # it raised, or answered with what a property can't compare
            holds = False
        parts.append(Part(prop.name, prop.points * holds, prop.points, "" if holds else prop.hint))
    earned = float(sum(part.earned for part in parts))
    hints = " ".join(part.hint for part in parts if part.hint)
    message = f"Right for the usual inputs. {hints}" if hints else "Right."
    return Verdict(question.id, earned, float(question.points), message, parts=tuple(parts))


def _hint(
    question: FunctionQuestion,
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
            return "Your function took too long. Look for a loop that doesn't end."
        always = "for every" if len(errors) == valid else "for some"
        raised = (
            f"Your function raised {_error(errors[0] if told else tried)} {always} valid input."
        )
        return f"{raised} Call it in your notebook to see where."
    partly = "" if len(compared) == valid else "Right for some inputs only. "
    slips = [
        slip
        for slip in SLIPS
        if all(slip.explains(*values, question.tolerance) for values in compared)
    ]
    hint = form_hint(*compared[0]) or slip_hint(slips) or UNKNOWN
    return partly + (hint if told or hint in SAFE_HINTS else UNKNOWN)


def _error(error: AnswerError | None) -> str:
    if error is None:
        return "an error"
    return f"{error.kind} ({error.message})" if error.message else error.kind
