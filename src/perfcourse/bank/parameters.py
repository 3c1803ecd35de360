"""Inputs drawn for one student: the same every time for the same words, different for others.

Inputs on which two of a question's models agree are drawn again, so that for every student each
mistake leads to an answer of its own.
"""

from __future__ import annotations

import functools
import hashlib
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from perfcourse.bank.coincidence import coincident
from perfcourse.bank.errors import BankError
from perfcourse.bank.model_answers import (
    answerable,
    answers_of,
    draw,
    models_of,
    name_of,
    outcome,
)
from perfcourse.bank.properties import AnswerError

if TYPE_CHECKING:
    from perfcourse.bank import Question
    from perfcourse.bank.values import FunctionQuestion

MAX_DRAWS = 2000
APART = 3.0
"""Personal parameters keep any two models' answers this many tolerances apart."""


def generator(*words: str) -> np.random.Generator:
    """Return the random generator that belongs to `words` (topic, question, student, secret).

    >>> bool(generator("scaling", "q1").random() == generator("scaling", "q1").random())
    True
    >>> bool(generator("scaling", "q1").random() == generator("scaling", "q2").random())
    False
    """
    digest = hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))


def parameters(topic: str, question: Question, student: str) -> dict[str, Any]:
    """Return the personal parameters of a question: always the same for the same student."""
    drawn, _ = _drawn(topic, question, "" if question.fixed else student)
    return {name: _copied(value) for name, value in drawn.items()}


def answers(topic: str, question: Question, student: str, hidden: bool = False) -> list[list[Any]]:
    """Return what is right for a student's parameters, then what the mistakes lead to.

    A list for each of the questions `asked`, in the order of `models_of`, as the models return it
    (as plain data, but for a plot). `hidden` is for the data file's content that students don't
    see.
    """
    if hidden and question.file and question.file.hidden:
        return _hidden(topic, question, student)
    return _drawn(topic, question, "" if question.fixed else student)[1]


@functools.lru_cache(maxsize=1024)
def _hidden(topic: str, question: Question, student: str) -> list[list[Any]]:
    drawn = parameters(topic, question, student)
    return [answers_of(part, drawn, hidden=True) for part in question.asked]


@functools.lru_cache(maxsize=1024)
def _drawn(topic: str, question: Question, student: str) -> tuple[dict[str, Any], list[list[Any]]]:
    rng = generator("parameters", topic, question.id, student)
    tries, why = 1 if question.fixed else MAX_DRAWS, ""
    for tried in range(tries):
        drawn = draw(question, rng)
        try:
            known = [answers_of(part, drawn) for part in question.asked]
        except (ArithmeticError, ValueError) as error:
            if isinstance(error, BankError):
                raise
            why = why or f"{type(error).__name__}: {error}"
            continue
        rights = [right for right, *_ in known]
        if not all(map(answerable, question.asked, rights)):
            why = why or "the reference gives what no answer equals"
            continue
        strict = tried < tries // 2
        if all(_told_apart(*each, strict) for each in zip(question.asked, known, strict=True)):
            return drawn, known
        why = _agreeing_pair(question, known) or why
    raise BankError(
        f"inputs of {question.id} must tell its mistakes apart, got {tries} draws in which "
        f"two models agree within {APART:g} tolerances, or one fails ({why}); let them draw where "
        "the models differ"
    )


def _agreeing_pair(question: Question, known: list[list[Any]]) -> str:
    for part, values in zip(question.asked, known, strict=True):
        for i, j in combinations(range(len(values)), 2):
            if _apart(part, values[i], values[j]) <= _slack(part):
                return f"{name_of(part, i)} and {name_of(part, j)}"
    return ""


def cases(
    topic: str, question: FunctionQuestion, student: str, secret: str
) -> list[dict[str, Any]]:
    """Return the drawn inputs on which a student's function is compared with the reference.

    No two of the question's models agree on all of them, if such inputs are to be had.
    """
    return [
        {name: _copied(value) for name, value in case.items()}
        for case in _cases(topic, question, student, secret)
    ]


def _copied(value: Any) -> Any:
    """Return a copy of drawn values, which are plain data."""
    if isinstance(value, dict):
        return {name: _copied(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_copied(part) for part in value]
    return value.copy() if isinstance(value, np.ndarray) else value


@functools.lru_cache(maxsize=64)
def _cases(
    topic: str, question: FunctionQuestion, student: str, secret: str
) -> list[dict[str, Any]]:
    rng = generator("cases", secret, topic, question.id, student)
    for _ in range(MAX_DRAWS):
        drawn = [draw(question, rng) for _ in range(question.cases)]
        if not agreeing(question, drawn):
            break
    return drawn


def agreeing(question: Question, drawn: list[dict[str, Any]]) -> list[tuple[int, int]]:
    """Return the pairs of models that agree on all the inputs drawn, within the tolerance.

    A model is told by its place: 0 is the reference, then come the mistakes in order.
    """
    agreeing_pairs = list(combinations(range(len(models_of(question))), 2))
    for case in drawn:
        asked = {index for pair in agreeing_pairs for index in pair}
        answers = {index: outcome(question, index, case) for index in asked}
        agreeing_pairs = [
            (i, j) for i, j in agreeing_pairs if _one_answer(question, answers[i], answers[j])
        ]
        if not agreeing_pairs:
            break
    return agreeing_pairs


def _one_answer(question: Question, mine: Any, theirs: Any) -> bool:
    if isinstance(mine, AnswerError) or isinstance(theirs, AnswerError):
        return isinstance(mine, AnswerError) and isinstance(theirs, AnswerError)
    return question.same(mine, theirs) or question.same(theirs, mine)


def _told_apart(question: Question, answers: list[Any], strict: bool) -> bool:
    """Whether each of a question's models has an answer of its own.

    Where `strict`, also whether no slip or choice is explained by another mistake as well.
    """
    if question.is_choice:
        return True
    pairs = combinations(answers, 2)
    if any(_apart(question, mine, theirs) <= _slack(question) for mine, theirs in pairs):
        return False
    return not (strict and accidental(question, answers))


def _slack(question: Question) -> float:
    return min(APART * question.tolerance, 0.5)


def _apart(question: Question, mine: Any, theirs: Any) -> float:
    """Return how far apart two models' answers are, whichever of them is handed in."""
    return min(
        question.distance(question.handed_in(mine), theirs),
        question.distance(question.handed_in(theirs), mine),
    )


def accidental(question: Question, answers: list[Any]) -> set[tuple[str, str]]:
    """Return the pairs of mistakes and slips that coincide here, but not as a rule.

    `answers` are the right one and those of the mistakes. A mistake may be a slip by
    another name, and two choices may rest on the same number: such pairs agree on most draws.
    """
    pairs = coincident(question, answers)
    return pairs - _meant(question) if pairs else pairs


@functools.lru_cache(maxsize=1024)
def _meant(question: Question) -> frozenset[tuple[str, str]]:
    rng = generator("meant", question.id)
    pairs: list[tuple[str, str]] = []
    tries = 12
    for _ in range(tries):
        try:
            known = answers_of(question, draw(question, rng))
        except (ArithmeticError, ValueError):
            continue
        pairs += coincident(question, known)
    return frozenset(two for two in pairs if pairs.count(two) > tries / 3)
