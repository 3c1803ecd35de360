"""Whose points are others than before, and why."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from perfcourse.gradebook.checksums import sealed, unsealed
from perfcourse.gradebook.grade import Grade


class Reason(NamedTuple):
    """Why points changed: in a few words, and in a sentence to the student."""

    short: str
    told: str


ANOTHER_FILE = Reason("another file was handed in", "You handed in another file.")
READ_NOW = Reason(
    "a notebook that can be read was handed in",
    "No notebook could be read in what you handed in before.",
)
UNREAD = Reason(
    "no notebook could be read", "No notebook could be read in what you have handed in."
)
GRADED_AGAIN = Reason(
    "the same file, graded again",
    "Your file is the same; how a question is judged was corrected, and all files graded again.",
)
BY_HAND = Reason(
    "points by hand", "Points given by hand changed; your feedback page says by whom and why."
)


_READ = {
    (True, True): ANOTHER_FILE,
    (False, True): READ_NOW,
    (True, False): UNREAD,
    (False, False): UNREAD,
}
"""Why the files of two runs differ, by whether each could be read."""


@dataclass(frozen=True)
class Standing:
    """What is remembered of a grade; plain data, stored as JSON."""

    student: str
    name: str
    digest: str
    """SHA-256 of the file; empty where none could be read."""
    points: float
    late: float
    """Points that lateness took off."""
    automatic: Mapping[str, float]
    """Points that the answer to each question earned."""
    questions: Mapping[str, float]
    """The same with what was given by hand."""
    settled: bool = True
    """Whether these points are a grade; they aren't before the grader has judged every answer."""


def standings(grades: Iterable[Grade], before: Sequence[Standing]) -> list[Standing]:
    """Return what to remember of grades: of one that is not settled, what was known before."""
    known = _by_owner(before)
    return [
        standing(grade)
        if grade.settled or (old := known(grade)) is None
        else replace(old, student=grade.student, name=grade.name)
        for grade in grades
    ]


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
        grade.settled,
    )


def as_record(kept: Standing) -> dict[str, Any]:
    """Return a standing as JSON-ready data, with a check sum."""
    return sealed(vars(kept))


def from_record(record: Any) -> Standing | None:
    """Return the standing in a record; None where it isn't as it was written."""
    try:
        return Standing(**unsealed(record))
    except (ValueError, TypeError):
        return None


def as_text(standings: Iterable[Standing]) -> str:
    """Return standings as the text of a file."""
    return json.dumps([as_record(standing) for standing in standings]) + "\n"


def from_text(text: str) -> list[Standing]:
    """Return the standings in a file's text, as far as they are as they were written."""
    try:
        records = list(json.loads(text))
    except (ValueError, TypeError, RecursionError):
        return []
    return [standing for record in records if (standing := from_record(record))]


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
        read = _READ[bool(before.digest), bool(after.digest)]
        cases = [
            (another, read),
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
    """Return the settled standings of students who are not yet known."""
    students = {standing.student for standing in known}
    return [standing for standing in new if standing.settled and standing.student not in students]


def changes(before: Sequence[Standing], after: Sequence[Standing]) -> list[Change]:
    """Return who has other points than before, in the order of `after`.

    A student who hands in a file of another name is still the same student.
    """
    known = _by_owner(standing for standing in before if standing.settled)
    pairs = ((known(new), new) for new in after if new.settled)
    return [Change(old, new) for old, new in pairs if old is not None and _differ(old, new)]


def _by_owner(standings: Iterable[Standing]) -> Callable[[Standing | Grade], Standing | None]:
    """Return what finds the standing of a submission, else that of its student."""
    kept = list(standings)
    by_name = {standing.name: standing for standing in kept}
    by_student = {standing.student: standing for standing in kept}
    return lambda of: by_name.get(of.name, by_student.get(of.student))


def _lateness(before: float, after: float) -> Reason:
    short = f"{after:g} off for lateness, before {before:g}"
    return Reason(short, f"Lateness takes off {after:g}, before it was {before:g}.")


def _differ(old: Standing, new: Standing) -> bool:
    return (old.points, old.late, old.questions) != (new.points, new.late, new.questions)


def _by_hand(kept: Standing) -> dict[str, float]:
    """Return what marks added to each question."""
    added = {name: points - kept.automatic[name] for name, points in kept.questions.items()}
    return {name: points for name, points in added.items() if points}
