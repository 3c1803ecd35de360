"""Whether a bank can be graded with: found out when it is loaded, and told in one sentence."""

from __future__ import annotations

import inspect
from typing import Any

from perfcourse.bank.collection import Bank
from perfcourse.bank.errors import BankError
from perfcourse.bank.model_answers import (
    asking_model,
    check_answerable,
    draw,
    models_of,
    name_of,
    outcome,
)
from perfcourse.bank.parameters import answers, cases, generator, parameters
from perfcourse.bank.properties import AnswerError
from perfcourse.bank.question import Question
from perfcourse.bank.values import FunctionQuestion, MeasuredQuestion
from perfcourse.kernel.plain import TooBigError
from perfcourse.kernel.wire import MAX_FRAME, MAX_REQUEST, pack


def check_forms(bank: Bank) -> None:
    """See that data files are there and that models take what is drawn, or raise `BankError`."""
    for question in bank.questions:
        if question.file and (problem := question.file.problem()):
            raise BankError(f"question {question.id}: {problem}")
        drawn = draw(question, generator("form", question.id))
        if isinstance(question, MeasuredQuestion) and set(drawn) != set(question.columns):
            raise BankError(
                f"question {question.id}: example must draw the columns "
                f"{', '.join(question.columns)}, got {', '.join(drawn)}"
            )
        for part in question.asked:
            _check_parameters(part, drawn)


def _check_parameters(question: Question, drawn: dict[str, Any]) -> None:
    for index, model in enumerate(models_of(question)):
        try:
            parameters = inspect.signature(model)
        except (TypeError, ValueError):
            continue  # a function of C says nothing of its parameters
        try:
            if isinstance(question, FunctionQuestion):
                parameters.bind(*drawn.values())
            else:
                parameters.bind(*((question.file,) if question.file else ()), **drawn)
        except TypeError:
            takes = ", ".join(parameters.parameters) or "nothing"
            asked = ", ".join((*(("the file's path",) if question.file else ()), *drawn))
            raise BankError(
                f"question {question.id}: {name_of(question, index)} takes {takes}, but is called "
                f"with {asked or 'nothing'}; give every model the parameters that inputs draws"
            ) from None


def check_models(bank: Bank) -> None:
    """See that every model has an answer, for one student who is made up, or raise `BankError`.

    What is asked and what is right must also fit what crosses the wall.
    """
    given: dict[str, Any] = {}
    for question in bank.questions:
        if isinstance(question, FunctionQuestion):
            drawn = cases(bank.topic, question, "anyone", "")
            for case in drawn:
                known = [
                    outcome(question, index, case) for index in range(len(models_of(question)))
                ]
                for answer in known:
                    _check_size(question, answer)
                if not isinstance(known[0], AnswerError):
                    check_answerable(question, known[0], case)
            _check_properties(question)
        elif question.personal:  # of measured data a model may refuse what was made up
            given[question.id] = parameters(bank.topic, question, "anyone")
            known = answers(bank.topic, question, "anyone", hidden=True)
            for part, values in zip(question.asked, known, strict=True):
                check_answerable(part, values[0], given[question.id])
    try:
        pack(given, MAX_REQUEST // 2)
    except TooBigError as error:
        raise BankError(f"the inputs of all questions together: {error}") from error


def _check_size(question: Question, answer: Any) -> None:
    """See that a right function's answer can be taken from a student's process."""
    if isinstance(answer, AnswerError):
        return
    try:
        pack(answer, MAX_FRAME)
    except TooBigError as error:
        raise BankError(f"question {question.id}: the reference's answer: {error}") from error


def _check_properties(question: FunctionQuestion) -> None:
    """See that the reference itself has the properties that it asks for."""
    for asked in question.properties:
        where = f"question {question.id}: property {asked.name!r}"
        try:
            holds = asked.holds(asking_model(question.reference), question.reference)
        except Exception as error:
            cause = f"{type(error).__name__}: {str(error)[:200]}"
            raise BankError(f"{where} raised {cause}, asked of the reference") from error
        if not holds:
            raise BankError(f"{where} doesn't hold for the reference; mend the one or the other")
