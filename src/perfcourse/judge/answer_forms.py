"""What a released notebook carries so that it works without the instructor's question bank.

A cell of the notebook holds, for each question, the student's parameters, or inputs to try a
function on, and the form of the answer. With that the check can say whether an answer has the
right form. It can't say whether it is right, on purpose: a right value known to one part in a
hundred, however well it is hidden, is found by trying, and no part of a reference answer leaves
the instructor's machine.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from perfcourse.bank import Bank, Question
from perfcourse.bank.drawn_plots import read
from perfcourse.bank.model_answers import shown
from perfcourse.bank.parameters import answers, cases, parameters
from perfcourse.bank.plot_comparison import aspects
from perfcourse.bank.properties import AnswerError, Ask
from perfcourse.judge.composite import by_part
from perfcourse.judge.hints import BOTH, UNANSWERED, option_hint, type_word, words_hint
from perfcourse.judge.measurements import wrong_table
from perfcourse.judge.values import missing
from perfmodel.answers.closeness import numbers
from perfmodel.answers.words import pair, word

ANYONE = "anyone"
"""The student whose parameters a notebook carries that was released for nobody in particular."""
LATER = (
    "Whether it is right can't be told here, without the question bank: you learn it when it has "
    "been graded, or in the folder exercises/ of the course."
)
Given = dict[str, dict[str, Any]]


class NoBankError(LookupError):
    """There is neither a question bank nor anything given; shown as one line in a notebook."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def given(bank: Bank, student: str) -> Given:
    """Return what a student's notebook may know of each question, as plain Python data."""
    return {question.id: _of(bank.topic, question, student) for question in bank.questions}


def _of(topic: str, question: Question, student: str) -> dict[str, Any]:
    form: dict[str, Any] = {"kind": question.kind, "answer": question.answer}
    if question.kind == "function":
        form["inputs"] = _packed(cases(topic, question, student, "")[0])
    elif question.kind == "measured":
        form["columns"], form["least"] = list(question.columns), question.least
    else:
        form["parameters"] = _packed(parameters(topic, question, student))
        known = answers(topic, question, student)
        asked = zip(question.asked, known, strict=True)
        parts = {part.id: _of_value(part, values[0]) for part, values in asked}
        form |= {"parts": parts} if question.parts else parts[question.id]
    return form


def _of_value(question: Question, expected: Any) -> dict[str, Any]:
    form: dict[str, Any] = {"kind": question.kind}
    if question.kind == "array":
        form["shape"] = _shape(expected)
    if question.kind == "plot":
        form |= {"curves": len(expected.curves), "aspects": aspects(expected)}
    if question.choices:
        form["choices"] = list(question.choices)
    return form


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


def _shape(expected: Any) -> Any:
    """Return the shape of an array, or of each column of a table by its name."""
    if isinstance(expected, dict):
        return {name: _shape(part) for name, part in expected.items()}
    return list(np.shape(expected))


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
    if form["kind"] == "function":
        return _tried(form, answer)
    if missing(answer):
        return False, UNANSWERED
    complaint = _WRONG[form["kind"]](form, answer)
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


def _wrong_array(form: dict[str, Any], answer: Any) -> str:
    shape = form["shape"]
    if not isinstance(shape, dict):
        return _not_shaped(shape, answer)
    if not isinstance(answer, dict) or set(answer) != set(shape):
        return f"Give a dict with the keys {', '.join(shape)}."
    complaints = {name: _not_shaped(wanted, answer[name]) for name, wanted in shape.items()}
    return next((f"Column {name}: {said}" for name, said in complaints.items() if said), "")


def _not_shaped(shape: list[int], answer: Any) -> str:
    if complaint := _not_numbers(answer):
        return complaint
    found = np.asarray(answer).shape
    if list(found) == shape or np.prod(found) == np.prod(shape) == 1:
        return ""
    return f"Give {_amount(shape)}, not {_amount(found)}."


def _amount(shape: Sequence[int]) -> str:
    if len(shape) > 1:
        return f"an array of shape {tuple(shape)}"
    return f"an array of {shape[0]}" if shape else "a single number"


def _wrong_number(form: dict[str, Any], answer: Any) -> str:
    return _not_shaped([], answer)


def _not_numbers(answer: Any) -> str:
    found = numbers(answer)
    if found is None:
        return f"Give plain numbers, not {type_word(answer)}."
    return "" if np.isfinite(found).all() else "Not finite: look for a division by zero."


def _wrong_choice(form: dict[str, Any], answer: Any) -> str:
    answered = pair(answer)
    if answered is None:
        return BOTH
    if word(answered[0]) not in {word(option) for option in form["choices"]}:
        return f"Choose one of: {', '.join(form['choices'])}."
    return _not_shaped([], answered[1])


def _wrong_text(form: dict[str, Any], answer: Any) -> str:
    return words_hint(answer)


def _wrong_option(form: dict[str, Any], answer: Any) -> str:
    return option_hint(form["choices"], answer)


def _wrong_parts(form: dict[str, Any], answer: Any) -> str:
    given = by_part(list(form["parts"]), answer)
    if isinstance(given, str):
        return given
    complaints = {
        id: UNANSWERED if missing(given[id]) else _WRONG[part["kind"]](part, given[id])
        for id, part in form["parts"].items()
    }
    return " ".join(f"{id}: {said}" for id, said in complaints.items() if said)


def _wrong_plot(form: dict[str, Any], answer: Any) -> str:
    shown = read(answer)
    if isinstance(shown, str):
        return shown.replace("NAME", form["answer"])
    if len(shown.series) != form["curves"]:
        return f"Draw {form['curves']} curve(s), no more and no fewer."
    if "labels" in form["aspects"] and not all(shown.labels.values()):
        return "Label both axes."
    absent = "legend" in form["aspects"] and not shown.legend
    return "Label each curve, then add a legend." if absent else ""


def _wrong_table(form: dict[str, Any], answer: Any) -> str:
    if complaint := wrong_table(form["columns"], form["least"], answer):
        return complaint
    complaint = _not_shaped([], answer["answer"])
    return f"answer: {complaint}" if complaint else ""


_WRONG = {
    "number": _wrong_number,
    "array": _wrong_array,
    "choice": _wrong_choice,
    "measured": _wrong_table,
    "text": _wrong_text,
    "option": _wrong_option,
    "parts": _wrong_parts,
    "plot": _wrong_plot,
}


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."
