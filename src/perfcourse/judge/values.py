"""Judge one value against the right one and those that known mistakes lead to."""

from __future__ import annotations

from typing import Any

import numpy as np

from perfcourse.bank import Question
from perfcourse.bank.hints import SAFE_HINTS, UNANSWERED, UNKNOWN, UNKNOWN_WORDS, missing
from perfcourse.bank.question import table_columns
from perfcourse.bank.values import ChoiceQuestion
from perfcourse.judge.verdict import Verdict, mistaken, right, wrong
from perfmodel.answers.closeness import close


def judge_value(question: Question, answer: Any, known: list[Any], told: bool) -> Verdict:
    """Judge a value, or a part of one, by what is known: the right one, then the misconceptions'.

    `told` is whether the verdict may say something of the answer itself.
    """
    if missing(answer):
        return wrong(question, UNANSWERED, answered=False)
    expected, *mistakes = known
    if question.same(answer, expected):
        return right(question)
    errors = [question.distance(answer, value) for value in mistakes]
    if min(errors, default=np.inf) <= question.tolerance:
        return mistaken(question, question.misconceptions[int(np.argmin(errors))])
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
        found = [
            mistake
            for mistake, table in zip(question.misconceptions, mistakes, strict=True)
            if isinstance(table, dict)
            and column in table
            and close(answer[column], table[column], question.tolerance)
            and not close(table[column], right_one, question.tolerance)
        ]
        names += [mistake.name for mistake in found[:1]]
        said.setdefault(found[0].hint if found else "", []).append(column)
    if not names:
        return None
    rest = said.pop("", [])
    parts = [f"Column {', '.join(columns)}: {hint}" for hint, columns in said.items()]
    parts += [f"Not right yet either: {', '.join(rest)}."] if rest else []
    return Verdict(
        question.id, 0.0, float(question.points), " ".join(parts), misconception=names[0]
    )
