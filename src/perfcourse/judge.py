"""Judge one answer against its question: points, and what a good teacher would say.

The judge sees plain data only. A function is asked through a callable that takes and returns
plain data and raises `AnswerError`; whether it lives in this process (the check in the notebook)
or behind the wall (grading) makes no difference here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from perfcourse.bank import Misconception, Model, Question
from perfcourse.compare import close, distance, numbers, pair, same, word
from perfcourse.draws import answers, cases, models_of, parameters
from perfcourse.hints import PACKAGE_ONLY, UNANSWERED, function_hint, value_hint
from perfcourse.kernel.plain import Other, plain
from perfcourse.kernel.withheld import MARK
from perfcourse.properties import AnswerError, Ask

MAX_MEASUREMENTS = 1000


@dataclass(frozen=True)
class Part:
    """One named part of a question: points earned out of points, and why not all."""

    name: str
    earned: float
    points: float
    hint: str = ""


@dataclass(frozen=True)
class Verdict:
    """What became of one answer."""

    question: str
    earned: float
    points: float
    message: str
    answered: bool = True
    misconception: str = ""
    """The name of the misconception that explains the answer, if one does."""
    parts: tuple[Part, ...] = ()
    failed: bool = False
    """Whether the question could not be judged, which is not the student's fault."""

    @property
    def right(self) -> bool:
        """Whether all points were earned."""
        return self.earned >= self.points


def judge(
    topic: str,
    question: Question,
    answer: Any,
    student: str,
    secret: str = "",
    tried: AnswerError | None = None,
) -> Verdict:
    """Judge one answer.

    Parameters
    ----------
    topic, question, student
        Whose answer to what.
    answer : Ask or plain data
        For a function question a callable that behaves like `Ask`, otherwise plain data.
    secret : str
        Seed of the inputs that a function is tried on; empty in the notebook.
    tried : AnswerError, optional
        What a function raised for inputs that its author may know, before it saw hidden ones.

    Returns
    -------
    Verdict
        Never raises for any answer.
    """
    try:
        if question.kind == "function":
            return _judge_function(topic, question, answer, student, secret, tried)
        if missing(answer):
            return _wrong(question, UNANSWERED, answered=False)
        if question.kind == "measured":
            return _judge_measured(question, answer)
        expected, *wrong = answers(topic, question, student)
        return _judge_value(question, answer, expected, wrong)
    except _BANK_ERRORS as error:
        return unjudged(question, error)


_BANK_ERRORS = ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError


def unjudged(question: Question, error: Exception) -> Verdict:
    """Return the verdict on a question whose own reference or inputs fail."""
    message = (
        f"This question could not be judged: its own check raised {type(error).__name__} for your "
        "numbers. Tell your instructor; it isn't your mistake."
    )
    return Verdict(question.id, 0.0, float(question.points), message, failed=True)


def model_answer(topic: str, question: Question, model: Model, student: str) -> Any:
    """Return the answer of a student who thinks that `model` is right; what tests hand in."""
    if question.kind == "function":
        return _asking_model(model)
    drawn = parameters(topic, question, student)
    value = plain(model(**drawn))
    return {**drawn, "answer": value} if question.kind == "measured" else value


def _judge_value(question: Question, answer: Any, expected: Any, wrong: list[Any]) -> Verdict:
    """Judge a value from the right one and those of the misconceptions, in order."""
    if same(question, answer, expected):
        return _right(question)
    errors = [distance(question, answer, mistaken) for mistaken in wrong]
    if min(errors, default=np.inf) <= question.tolerance:
        return _mistaken(question, question.misconceptions[int(np.argmin(errors))])
    if question.kind == "choice" and (by := _by_number(question, answer, [expected, *wrong])):
        return _mistaken(question, by)
    return _wrong(question, value_hint(question, answer, expected))


def _by_number(question: Question, answer: Any, known: list[Any]) -> Misconception | None:
    """Return the one misconception that explains the number, whatever was chosen by it."""
    given = pair(answer)
    if given is None or word(given[0]) not in {word(option) for option in question.choices}:
        return None
    found = [
        place
        for place, (_, number) in enumerate(known)
        if close(given[1], number, question.tolerance)
    ]
    return question.misconceptions[found[0] - 1] if len(found) == 1 and found[0] else None


def _judge_measured(question: Question, answer: Any) -> Verdict:
    if complaint := wrong_table(question.columns, question.least, answer):
        return _wrong(question, complaint)
    columns = {name: numbers(answer[name]) for name in question.columns}
    try:
        if question.plausible and (complaint := question.plausible(**columns)):
            return _wrong(question, complaint)
        expected, *wrong = (model(**columns) for model in models_of(question))
        return _judge_value(question, answer["answer"], expected, wrong)
    except Exception as error:
        return _wrong(question, f"These measurements can't be modelled: {str(error)[:200]}")


def wrong_table(columns: Sequence[str], least: int, answer: Any) -> str:
    """Return what is wrong with the form of measurements handed in, or ''."""
    wanted = [*columns, "answer"]
    have = answer if isinstance(answer, dict) else {}
    absent = [name for name in wanted if missing(have.get(name))]
    if absent:
        return f"Hand in a dict with {', '.join(wanted)}; not found: {absent[0]}."
    sizes = set()
    for name in columns:
        column = numbers(have[name])
        if column is not None and column.size > MAX_MEASUREMENTS:
            return f"Hand in {MAX_MEASUREMENTS} measurements at most."
        if column is None or column.ndim != 1 or not np.isfinite(column).all():
            return f"{name} must be a list of measured, finite numbers."
        sizes.add(column.size)
    if len(sizes) > 1:
        return "Every column must have the same number of measurements."
    if min(sizes) < least:
        return f"Measure {least} or more; these are {min(sizes)}."
    return ""


def _judge_function(
    topic: str,
    question: Question,
    ask: Ask,
    student: str,
    secret: str,
    tried: AnswerError | None,
) -> Verdict:
    drawn = cases(topic, question, student, secret)
    got = [_outcome(ask, list(case.values())) for case in drawn]
    if all(isinstance(value, AnswerError) and value.kind == "NotImplementedError" for value in got):
        return _wrong(question, UNANSWERED, answered=False)
    if all(missing(value) for value in got):
        return _wrong(question, "Your function returns nothing: end it with return.", False)
    if any(isinstance(value, AnswerError) and MARK in value.message for value in got):
        return _wrong(question, PACKAGE_ONLY)
    if _agrees(question, question.reference, drawn, got):
        return _with_properties(question, ask)
    for mistake in question.misconceptions:
        if _agrees(question, mistake.model, drawn, got):
            return _mistaken(question, mistake)
    wrong = [
        (case, value)
        for case, value in zip(drawn, got, strict=True)
        if not _agrees_on(question, question.reference, case, value)
    ]
    return _wrong(question, function_hint(question, got, wrong, secret == "", tried))


def _asking_model(model: Model) -> Ask:
    def ask(*arguments: Any) -> Any:
        try:
            return plain(model(*arguments))
        except (ArithmeticError, ValueError) as error:
            raise AnswerError(type(error).__name__, str(error)) from None

    return ask


def _outcome(ask: Ask, arguments: list[Any]) -> Any:
    try:
        return ask(*arguments)
    except AnswerError as error:
        return error


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
        expected = model(*case.values())
    except (ArithmeticError, ValueError):
        return isinstance(value, AnswerError)
    return not isinstance(value, AnswerError) and same(question, value, expected)


def _with_properties(question: Question, ask: Ask) -> Verdict:
    base = question.points - sum(prop.points for prop in question.properties)
    parts = [Part("right values", base, base)]
    for prop in question.properties:
        try:
            held = prop.holds(ask, question.reference)
        except AnswerError:
            held = False
        parts.append(Part(prop.name, prop.points * held, prop.points, "" if held else prop.hint))
    earned = float(sum(part.earned for part in parts))
    hints = " ".join(part.hint for part in parts if part.hint)
    message = f"Right for the usual inputs. {hints}" if hints else "Right."
    return Verdict(question.id, earned, float(question.points), message, parts=tuple(parts))


def _right(question: Question) -> Verdict:
    return Verdict(question.id, float(question.points), float(question.points), "Right.")


def _mistaken(question: Question, wrong: Misconception) -> Verdict:
    return Verdict(question.id, 0.0, float(question.points), wrong.hint, True, wrong.name)


def _wrong(question: Question, message: str, answered: bool = True) -> Verdict:
    return Verdict(question.id, 0.0, float(question.points), message, answered)


def missing(answer: Any) -> bool:
    """Whether nothing, or the placeholder, stands where the answer should."""
    return answer is None or (isinstance(answer, Other) and answer.type_name == "ellipsis")
