"""Judge one answer against its question: points, and what a good teacher would say.

The judge sees plain data only. A function is asked through a callable that takes and returns
plain data and raises `AnswerError`; whether it lives in this process (the check in the notebook)
or behind the wall (grading) makes no difference here.
"""

from __future__ import annotations

from typing import Any

from perfcourse.bank import Model, Question
from perfcourse.bank.composite import PartsQuestion
from perfcourse.bank.hints import UNANSWERED, missing
from perfcourse.bank.model_answers import asking_model
from perfcourse.bank.parameters import answers, cases, parameters
from perfcourse.bank.plots import PlotQuestion
from perfcourse.bank.properties import AnswerError, Ask
from perfcourse.bank.values import FunctionQuestion, MeasuredQuestion
from perfcourse.judge.functions import judge_function
from perfcourse.judge.plots import judge_plot
from perfcourse.judge.values import judge_measured, judge_parts, judge_value
from perfcourse.judge.verdict import Part, Verdict, wrong

__all__ = [
    "Part",
    "Verdict",
    "cases",
    "judge",
    "model_answer",
    "parameters",
    "unjudged",
]


def judge(
    topic: str,
    question: Question,
    answer: Any,
    student: str,
    secret: str = "",
    tried: AnswerError | None = None,
    told: bool = True,
) -> Verdict:
    """Judge one answer: an `Ask` for a function, otherwise plain data; never raises for any answer.

    `secret` is the seed of the inputs that a function is tried on; empty in the notebook, where
    also the data file is the one that students have. `tried` is what a function raised for inputs
    that its author may know, before it saw hidden ones. `told` is whether the verdict on a value
    may say something of the value itself, such as its shape.
    """
    try:
        if isinstance(question, FunctionQuestion):
            ask = answer if isinstance(answer, Ask) else Ask(answer)
            return judge_function(topic, question, ask, student, secret, tried)
        if missing(answer):
            return wrong(question, UNANSWERED, answered=False)
        if isinstance(question, MeasuredQuestion):
            return judge_measured(question, answer, told)
        known = answers(topic, question, student, hidden=bool(secret))
        if isinstance(question, PartsQuestion):
            return judge_parts(question, answer, known, told)
        if isinstance(question, PlotQuestion):
            return judge_plot(question, answer, known[0])
        return judge_value(question, answer, known[0], told)
    except _BANK_ERRORS as error:
        return unjudged(question, error)


_BANK_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)


def unjudged(question: Question, error: Exception) -> Verdict:
    """Return the verdict on a question whose own reference or inputs fail."""
    cause = type(error.__cause__ or error).__name__
    message = (
        f"This question could not be judged: its own check raised {cause} for your "
        "numbers. Tell your instructor; it isn't your mistake."
    )
    return Verdict(question.id, 0.0, float(question.points), message, failed=True)


def model_answer(topic: str, question: Question, model: Model, student: str) -> Any:
    """Return the answer of a student who thinks that `model` is right; what tests hand in."""
    if isinstance(question, FunctionQuestion):
        return asking_model(model)
    drawn = parameters(topic, question, student)
    file = (question.file.path(),) if question.file else ()
    return question.handed_in_with(drawn, model(*file, **drawn))
