"""Points and comments that a person gave, kept in a table beside the grades."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from perfcourse.bank import Bank
from perfcourse.gradebook.lines import Line, read_lines

NAME = "by-hand.csv"
COLUMNS = ("student", "question", "points", "change", "comment", "by")
"""Two columns for points, as a spreadsheet makes 2 of +2."""


@dataclass(frozen=True)
class Mark:
    """What a person gave for one answer: points instead of the automatic ones, or a change."""

    student: str
    question: str
    points: float | None = None
    """Instead of the automatic points."""
    change: float | None = None
    """Added to the automatic points; below 0 where it takes some off."""
    comment: str = ""
    by: str = ""

    @property
    def gives_points(self) -> bool:
        """Whether there is more to it than a comment."""
        return self.points is not None or self.change is not None

    def applied(self, earned: float, most: float) -> float:
        """Return the points that replace the automatic ones, between 0 and the question's."""
        if not self.gives_points:
            return earned
        return min(max(self._wanted(earned), 0.0), most)

    def cut(self, earned: float, most: float) -> bool:
        """Whether the change goes further than the question's points."""
        return self.change is not None and not 0 <= self._wanted(earned) <= most

    def _wanted(self, earned: float) -> float:
        return self.points if self.points is not None else earned + (self.change or 0.0)

    @property
    def in_words(self) -> str:
        """Return what was given, why and by whom, in a line."""
        given = ""
        if self.points is not None:
            given = f"{self.points:g} points instead of the automatic ones"
        elif self.change is not None:
            given = f"{self.change:+g}"
        return ": ".join(filter(None, (given, self.comment))) + (f" ({self.by})" if self.by else "")


def read_marks(path: Path, bank: Bank, students: Collection[str]) -> tuple[Mark, ...]:
    """Read the marks of a table with the columns `COLUMNS`, each line checked; none without a file.

    `change`, `comment` and `by` may be left out. The error names an unknown student or question,
    points outside the question's, or an answer that is there twice.
    """
    if not path.exists():
        return ()
    marks: dict[tuple[str, str], Mark] = {}
    for line in read_lines(path, COLUMNS[:3], COLUMNS[3:]):
        mark = _mark(line, bank, students)
        if (mark.student, mark.question) in marks:
            raise ValueError(
                f"{path} line {line.number}: {mark.student!r} has two lines for {mark.question!r}; "
                "make one of them"
            )
        marks[mark.student, mark.question] = mark
    return tuple(marks.values())


def _mark(line: Line, bank: Bank, students: Collection[str]) -> Mark:
    student = line.known("student", students)
    question = bank.question(line.known("question", [asked.id for asked in bank.questions]))
    points, change = line.amount("points"), line.amount("change")
    if points is not None and change is not None:
        raise line.wrong("change", "empty if points are given")
    if points is not None and not 0 <= points <= question.points:
        raise line.wrong("points", f"between 0 and {question.points:g}")
    if change is not None and abs(change) > question.points:
        raise line.wrong("change", f"between -{question.points:g} and {question.points:g}")
    if points is None and change is None and not line["comment"]:
        raise line.wrong("points", "given, unless there is a change or a comment")
    return Mark(student, question.id, points, change, line["comment"], line["by"])
