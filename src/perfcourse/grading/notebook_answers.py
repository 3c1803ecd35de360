"""Ask a notebook behind the wall for its answers, and have each judged on this side."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from perfcourse.bank import Bank, Question
from perfcourse.bank.model_answers import draw
from perfcourse.bank.parameters import generator
from perfcourse.bank.plots import PlotQuestion
from perfcourse.bank.properties import AnswerError, Ask
from perfcourse.bank.values import FunctionQuestion
from perfcourse.isolation.notebook import Notebook
from perfcourse.isolation.session import BrokenError, StoppedError
from perfcourse.judge import Verdict, judge, unjudged
from perfcourse.judge.answer_forms import ANYONE
from perfcourse.kernel.plain import MAX_LEAVES

ONLY_THE_FILE = (
    "This answer is right for the {} that came with the assignment, but it was graded with other "
    "data in its place: compute the answer from the file instead of typing it."
)


NOT_THERE = (
    "The notebook has nothing called {}. Keep the name that the question gives, and run its cell."
)
NOT_PLAIN = (
    "{} can't be read. Give numbers, texts, or lists, dicts and arrays of these, "
    f"{MAX_LEAVES:,} values at most."
)


@dataclass(frozen=True)
class Asking:
    """Who is asked what; `secret` is the seed of the hidden inputs."""

    notebook: Notebook
    bank: Bank
    student: str
    secret: str

    def verdicts(self) -> tuple[Verdict, ...]:
        """Ask for every answer and judge it.

        Values are asked for before any function is called, and each function is tried on inputs
        that its author may know before any is called with hidden ones: so no function can put its
        hidden inputs where the feedback would show them.
        """
        judged: dict[str, Verdict] = {}
        tried: dict[str, AnswerError | None] = {}
        for question in self.bank.questions:
            if not isinstance(question, FunctionQuestion):
                judged[question.id] = self._guarded(self._value, question)
        for question in self.bank.questions:
            if isinstance(question, FunctionQuestion):
                outcome = self._guarded(self._tried, question)
                if isinstance(outcome, Verdict):
                    judged[question.id] = outcome
                else:
                    tried[question.id] = outcome
        for question in self.bank.questions:
            if question.id in tried:
                judged[question.id] = self._guarded(self._function, question, tried[question.id])
        if self.notebook.broken is not None:
            raise self.notebook.broken
        return tuple(judged[question.id] for question in self.bank.questions)

    def _guarded(self, asked: Callable[..., Any], question: Question, *more: Any) -> Any:
        try:
            return asked(question, *more)
        except StoppedError as stopped:
            why = "ended its process or took too long" if self.bank.hides else stopped
            how = f"{question.answer} {why}. Try it with other inputs in your notebook."
            return zero(question, self.notebook.ended or how)
        except BrokenError:
            raise
        except Exception as error:
            return unjudged(question, error)

    def _value(self, question: Question) -> Verdict:
        reply = self.notebook.get(question.answer, as_figure=isinstance(question, PlotQuestion))
        if reply.get("missing"):
            return _not_there(question)
        if "error" in reply:
            return zero(question, NOT_PLAIN.format(question.answer))
        value, told = reply.get("value"), not self.bank.hides
        verdict = judge(self.bank.topic, question, value, self.student, self.secret, told=told)
        if verdict.earned:
            return verdict
        if question.file and question.file.hidden and self._judged(question, value).earned:
            return zero(question, ONLY_THE_FILE.format(question.file.name))
        return self._told_whose(question, value, verdict) if told else verdict

    def _judged(self, question: Question, answer: Any, whose: str = "") -> Verdict:
        """Judge by what students have seen."""
        return judge(self.bank.topic, question, answer, whose or self.student)

    def _told_whose(self, question: Question, answer: Any, verdict: Verdict) -> Verdict:
        """Say so where a wrong number is right for practice, or for the id the notebook names."""
        claimed = self.notebook.get("STUDENT").get("value")
        for whose in (claimed, ANYONE):
            if not isinstance(whose, str) or whose == self.student:
                continue
            if self._judged(question, answer, whose).earned:
                return zero(
                    question,
                    f"This answer is for the parameters of {whose[:80]!r}, but was handed in by "
                    f"{self.student[:80]!r}. Set STUDENT to your own id, and compute the answer "
                    "from check.parameters(...) instead of typing it.",
                )
        return verdict

    def _tried(self, question: Question) -> Verdict | AnswerError | None:
        """Return what a function raises for inputs that are no secret; None if nothing."""
        rng = generator("tried", self.bank.topic, question.id, self.student)
        (reply,) = self.notebook.calls(question.answer, list(draw(question, rng).values()))
        if reply.get("missing"):
            return _not_there(question)
        if reply.get("callable") is False:
            name = question.answer
            return zero(question, f"{name} is not a function. Define it with def {name}(...).")
        outcome = _outcome(reply)
        return outcome if isinstance(outcome, AnswerError) else None

    def _function(self, question: Question, tried: AnswerError | None) -> Verdict:
        """Judge a function; where data is hidden, what it raised may come from there."""
        ask = _Function(self.notebook, question.answer, _late(tried))
        told = None if self.bank.hides else tried
        return judge(self.bank.topic, question, ask, self.student, self.secret, told)


class _Function(Ask):
    """A function behind the wall as the judge asks it.

    Once it took too long it isn't called again: `late` is the error that it has from then on.
    """

    def __init__(self, notebook: Notebook, name: str, late: AnswerError | None = None) -> None:
        self._notebook = notebook
        self._name = name
        self._late = late

    def each(self, calls: Iterable[Iterable[Any]]) -> list[Any]:
        """Return what each of several calls returns, or the AnswerError that it raises."""
        many = list(map(list, calls))
        replies = () if self._late else self._notebook.calls(self._name, *many)
        outcomes: list[Any] = []
        for reply in replies:
            outcomes.append(self._late or _outcome(reply))
            self._late = _late(outcomes[-1])
        return outcomes or [self._late for _ in many]


def _outcome(reply: dict[str, Any]) -> Any:
    if "value" in reply:
        return reply["value"]
    return AnswerError(*(reply.get("error") or ("TypeError", "no answer")))


def _late(outcome: Any) -> AnswerError | None:
    late = isinstance(outcome, AnswerError) and outcome.kind == "OutOfTimeError"
    return outcome if late else None


def zero(question: Question, message: str) -> Verdict:
    """Return the verdict on a question that has no answer that could be judged."""
    return Verdict(question.id, 0.0, float(question.points), message, answered=False)


def _not_there(question: Question) -> Verdict:
    return zero(question, NOT_THERE.format(question.answer))
