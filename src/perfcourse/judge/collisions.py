"""Which of a question's named mistakes coincide with one another, or with the right answer.

Where two models agree for a student, the check can't know which of them the student has in mind,
and whoever makes the one mistake may read the hint for the other. `perfcourse diagnose` lists
such collisions; those that an author accepts stand in the bank, each with a reason.

>>> from perfcourse.bank import Bank, Mistake, number
>>> def drawn(rng): return {"x": rng.uniform(2, 9)}
>>> twice = Mistake("twice", lambda x: 2 * x, "You counted both ways.")
>>> bank = Bank("demo", "A demonstration",
...     [number("q1", "Length", reference=lambda x: x, inputs=drawn, mistakes=[twice])])
>>> next(examine(bank, ["ada", "ben"])).collisions
()
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from perfcourse.bank import Bank, Question
from perfcourse.bank.coincidence import RIGHT, coincident
from perfcourse.bank.parameters import accidental, agreeing, answers, cases
from perfcourse.bank.values import FunctionQuestion
from perfcourse.judge import Verdict, judge, model_answer
from perfcourse.judge.values import judge_value


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
    """What became of one question, or of a part of one."""

    question: Question
    students: int
    collisions: tuple[Collision, ...]
    name: str
    """Of the question, with that of its part behind a point."""

    @property
    def unlisted(self) -> list[Collision]:
        """The collisions that the bank gives no reason for."""
        return [collision for collision in self.collisions if not collision.reason]


@dataclass
class _Seen:
    """What coincides for one student after another, counted."""

    topic: str
    question: Question
    place: int
    """Of the part looked at; 0 where the question has none."""
    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    @property
    def part(self) -> Question:
        """What is looked at: the question itself, or a part of it."""
        return self.question.asked[self.place]

    def look(self, student: str) -> None:
        """Count what coincides for this student."""
        names = [RIGHT, *(wrong.name for wrong in self.part.mistakes)]
        if isinstance(self.question, FunctionQuestion):
            drawn = cases(self.topic, self.question, student, "")
            agreeing_pairs = agreeing(self.question, drawn)
            self.counts.update((names[i], names[j], "answer") for i, j in agreeing_pairs)
            self._hints(student)
            return
        known = answers(self.topic, self.question, student)[self.place]
        if not self.part.is_choice:
            self._values(names, known)
        if self.question.parts:
            self._hints_of(known)
        else:
            self._hints(student)

    def _values(self, names: list[str], known: list[Any]) -> None:
        given = [self.part.handed_in(value) for value in known]
        for i, j in combinations(range(len(known)), 2):
            if self.part.same(given[i], known[j]) or self.part.same(given[j], known[i]):
                self.counts[names[i], names[j], "answer"] += 1
        accidents = accidental(self.part, known)
        as_a_rule = coincident(self.part, known) - accidents
        named = {pair for pair in as_a_rule if set(pair) <= set(names)}
        self.counts.update((*pair, "number") for pair in accidents | named)

    def _hints(self, student: str) -> None:
        for wrong in self.part.mistakes:
            answer = model_answer(self.topic, self.question, wrong.model, student)
            self._count(wrong.name, judge(self.topic, self.question, answer, student))

    def _hints_of(self, known: list[Any]) -> None:
        for wrong, value in zip(self.part.mistakes, known[1:], strict=True):
            answer = self.part.handed_in(value)
            self._count(wrong.name, judge_value(self.part, answer, known, told=True))

    def _count(self, name: str, verdict: Verdict) -> None:
        is_right = self.part.is_choice and verdict.right
        if verdict.misconception != name and not is_right:
            hint_of = verdict.misconception or (RIGHT if verdict.earned else "no hint of its own")
            self.counts[name, hint_of, "hint"] += 1


def examine(bank: Bank, students: Sequence[str], only: str = "") -> Iterator[Examined]:
    """Yield what coincides in each of a bank's questions, or in `only` one, for these students.

    200 made-up ids say what happens to a class.
    """
    for question in bank.questions:
        if only in ("", question.id):
            ids = students[:1] if question.fixed else students
            for index in range(len(question.asked)):
                yield _examined(bank, question, index, ids)


def _examined(bank: Bank, question: Question, index: int, students: Sequence[str]) -> Examined:
    counted = _Seen(bank.topic, question, index)
    for student in students:
        counted.look(student)
    name = f"{question.id}.{counted.part.id}" if question.parts else question.id
    collisions = [
        Collision(name, *pair, count, bank.reason(name, *pair[:2]))
        for pair, count in counted.counts.most_common()
    ]
    return Examined(counted.part, len(students), tuple(collisions), name)
