"""Judge one value against the right one and those that known mistakes lead to."""

from __future__ import annotations

from typing import Any

import numpy as np

from perfcourse.bank import Question
from perfcourse.bank.composite import asked_form, by_part
from perfcourse.bank.hints import SAFE_HINTS, UNANSWERED, UNKNOWN, UNKNOWN_WORDS, missing
from perfcourse.bank.model_answers import models_of
from perfcourse.bank.question import table_columns
from perfcourse.bank.values import ChoiceQuestion, MeasuredQuestion, wrong_table
from perfcourse.judge.verdict import Part, Verdict, mistaken, right, wrong
from perfmodel.answers.closeness import close, numbers


def judge_value(question: Question, answer: Any, known: list[Any], told: bool) -> Verdict:
    """Judge a value, or a part of one, by what is known: the right one, then the mistakes'.

    `told` is whether the verdict may say something of the answer itself.
    """
    if missing(answer):
        return wrong(question, UNANSWERED, answered=False)
    expected, *mistakes = known
    if question.same(answer, expected):
        return right(question)
    errors = [question.distance(answer, value) for value in mistakes]
    if min(errors, default=np.inf) <= question.tolerance:
        return mistaken(question, question.mistakes[int(np.argmin(errors))])
    of_number = question.mistake_of_number if isinstance(question, ChoiceQuestion) else None
    if of_number and (mistake := of_number(answer, known)):
        return mistaken(question, mistake)
    if verdict := _by_column(question, answer, known):
        return verdict
    hint = question.hint(answer, expected)
    if not told and hint not in SAFE_HINTS:
        hint = UNKNOWN if question.numeric else UNKNOWN_WORDS
    return wrong(question, hint)


def _by_column(question: Question, answer: Any, known: list[Any]) -> Verdict | None:
    """Return the verdict on a table in which several mistakes were made, or None.

    Each column is compared with the same column of every mistake's table. Where two mistakes were
    made in two columns, no single mistake leads to the whole table.
    """
    expected, *mistakes = known
    if table_columns(answer, expected) is None:
        return None
    said: dict[str, list[str]] = {}
    names: list[str] = []
    for column, right_one in expected.items():
        if close(answer[column], right_one, question.tolerance):
            continue
        explaining = [
            mistake
            for mistake, table in zip(question.mistakes, mistakes, strict=True)
            if isinstance(table, dict)
            and column in table
            and close(answer[column], table[column], question.tolerance)
            and not close(table[column], right_one, question.tolerance)
        ]
        names += [mistake.name for mistake in explaining[:1]]
        said.setdefault(explaining[0].hint if explaining else "", []).append(column)
    if not names:
        return None
    rest = said.pop("", [])
    parts = [f"Column {', '.join(columns)}: {hint}" for hint, columns in said.items()]
    parts += [f"Not right yet either: {', '.join(rest)}."] if rest else []
    return Verdict(
        question.id, 0.0, float(question.points), " ".join(parts), misconception=names[0]
    )


def judge_parts(question: Question, answer: Any, known: list[list[Any]], told: bool) -> Verdict:
    """Judge a dict by its keys, or a list by the order of its elements, part by part."""
    ids = [part.id for part in question.parts]
    given = by_part(ids, answer)
    if isinstance(given, str):
        return wrong(question, given if told else asked_form(ids))
    verdicts = [
        judge_value(part, given.get(part.id), values, told)
        for part, values in zip(question.parts, known, strict=True)
    ]
    lost = sum(verdict.points - verdict.earned for verdict in verdicts)
    hints = [f"{verdict.question}: {verdict.message}" for verdict in verdicts if not verdict.right]
    mistakes = [f"{v.question}: {v.misconception}" for v in verdicts if v.misconception]
    return Verdict(
        question.id,
        float(question.points - lost),
        float(question.points),
        " ".join(hints) or "Right.",
        any(verdict.answered for verdict in verdicts),
        next(iter(mistakes), ""),
        tuple(Part(v.question, v.earned, v.points, "" if v.right else v.message) for v in verdicts),
    )


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
