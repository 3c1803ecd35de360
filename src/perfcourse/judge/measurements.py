"""Judge a model of the student's own measurements against those measurements."""

from __future__ import annotations

from typing import Any

from perfcourse.bank.model_answers import models_of
from perfcourse.bank.values import MeasuredQuestion, wrong_table
from perfcourse.judge.values import judge_value
from perfcourse.judge.verdict import Verdict, wrong
from perfmodel.answers.closeness import numbers


def judge_measured(question: MeasuredQuestion, answer: Any, told: bool) -> Verdict:
    """Judge the columns handed in and the answer that follows from them."""
    if complaint := wrong_table(question.columns, question.least, answer):
        return wrong(question, complaint)
    columns = {name: numbers(answer[name]) for name in question.columns}
    try:
        if question.plausible and (complaint := question.plausible(**columns)):
            return wrong(question, complaint)
        known = [model(**columns) for model in models_of(question)]
        return judge_value(question, answer["answer"], known, told)
    except Exception as error:
        why = f": {str(error)[:200]}" if told else "."
        return wrong(question, f"These measurements can't be modelled{why}")
