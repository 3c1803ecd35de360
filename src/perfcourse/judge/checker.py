"""The check in the notebook: right, or the hint that fits the mistake, and never a traceback.

>>> check = checker("scaling", student="ab123", start="/nowhere")
>>> check.given("ab123", {"q1": {"kind": "number", "answer": "x", "parameters": {"n": 8}}})
>>> check.parameters("q1")
{'n': 8}
>>> check("q1", 3.5)
q1: Has the right form. Whether it is right can't be told here, without the question bank: ...
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any

from perfcourse.bank import Bank, Question
from perfcourse.bank.hints import UNANSWERED
from perfcourse.bank.loader import find, load
from perfcourse.bank.parameters import parameters
from perfcourse.bank.plots import PlotQuestion
from perfcourse.bank.properties import AnswerError, Ask
from perfcourse.bank.values import FunctionQuestion
from perfcourse.judge import Verdict, answer_forms as alone, judge
from perfcourse.judge.answer_forms import ANYONE, Given
from perfcourse.kernel.blocked_functions import withheld
from perfcourse.kernel.figure import shown
from perfcourse.kernel.plain import TooBigError, plain

NO_BANK = (
    "Nothing to check against: there is no question bank here, and this notebook carries none of "
    "its own. Work on and hand in as usual, your answers will be graded; or ask your instructor "
    "for a copy made with `perfcourse release`, which works anywhere."
)
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
        self._given: Given = {}
        self._whose = student

    def __call__(self, question: str, answer: Any = _UNSET) -> Reply:
        """Judge `answer`, or the variable that the question names where it is left out."""
        if self.bank is None:
            return self._form(question, answer)
        try:
            asked = self.bank.question(question)
        except ValueError as error:
            return Reply(question, "", str(error))
        if answer is _UNSET:
            answer = _from_notebook(asked.answer)
        return reply(asked, self.verdict(asked, answer))

    def parameters(self, question: str) -> dict[str, Any]:
        """Return your own parameters of a question, as a dict."""
        if self.bank is not None:
            return parameters(self.topic, self.bank.question(question), self.student)
        if not self._given:
            raise alone.NoBankError(f"The parameters of {question} are unknown here. {NO_BANK}")
        if "parameters" not in self._given.get(question, {}):
            known = [name for name, form in self._given.items() if "parameters" in form]
            raise ValueError(f"question must be one of {', '.join(known)}, got {question!r}")
        self._tell_whose()
        drawn: dict[str, Any] = alone.unpacked(self._given[question]["parameters"])
        return drawn

    def given(self, student: str, questions: Given) -> None:
        """Take what a released notebook carries; used where there is no question bank."""
        self._whose, self._given = student, questions

    def _tell_whose(self) -> None:
        if self._whose and (self._whose != self.student or self._whose == ANYONE):
            print(
                f"These numbers are for practice (those of {self._whose!r}). Graded, this notebook "
                "runs with your own: compute your answers from them, don't type results."
            )
        self._whose = ""

    def _form(self, question: str, answer: Any) -> Reply:
        if not self._given:
            return Reply(question, "", NO_BANK)
        if question not in self._given:
            known = ", ".join(self._given)
            return Reply(question, "", f"question must be one of {known}, got {question!r}")
        form = self._given[question]
        if answer is _UNSET:
            answer = _from_notebook(form["answer"])
        try:
            seen = (
                asking(answer)
                if form["kind"] == FunctionQuestion.kind
                else _read(form["kind"], answer)
            )
            fine, text = alone.look(form, seen)
        except Exception as error:
            fine, text = False, f"The answer can't be read: {_shown(error)}"
        return Reply(question, "" if fine or text == UNANSWERED else "wrong", text)

    def verdict(self, question: Question, answer: Any) -> Verdict:
        """Judge a live Python object as the answer to a question.

        What a student's function warns of meanwhile is not shown: it would be said once for each
        input that it is tried on, and nbgrader takes any line of it for a failed test.
        """
        with redirect_stderr(StringIO()):
            return self._verdict(question, answer)

    def _verdict(self, question: Question, answer: Any) -> Verdict:
        if isinstance(question, FunctionQuestion):
            return judge(self.topic, question, asking(answer, question.builds), self.student)
        try:
            value = _read(question.kind, answer)
        except Exception as error:
            return _failed(question, f"The answer can't be read: {_shown(error)}")
        return judge(self.topic, question, value, self.student)


def checker(
    topic: str,
    student: str = ANYONE,
    *,
    start: Path | str | None = None,
    banks: Path | str | None = None,
) -> Checker:
    """Return the check of a topic's exercises, for use as `check("q1", answer)`.

    `topic` names the bank, for example `scaling`. `student` is your id, as your instructor knows
    it; your personal parameters follow from it. The bank is looked for from `start` upwards, as
    `solutions/TOPIC.py`, or lies in the folder `banks`.
    """
    try:
        path = Path(banks) / f"{topic}.py" if banks else find(topic, start)
        return Checker(topic, str(student).strip(), load(path))
    except FileNotFoundError:
        return Checker(topic, str(student).strip(), None)


def asking(function: Any, builds: Sequence[str] = ()) -> Ask:
    """Return the `Ask` of a live function: plain data in and out, any exception an AnswerError.

    The package's functions named in `builds` raise while it runs.
    """
    if not callable(function):
        return _not_callable(function)

    def ask(*arguments: Any) -> Any:
        try:
            with withheld(builds):
                return plain(function(*arguments))
        except TooBigError as error:
            raise AnswerError("TooBigError", str(error)) from None
        except ValueError as error:
            raise AnswerError("ValueError", str(error)[:500]) from None
        except Exception as error:
            raise AnswerError(type(error).__name__, str(error)[:500]) from None

    return Ask(ask)


def _not_callable(value: Any) -> Ask:
    def ask(*arguments: Any) -> Any:
        if value is None or value is Ellipsis:
            raise AnswerError("NotImplementedError")
        raise AnswerError("TypeError", f"{type(value).__name__} is not a function")

    return Ask(ask)


def _read(kind: str, answer: Any) -> Any:
    """Return an answer as plain data; of a plot what it shows."""
    return plain(shown(answer) if kind == PlotQuestion.kind else answer)


def _from_notebook(name: str) -> Any:
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    shell = get_ipython()
    return shell.user_ns.get(name) if shell is not None else None


def reply(question: Question, verdict: Verdict) -> Reply:
    """Return what a student is told about an answer."""
    state = "right" if verdict.right else "partly" if verdict.earned else "wrong"
    if verdict.message == UNANSWERED:
        state = ""
    score = f" ({verdict.earned:g} of {verdict.points:g} points)"
    return Reply(question.id, state, verdict.message + (score if verdict.answered else ""))


def _failed(question: Question, message: str) -> Verdict:
    return Verdict(question.id, 0.0, question.points, message)


def _shown(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:200]}"
