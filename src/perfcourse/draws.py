"""Inputs drawn for one student: the same every time for the same words, different for others.

Inputs on which two of a question's models agree are drawn again, so that for every student each
mistake leads to an answer of its own.
"""

from __future__ import annotations

import copy
import functools
import hashlib
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from perfcourse import slips
from perfcourse.compare import distance, same
from perfcourse.kernel.plain import plain
from perfcourse.properties import AnswerError

if TYPE_CHECKING:
    from perfcourse.bank import Model, Question

DIGITS = 4
"""Significant digits of a drawn parameter, so that the number shown is the number used."""
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


def shown(value: Any) -> Any:
    """Return a drawn value as plain Python data, floats rounded to four significant digits.

    >>> shown({"fraction": np.float64(0.123456), "processors": np.int64(8)})
    {'fraction': 0.1235, 'processors': 8}
    """
    if isinstance(value, dict):
        return {str(key): shown(part) for key, part in value.items()}
    if isinstance(value, np.ndarray):
        return np.array(shown(value.tolist()))
    if isinstance(value, list | tuple):
        return [shown(part) for part in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.{DIGITS}g}")
    return value.item() if isinstance(value, np.generic) else value


def parameters(topic: str, question: Question, student: str) -> dict[str, Any]:
    """Return the personal parameters of a question: always the same for the same student.

    Raises
    ------
    ValueError
        The question's inputs can't tell two of its models apart.
    """
    return copy.deepcopy(_drawn(topic, question, student)[0])


def answers(topic: str, question: Question, student: str) -> list[Any]:
    """Return the right answer for a student's parameters, then those of the misconceptions.

    As plain data, in the order of `models_of`.
    """
    return _drawn(topic, question, student)[1]


@functools.lru_cache(maxsize=1024)
def _drawn(topic: str, question: Question, student: str) -> tuple[dict[str, Any], list[Any]]:
    rng = generator("parameters", topic, question.id, student)
    for tried in range(MAX_DRAWS):
        drawn: dict[str, Any] = shown(question.inputs(rng))
        try:
            found = [plain(model(**drawn)) for model in models_of(question)]
        except (ArithmeticError, ValueError):
            continue
        if _told_apart(question, found, strict=tried < MAX_DRAWS // 2):
            return drawn, found
    raise ValueError(
        f"inputs of {question.id} must tell its misconceptions apart, "
        f"got {MAX_DRAWS} draws in which two models agree within {APART:g} tolerances"
    )


def cases(topic: str, question: Question, student: str, secret: str) -> list[dict[str, Any]]:
    """Return the drawn inputs on which a student's function is compared with the reference.

    No two of the question's models agree on all of them, if such inputs are to be had.
    """
    return copy.deepcopy(_cases(topic, question, student, secret))


@functools.lru_cache(maxsize=64)
def _cases(topic: str, question: Question, student: str, secret: str) -> list[dict[str, Any]]:
    rng = generator("cases", secret, topic, question.id, student)
    for _ in range(MAX_DRAWS):
        drawn = [shown(question.inputs(rng)) for _ in range(question.cases)]
        if not agreeing(question, drawn):
            break
    return drawn


def agreeing(question: Question, drawn: list[dict[str, Any]]) -> list[tuple[int, int]]:
    """Return the pairs of models that agree on all the inputs drawn, within the tolerance.

    A model is told by its place: 0 is the reference, then come the misconceptions in order.
    """
    models = models_of(question)
    alike = list(combinations(range(len(models)), 2))
    for case in drawn:
        asked = {place for two in alike for place in two}
        answers = {place: outcome(models[place], case) for place in asked}
        alike = [(i, j) for i, j in alike if _one_answer(question, answers[i], answers[j])]
        if not alike:
            break
    return alike


def models_of(question: Question) -> list[Model]:
    """Return the reference and the misconceptions' models, in order."""
    return [question.reference, *(wrong.model for wrong in question.misconceptions)]


def outcome(model: Model, case: dict[str, Any]) -> Any:
    """Return what a model answers, or the error that it raises, as plain data."""
    try:
        return plain(model(*case.values()))
    except (ArithmeticError, ValueError) as error:
        return AnswerError(type(error).__name__, str(error))


def _one_answer(question: Question, mine: Any, theirs: Any) -> bool:
    if isinstance(mine, AnswerError) or isinstance(theirs, AnswerError):
        return isinstance(mine, AnswerError) and isinstance(theirs, AnswerError)
    return same(question, mine, theirs) or same(question, theirs, mine)


def _told_apart(question: Question, answers: list[Any], strict: bool) -> bool:
    """Whether each of a question's models has an answer of its own.

    Where `strict`, also whether no slip or choice is explained by another mistake as well.
    """
    slack = min(APART * question.tolerance, 0.5)
    if any(
        min(distance(question, mine, theirs), distance(question, theirs, mine)) <= slack
        for mine, theirs in combinations(answers, 2)
    ):
        return False
    return not (strict and accidental(question, answers))


def accidental(question: Question, answers: list[Any]) -> set[tuple[str, str]]:
    """Return the pairs of mistakes and slips that coincide here, but not as a rule.

    `answers` are the right one and those of the misconceptions. A misconception may be a slip by
    another name, and two choices may rest on the same number: such pairs agree on most draws.
    """
    return slips.coincident(question, answers) - _meant(question)


@functools.lru_cache(maxsize=1024)
def _meant(question: Question) -> frozenset[tuple[str, str]]:
    rng = generator("meant", question.id)
    found: list[tuple[str, str]] = []
    tries = 12
    for _ in range(tries):
        try:
            drawn = shown(question.inputs(rng))
            known = [plain(model(**drawn)) for model in models_of(question)]
        except (ArithmeticError, ValueError):
            continue
        found += slips.coincident(question, known)
    return frozenset(two for two in found if found.count(two) > tries / 3)
