"""Points inside the student's own process: what the tests ask that nbgrader and Otter run there.

Both tools run a student's notebook and, in the same process, their tests, which ask the question
bank of `perfcourse.bank.loader.find`. What is graded so is only as safe as that: code that means
to can read the bank, or change this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from perfcourse.bank import Bank, Question
from perfcourse.judge import Part, Verdict, judge, model_answer
from perfcourse.judge.answer_forms import ANYONE
from perfcourse.judge.checker import checker, reply

WHOLE = "right values"
LATER = "Counts once the values are right."


class NotYet(AssertionError):  # noqa: N818 - its name is what the student reads before the hint
    """An answer doesn't earn these points; the text is the hint that the student reads."""


def points(names: Mapping[str, Any], topic: str, question: str) -> float:
    """Show what a student is to read about an answer and return the points that it earns.

    nbgrader takes the last value of a test's cell as the points. `names` are the notebook's
    `globals()`.
    """
    from IPython.display import display

    _, asked, verdict = _judged(names, topic, question)
    display(reply(asked, verdict))  # type: ignore[no-untyped-call]
    return min(float(verdict.earned), float(asked.points))


def part(names: Mapping[str, Any], topic: str, question: str, name: str) -> None:
    """Return if the part `name` of a question is earned, as one of Otter's test cases.

    `names` are the notebook's variables, which Otter calls `env`. Where it isn't earned, the text
    of `NotYet` is the hint.
    """
    bank, asked, verdict = _judged(names, topic, question)
    if verdict.right:
        return
    earned = {part.name: part for part in verdict.parts}
    if name in earned and earned[name].earned < earned[name].points:
        raise NotYet(earned[name].hint or verdict.message)
    if not earned:
        first = parts(bank, asked)[0].name
        raise NotYet(verdict.message if name == first else LATER)


def parts(bank: Bank, question: Question) -> tuple[Part, ...]:
    """Return what a right answer earns its points with: one part where nothing is told apart."""
    answer = model_answer(bank.topic, question, question.reference, ANYONE)
    right = judge(bank.topic, question, answer, ANYONE)
    whole = Part(WHOLE, float(question.points), float(question.points))
    return right.parts or (whole,)


def _judged(names: Mapping[str, Any], topic: str, question: str) -> tuple[Bank, Question, Verdict]:
    check = checker(topic, names.get("STUDENT", ANYONE))
    if check.bank is None:
        raise FileNotFoundError(
            f"no solutions/{topic}.py above this folder, and PERFCOURSE_BANKS names no folder that "
            f"holds {topic}.py; nothing can be graded without it"
        )
    asked = check.bank.question(question)
    return check.bank, asked, check.verdict(asked, names.get(asked.answer))
