"""A topic's questions together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from perfcourse.bank.errors import require, unique
from perfcourse.bank.files import DataFile
from perfcourse.bank.question import Question


@dataclass(frozen=True)
class Accepted:
    """Two mistakes of a question that may coincide, and why that does no harm.

    `perfcourse diagnose` finds such pairs. `first` and `second` are names of mistakes or
    slips, or "the right answer".
    """

    question: str
    first: str
    second: str
    reason: str

    def __post_init__(self) -> None:
        """Refuse one without a reason."""
        if not self.reason.strip():
            raise ValueError(f"reason must be a sentence, got {self.reason!r}")


@dataclass(frozen=True)
class Bank:
    """The questions of one topic, in the order in which they are asked."""

    topic: str
    title: str
    questions: Sequence[Question]
    accepted: Sequence[Accepted] = ()

    def __post_init__(self) -> None:
        """Refuse two questions that share an id or a name in the notebook."""
        require(len(self.questions) > 0, "questions", [], "one or more")
        unique("question ids", [question.id for question in self.questions])
        unique("answer names", [question.answer for question in self.questions])
        known = {question.file.name: question.file for question in self.questions if question.file}
        for question in self.questions:
            fine = question.file is None or known[question.file.name] == question.file
            require(fine, f"hidden of {question.id}", question.file, "one for each file")

    def reason(self, question: str, first: str, second: str) -> str:
        """Return why two mistakes of a question may coincide, or ''."""
        pair = {first, second}
        reasons = (
            known.reason
            for known in self.accepted
            if known.question == question and {known.first, known.second} == pair
        )
        return next(reasons, "")

    @property
    def points(self) -> float:
        """The points that a perfect submission earns."""
        return float(sum(question.points for question in self.questions))

    @property
    def files(self) -> tuple[DataFile, ...]:
        """The data files that come with the assignment, each once."""
        files = [question.file for question in self.questions if question.file]
        return tuple(dict.fromkeys(files))

    @property
    def hides(self) -> bool:
        """Whether a submission is graded with data that no student has seen."""
        return any(file.hidden for file in self.files)

    def question(self, id: str) -> Question:
        """Return the question called `id`; a ValueError lists the ids there are."""
        for question in self.questions:
            if question.id == id:
                return question
        known = ", ".join(question.id for question in self.questions)
        raise ValueError(f"question must be one of {known}, got {id!r}")

    def within(self, folder: Path) -> Bank:
        """Return the bank with its data files looked for in `folder`."""
        if not self.files:
            return self
        return replace(self, questions=[question.within(folder) for question in self.questions])
