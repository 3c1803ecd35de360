"""Which of a question's named mistakes coincide with one another, or with the right answer.

Where two models agree for a student, the check can't know which of them the student has in mind,
and whoever makes the one mistake may read the hint for the other. `perfcourse diagnose` lists
such collisions; those that an author accepts stand in the bank, each with a reason.

>>> from perfcourse.bank import Bank, Misconception, number
>>> def drawn(rng): return {"x": rng.uniform(2, 9)}
>>> twice = Misconception("twice", lambda x: 2 * x, "You counted both ways.")
>>> bank = Bank("demo", "A demonstration",
...     [number("q1", "Length", reference=lambda x: x, inputs=drawn, misconceptions=[twice])])
>>> next(examine(bank, ["ada", "ben"])).collisions
()
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from perfcourse import slips
from perfcourse.bank import Bank, Question
from perfcourse.compare import same
from perfcourse.draws import accidental, agreeing, answers, cases
from perfcourse.judge import judge, model_answer
from perfcourse.slips import RIGHT


@dataclass(frozen=True)
class Collision:
    """Two models of a question that coincide for some students."""

    question: str
    first: str
    second: str
    alike: str
    """What they have in common: `answer`, `number` (by a slip or another choice), or `hint`."""
    students: int
    """For how many of the students it happens."""
    reason: str = ""
    """Why the bank accepts it; empty where it does not."""


@dataclass(frozen=True)
class Examined:
    """What became of one question."""

    question: Question
    students: int
    collisions: tuple[Collision, ...]

    @property
    def unlisted(self) -> list[Collision]:
        """The collisions that the bank gives no reason for."""
        return [found for found in self.collisions if not found.reason]


@dataclass
class _Seen:
    """What coincides for one student after another, counted."""

    topic: str
    question: Question
    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def look(self, student: str) -> None:
        """Count what coincides for this student."""
        names = [RIGHT, *(wrong.name for wrong in self.question.misconceptions)]
        if self.question.kind == "function":
            drawn = cases(self.topic, self.question, student, "")
            alike = agreeing(self.question, drawn)
            self.counts.update((names[i], names[j], "answer") for i, j in alike)
        else:
            self._values(names, answers(self.topic, self.question, student))
        self._hints(student)

    def _values(self, names: list[str], known: list[Any]) -> None:
        for (i, mine), (j, theirs) in combinations(enumerate(known), 2):
            if same(self.question, mine, theirs) or same(self.question, theirs, mine):
                self.counts[names[i], names[j], "answer"] += 1
        accidents = accidental(self.question, known)
        as_a_rule = slips.coincident(self.question, known) - accidents
        named = {pair for pair in as_a_rule if set(pair) <= set(names)}
        self.counts.update((*pair, "number") for pair in accidents | named)

    def _hints(self, student: str) -> None:
        for wrong in self.question.misconceptions:
            answer = model_answer(self.topic, self.question, wrong.model, student)
            verdict = judge(self.topic, self.question, answer, student)
            if verdict.misconception != wrong.name:
                told = verdict.misconception or (RIGHT if verdict.earned else "no hint of its own")
                self.counts[wrong.name, told, "hint"] += 1


def examine(bank: Bank, students: Sequence[str], only: str = "") -> Iterator[Examined]:
    """Yield what coincides in each of a bank's questions, over the students' own parameters.

    Parameters
    ----------
    bank : Bank
        The questions.
    students : sequence of str
        Their ids; 200 made-up ones say what happens to a class.
    only : str, optional
        The id of a question, if only that one is to be looked at.
    """
    for question in [one for one in bank.questions if only in ("", one.id)]:
        seen = _Seen(bank.topic, question)
        for student in students:
            seen.look(student)
        collisions = [
            Collision(question.id, *pair, count, bank.reason(question.id, *pair[:2]))
            for pair, count in seen.counts.most_common()
        ]
        yield Examined(question, len(students), tuple(collisions))
