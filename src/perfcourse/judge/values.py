"""Judge one value against the right one and those that known mistakes lead to."""

from __future__ import annotations

from typing import Any

import numpy as np

from perfcourse.bank import Misconception, Question
from perfcourse.compare import close, distance, pair, same, word
from perfcourse.hints import UNANSWERED, value_hint
from perfcourse.judge.verdict import Verdict, mistaken, right, wrong
from perfcourse.kernel.plain import Other


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
    return wrong(question, value_hint(question, answer, expected, told))


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
