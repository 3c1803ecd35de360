"""What a released notebook carries so that it works without the instructor's question bank.

A cell of the notebook holds, for each question, the student's parameters, or inputs to try a
function on, and the form of the answer. With that the check can say whether an answer has the
right form. It can't say whether it is right, on purpose: a right value known to one part in a
hundred, however well it is hidden, is found by trying, and no part of a reference answer leaves
the instructor's machine.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from perfcourse.bank import Bank, Question
from perfcourse.bank.composite import PARTS, PartsQuestion
from perfcourse.bank.hints import UNANSWERED, missing
from perfcourse.bank.model_answers import shown
from perfcourse.bank.parameters import answers, cases, parameters
from perfcourse.bank.plots import PlotQuestion
from perfcourse.bank.properties import AnswerError, Ask
from perfcourse.bank.values import FunctionQuestion, MeasuredQuestion

ANYONE = "anyone"
"""The student whose parameters a notebook carries that was released for nobody in particular."""
LATER = (
    "Whether it is right can't be told here, without the question bank: you learn it when it has "
    "been graded, or in the folder exercises/ of the course."
)
Given = dict[str, dict[str, Any]]
KINDS: dict[str, type[Question]] = {
    **PARTS,
    **{kind.kind: kind for kind in (MeasuredQuestion, PartsQuestion, PlotQuestion)},
}
"""The classes of questions that are answered by a value, by their kind."""


class NoBankError(LookupError):
    """There is neither a question bank nor anything given; shown as one line in a notebook."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def given(bank: Bank, student: str) -> Given:
    """Return what a student's notebook may know of each question, as plain Python data."""
    return {question.id: _of(bank.topic, question, student) for question in bank.questions}


def _of(topic: str, question: Question, student: str) -> dict[str, Any]:
    form: dict[str, Any] = {"kind": question.kind, "answer": question.answer}
    if isinstance(question, FunctionQuestion):
        return {**form, "inputs": _packed(cases(topic, question, student, "")[0])}
    if not question.personal:
        return form | question.form(None)
    form["parameters"] = _packed(parameters(topic, question, student))
    known = answers(topic, question, student)
    asked = zip(question.asked, known, strict=True)
    parts = {part.id: part.form(values[0]) for part, values in asked}
    return form | ({"parts": parts} if question.parts else parts[question.id])


def source(found: Given, student: str) -> str:
    """Return the code of the cell that gives them to the check.

    >>> print(source({"q1": {"parameters": {"limit": float("inf")}}}, "ada").splitlines()[1])
    from math import inf
    """
    lines = [f"    {id!r}: {form!r}," for id, form in found.items()]
    names = {node.id for node in ast.walk(ast.parse(repr(found))) if isinstance(node, ast.Name)}
    return "\n".join(
        (
            "# Made with this notebook; leave it as it is. "
            "It lets the check work without a question bank.",
            *([f"from math import {', '.join(sorted(names))}"] if names else []),
            f"check.given({student!r}, {{",
            *lines,
            "})",
        )
    )


def unpacked(value: Any) -> Any:
    """Return parameters as a question draws them, arrays as arrays."""
    if isinstance(value, dict):
        return np.array(value["array"]) if set(value) == {"array"} else _each(value)
    return [unpacked(part) for part in value] if isinstance(value, list) else value


def _each(value: dict[str, Any]) -> dict[str, Any]:
    return {name: unpacked(part) for name, part in value.items()}


def _packed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _packed(part) for name, part in value.items()}
    if isinstance(value, np.ndarray):
        return {"array": shown(value).tolist()}
    return [_packed(part) for part in value] if isinstance(value, list) else value


def look(form: dict[str, Any], answer: Any) -> tuple[bool, str]:
    """Return whether an answer, plain data or an `Ask`, has the right form, and what to say."""
    if form["kind"] == FunctionQuestion.kind:
        return _tried(form, answer)
    if missing(answer):
        return False, UNANSWERED
    complaint = KINDS[form["kind"]].wrong_form(form, answer)
    return not complaint, complaint or f"Has the right form. {LATER}"


def _tried(form: dict[str, Any], ask: Ask) -> tuple[bool, str]:
    inputs = unpacked(form["inputs"])
    call = f"{form['answer']}({', '.join(f'{name}={value}' for name, value in inputs.items())})"
    try:
        value = ask(*inputs.values())
    except AnswerError as error:
        if error.kind == "NotImplementedError":
            return False, UNANSWERED
        return False, f"{call} raised {error}."
    if missing(value):
        return False, "Your function returns nothing: end it with return."
    return True, f"{call} gave {_short(value)}. {LATER}"


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."
