"""The check in the notebook: right, or the hint that fits the mistake, and never a traceback.

>>> check = checker("scaling", student="ab123", start="/nowhere")
>>> check("q1", 3.5)
q1: No question bank here; your answer will be judged when you hand in.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path
from typing import Any

from perfcourse.bank import Bank, Question
from perfcourse.hints import UNANSWERED
from perfcourse.judge import Verdict, judge, parameters
from perfcourse.kernel.plain import TooBigError, plain
from perfcourse.kernel.withheld import withheld
from perfcourse.loading import find, load
from perfcourse.properties import AnswerError, Ask

NO_BANK = "No question bank here; your answer will be judged when you hand in."
_UNSET = object()


class Reply:
    """What `check` answers: text at a prompt, a small accessible box in a notebook."""

    def __init__(self, label: str, state: str, text: str) -> None:
        self.label = label
        self.state = state
        self.text = text

    def __repr__(self) -> str:
        return f"{self.label}: {self.text}"

    def _repr_html_(self) -> str:
        mark = {"right": "✔", "partly": "◐ Partly.", "wrong": "✘ Not yet."}.get(self.state, "○")
        colour = {"right": "#1a7f37", "partly": "#9a6700", "wrong": "#cf222e"}.get(self.state, "")
        return (
            f'<div role="status" style="border-left:.3em solid {colour or "#57606a"};'
            f'padding:.2em .8em"><strong>{html.escape(self.label)} {mark}</strong> '
            f"{html.escape(self.text)}</div>"
        )


class Checker:
    """Checks a student's answers to one topic; call it with a question's id and the answer."""

    def __init__(self, topic: str, student: str, bank: Bank | None) -> None:
        self.topic = topic
        self.student = student
        self.bank = bank

    def __call__(self, question: str, answer: Any = _UNSET) -> Reply:
        """Judge `answer`, or the variable that the question names where it is left out."""
        if self.bank is None:
            return Reply(question, "", NO_BANK)
        try:
            asked = self.bank.question(question)
        except ValueError as error:
            return Reply(question, "", str(error))
        if answer is _UNSET:
            answer = _from_notebook(asked.answer)
        return _reply(asked, self.verdict(asked, answer))

    def parameters(self, question: str) -> dict[str, Any]:
        """Return your own parameters of a question, as a dict."""
        if self.bank is None:
            raise LookupError(
                f"No question bank here, so the parameters of {question} are unknown."
            )
        return parameters(self.topic, self.bank.question(question), self.student)

    def points(self, question: str, answer: Any) -> float:
        """Return the points that `answer` earns; 0 where there is no bank."""
        if self.bank is None:
            return 0.0
        return self.verdict(self.bank.question(question), answer).earned

    def verdict(self, question: Question, answer: Any) -> Verdict:
        """Judge a live Python object as the answer to a question."""
        if question.kind == "function":
            return judge(self.topic, question, asking(answer, question), self.student)
        try:
            value = plain(answer)
        except Exception as error:
            return _failed(question, f"The answer can't be read: {_shown(error)}")
        return judge(self.topic, question, value, self.student)


def checker(
    topic: str,
    student: str = "anyone",
    *,
    start: Path | str | None = None,
    banks: Path | str | None = None,
) -> Checker:
    """Return the check of a topic's exercises, for use as `check("q1", answer)`.

    Parameters
    ----------
    topic : str
        Name of the bank, for example `scaling`.
    student : str
        Your id, as your instructor knows it; your personal parameters follow from it.
    start, banks : path, optional
        Where to look from (upwards, for `solutions/TOPIC.py`), or the folder that holds the bank.
    """
    try:
        path = Path(banks) / f"{topic}.py" if banks else find(topic, start)
        return Checker(topic, str(student).strip(), load(path))
    except FileNotFoundError:
        return Checker(topic, str(student).strip(), None)


def asking(function: Any, question: Question) -> Ask:
    """Return the `Ask` of a live function: plain data in and out, any exception an AnswerError."""
    if not callable(function):
        return _not_callable(function)

    def ask(*arguments: Any) -> Any:
        try:
            with withheld(question.builds):
                return plain(function(*arguments))
        except TooBigError as error:
            raise AnswerError("TooBigError", str(error)) from None
        except ValueError as error:
            raise AnswerError("ValueError", str(error)[:500]) from None
        except Exception as error:
            raise AnswerError(type(error).__name__, str(error)[:500]) from None

    return ask


def _not_callable(value: Any) -> Callable[..., Any]:
    def ask(*arguments: Any) -> Any:
        if value is None or value is Ellipsis:
            raise AnswerError("NotImplementedError")
        raise AnswerError("TypeError", f"{type(value).__name__} is not a function")

    return ask


def _from_notebook(name: str) -> Any:
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    shell = get_ipython()
    return shell.user_ns.get(name) if shell is not None else None


def _reply(question: Question, verdict: Verdict) -> Reply:
    state = "right" if verdict.right else "partly" if verdict.earned else "wrong"
    if verdict.message == UNANSWERED:
        state = ""
    score = f" ({verdict.earned:g} of {verdict.points:g} points)"
    return Reply(question.id, state, verdict.message + (score if verdict.answered else ""))


def _failed(question: Question, message: str) -> Verdict:
    return Verdict(question.id, 0.0, question.points, message)


def _shown(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:200]}"
