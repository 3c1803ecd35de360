"""Whose points are others than before, and why."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

from perfcourse.gradebook.grade import Grade


class Reason(NamedTuple):
    """Why points changed: in a few words, and in a sentence to the student."""

    short: str
    told: str


ANOTHER_FILE = Reason("another file was handed in", "You handed in another file.")
GRADED_AGAIN = Reason(
    "the same file, graded again",
    "Your file is the same; how a question is judged was corrected, and all files graded again.",
)
BY_HAND = Reason(
    "points by hand", "Points given by hand changed; your feedback page says by whom and why."
)


@dataclass(frozen=True)
class Standing:
    """What is remembered of a grade; plain data, stored as JSON."""

    student: str
    name: str
    digest: str
    """SHA-256 of the file."""
    points: float
    late: float
    """Points that lateness took off."""
    automatic: Mapping[str, float]
    """Points that the answer to each question earned."""
    questions: Mapping[str, float]
    """The same with what was given by hand."""


def standing(grade: Grade) -> Standing:
    """Return what to remember of a grade."""
    return Standing(
        grade.student,
        grade.name,
        grade.graded.digest,
        grade.earned,
        grade.late,
        {verdict.question: verdict.earned for verdict in grade.graded.verdicts},
        {verdict.question: verdict.earned for verdict in grade.verdicts},
    )


def as_text(standings: Iterable[Standing]) -> str:
    """Return standings as the text of a file."""
    return json.dumps([asdict(kept) for kept in standings]) + "\n"


def from_text(text: str) -> list[Standing]:
    """Return the standings in a file's text; none where it isn't such a file."""
    try:
        return [Standing(**record) for record in json.loads(text)]
    except (ValueError, TypeError):
        return []


@dataclass(frozen=True)
class Change:
    """A student's standing before and after."""

    before: Standing
    after: Standing

    @property
    def moved(self) -> list[str]:
        """Return what became of each question that has other points than before."""
        was = self.before.questions
        return [
            f"{name} {was[name]:g} to {points:g}" if name in was else f"{name} new, {points:g}"
            for name, points in self.after.questions.items()
            if was.get(name) != points
        ]

    @property
    def reasons(self) -> list[Reason]:
        """Return why."""
        before, after = self.before, self.after
        another = before.digest != after.digest
        cases = [
            (another, ANOTHER_FILE),
            (not another and before.automatic != after.automatic, GRADED_AGAIN),
            (_by_hand(before) != _by_hand(after), BY_HAND),
            (before.late != after.late, _lateness(before.late, after.late)),
        ]
        return [reason for holds, reason in cases if holds]

    @property
    def in_words(self) -> str:
        """Return the change in a line."""
        student, old, new = self.after.student, self.before.points, self.after.points
        why = ", ".join(reason.short for reason in self.reasons)
        details = "; ".join(filter(None, (", ".join(self.moved), why)))
        return f"{student}: {old:g} to {new:g} points ({details})"


def untold(known: Sequence[Standing], new: Sequence[Standing]) -> list[Standing]:
    """Return the standings of students who are not yet known."""
    students = {kept.student for kept in known}
    return [kept for kept in new if kept.student not in students]


def changes(before: Sequence[Standing], after: Sequence[Standing]) -> list[Change]:
    """Return who has other points than before, in the order of `after`.

    A student who hands in a file of another name is still the same student.
    """
    by_name = {kept.name: kept for kept in before}
    by_student = {kept.student: kept for kept in before}
    pairs = ((by_name.get(new.name, by_student.get(new.student)), new) for new in after)
    return [Change(old, new) for old, new in pairs if old is not None and _differ(old, new)]


def _lateness(before: float, after: float) -> Reason:
    short = f"{after:g} off for lateness, before {before:g}"
    return Reason(short, f"Lateness takes off {after:g}, before it was {before:g}.")


def _differ(old: Standing, new: Standing) -> bool:
    return (old.points, old.late, old.questions) != (new.points, new.late, new.questions)


def _by_hand(kept: Standing) -> dict[str, float]:
    """Return what marks added to each question."""
    added = {name: points - kept.automatic[name] for name, points in kept.questions.items()}
    return {name: points for name, points in added.items() if points}
