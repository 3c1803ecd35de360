"""Comparison of plain answers with expected values, each kind of question in its own way."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from perfcourse.bank import plot_comparison as plots
from perfmodel.answers.closeness import close, numbers, off
from perfmodel.answers.words import option, pair, phrase, says, texts, word

if TYPE_CHECKING:
    from perfcourse.bank import Question

__all__ = [
    "close",
    "distance",
    "numbers",
    "off",
    "option",
    "pair",
    "phrase",
    "same",
    "says",
    "texts",
    "word",
]


def same(question: Question, answer: Any, expected: Any) -> bool:
    """Whether a plain answer equals what a model returned, within the question's tolerance."""
    return distance(question, answer, expected) <= question.tolerance * (1 + 1e-9)


def distance(question: Question, answer: Any, expected: Any) -> float:
    """Return the largest relative error; infinite for another word, choice, or other columns."""
    if question.kind == "text":
        return 0.0 if says(answer, expected) else math.inf
    if question.kind == "option":
        given = option(answer)
        return 0.0 if given is not None and given == option(expected) else math.inf
    if question.kind == "plot":
        return plots.error(answer, expected)
    if question.kind == "choice":
        chosen = pair(answer)
        if chosen is None or word(chosen[0]) != word(expected[0]):
            return math.inf
        return off(chosen[1], expected[1])
    if isinstance(expected, dict):
        if not isinstance(answer, dict) or set(answer) != set(expected):
            return math.inf
        return max(off(answer[name], expected[name]) for name in expected)
    return off(answer, expected)
