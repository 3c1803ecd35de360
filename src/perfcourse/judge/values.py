"""Judge one value against the right one and those that known mistakes lead to."""

from __future__ import annotations

from typing import Any

import numpy as np

from perfcourse.bank import Misconception, Question
from perfcourse.bank.comparison import distance, same
from perfcourse.judge.hints import UNANSWERED, value_hint
from perfcourse.judge.verdict import Verdict, mistaken, right, wrong
from perfcourse.kernel.plain import Other
from perfmodel.answers.closeness import close
from perfmodel.answers.words import pair, word


def judge_value(question: Question, answer: Any, known: list[Any], told: bool) -> Verdict:
    """Judge a value from what the reference returned and what the misconceptions lead to.

    Parameters
    ----------
    question : Question
        Of one of the kinds that are answered by a value, or a part of one.
    answer : plain data
        What the student has.
    known : list
        The right answer, then those of the misconceptions, in order.
    told : bool
        Whether the verdict may say something of the answer itself.
    """
    if missing(answer):
        return wrong(question, UNANSWERED, answered=False)
    expected, *mistakes = known
    if same(question, answer, expected):
        return right(question)
    errors = [distance(question, answer, value) for value in mistakes]
    if min(errors, default=np.inf) <= question.tolerance:
        return mistaken(question, question.misconceptions[int(np.argmin(errors))])
    if question.kind == "choice" and (mistake := _by_number(question, answer, known)):
        return mistaken(question, mistake)
    if verdict := _by_column(question, answer, known):
        return verdict
    return wrong(question, value_hint(question, answer, expected, told))


def _by_column(question: Question, answer: Any, known: list[Any]) -> Verdict | None:
    """Return the verdict on a table in which several mistakes were made, or None.

    Each column is compared with the same column of every mistake's table. Where two mistakes were
    made in two columns, no single mistake leads to the whole table.
    """
    expected, *mistakes = known
    if not isinstance(expected, dict) or not isinstance(answer, dict):
        return None
    if set(answer) != set(expected):
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


def _by_number(question: Question, answer: Any, known: list[Any]) -> Misconception | None:
    """Return the one misconception that explains the number, whatever was chosen by it."""
    given = pair(answer)
    if given is None or word(given[0]) not in {word(option) for option in question.choices}:
        return None
    places = [
        place
        for place, (_, number) in enumerate(known)
        if close(given[1], number, question.tolerance)
    ]
    return question.misconceptions[places[0] - 1] if len(places) == 1 and places[0] else None


def missing(answer: Any) -> bool:
    """Whether nothing, or the placeholder, stands where the answer should."""
    return answer is None or (isinstance(answer, Other) and answer.type_name == "ellipsis")
