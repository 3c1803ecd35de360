"""Code that two submissions share, side by side, for a human to judge."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from perfcourse.bank import Bank
from perfcourse.gradebook.answers import REST, Passage
from perfcourse.gradebook.fingerprints import fingerprints, prints
from perfcourse.gradebook.similarity import FEWEST, Pair, Similarity
from perfcourse.report.code import Excerpt, excerpts
from perfcourse.report.pages import page

MOST = 30
"""Pairs that are shown with their code."""
Code = Mapping[str, Mapping[str, Sequence[Passage]]]
"""What was handed in: by submission, then by the name of the answer."""


@dataclass(frozen=True)
class Shared:
    """One answer that two submissions share."""

    question: str
    first: list[Excerpt]
    second: list[Excerpt]


class ClassSimilarity:
    """The class's code, taken up one submission at a time; what was handed out doesn't count."""

    def __init__(self, stub: Collection[str]) -> None:
        self._given = frozenset(mark for cell in stub for mark in fingerprints(cell))
        self._similarity = Similarity()

    def add(self, name: str, answers: Mapping[str, Sequence[Passage]]) -> None:
        """Take up a submission's code, by the name of the answer."""
        self._similarity.add(name, prints(answers, self._given))

    def pairs(self) -> list[Pair]:
        """Return the pairs of submissions that share more than chance and the stub explain."""
        return self._similarity.pairs()


def similarity_page_of(pairs: Sequence[Pair], code: Code, bank: Bank) -> str:
    """Return `similar.html`: the pairs, the most surprising first, each with both codes."""
    questions = {question.answer: question.id for question in bank.questions}
    shown = [(pair, _shared(pair, code, questions)) for pair in pairs[:MOST]]
    more = len(pairs) - len(shown)
    return page(
        "similar.html", bank=bank, pairs=shown, more=more, submissions=len(code), fewest=FEWEST
    )


def answers_shared(pair: Pair, bank: Bank) -> str:
    """Return which answers a pair shares, in a line."""
    questions = {question.answer: question.id for question in bank.questions}
    return ", ".join(_called(answer, questions) for answer in pair.answers)


def _called(answer: str, questions: Mapping[str, str]) -> str:
    return "other code" if answer == REST else questions.get(answer, answer)


def _shared(pair: Pair, code: Code, questions: Mapping[str, str]) -> list[Shared]:
    return [
        Shared(
            _called(answer, questions),
            excerpts(code[pair.first].get(answer, ())),
            excerpts(code[pair.second].get(answer, ())),
        )
        for answer in pair.answers
    ]
