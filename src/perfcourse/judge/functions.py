"""Judge a function: by its values for drawn inputs, then by its properties."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from perfcourse.bank import Question
from perfcourse.bank.comparison import same
from perfcourse.bank.parameters import cases
from perfcourse.bank.properties import AnswerError, Ask
from perfcourse.judge.hints import PACKAGE_ONLY, UNANSWERED, function_hint
from perfcourse.judge.values import missing
from perfcourse.judge.verdict import Part, Verdict, mistaken, wrong
from perfcourse.kernel.blocked_functions import MARK
from perfcourse.kernel.plain import plain


def judge_function(
    topic: str,
    question: Question,
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
    for mistake in question.misconceptions:
        if _agrees(question, mistake.model, drawn, got):
            return mistaken(question, mistake)
    failed = [
        (case, value)
        for case, value in zip(drawn, got, strict=True)
        if not _agrees_on(question, question.reference, case, value)
    ]
    return wrong(question, function_hint(question, got, failed, secret == "", tried))


def _agrees(
    question: Question, model: Callable[..., Any], drawn: list[dict[str, Any]], got: list[Any]
) -> bool:
    return all(
        _agrees_on(question, model, case, value) for case, value in zip(drawn, got, strict=True)
    )


def _agrees_on(
    question: Question, model: Callable[..., Any], case: dict[str, Any], value: Any
) -> bool:
    try:
        expected = plain(model(*case.values()))
    except (ArithmeticError, ValueError):
        return isinstance(value, AnswerError)
    return not isinstance(value, AnswerError) and same(question, value, expected)


def _with_properties(question: Question, ask: Ask) -> Verdict:
    base = question.points - sum(prop.points for prop in question.properties)
    parts = [Part("right values", base, base)]
    for prop in question.properties:
        try:
            held = bool(prop.holds(ask, question.reference))
        except Exception:  # it raised, or answered with what a property can't compare
            held = False
        parts.append(Part(prop.name, prop.points * held, prop.points, "" if held else prop.hint))
    earned = float(sum(part.earned for part in parts))
    hints = " ".join(part.hint for part in parts if part.hint)
    message = f"Right for the usual inputs. {hints}" if hints else "Right."
    return Verdict(question.id, earned, float(question.points), message, parts=tuple(parts))
