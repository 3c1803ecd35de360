"""Judge a model of the student's own measurements against those measurements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from perfcourse.bank import Question
from perfcourse.bank.model_answers import models_of
from perfcourse.judge.values import judge_value, missing
from perfcourse.judge.verdict import Verdict, wrong
from perfmodel.answers.closeness import numbers

MAX_MEASUREMENTS = 1000


def judge_measured(question: Question, answer: Any, told: bool) -> Verdict:
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
