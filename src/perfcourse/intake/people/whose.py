"""Whose a submission is: by a table of students, the roster, or its name alone; never guessed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from perfcourse.intake.people.names import squeezed
from perfcourse.intake.people.roster import Roster, Student
from perfcourse.intake.platforms import Origin
from perfcourse.intake.submissions import Submission

_HIDDEN = {"participant", ""}
"""What platforms call everybody when they hide names."""
NO_ROW = "It is in no gradebook file."


@dataclass(frozen=True)
class Claim:
    """Who a submission is from."""

    student: str
    """The id, or where it isn't known, what the name says."""
    candidates: tuple[Student, ...] = ()
    """Of the roster: one is the student, several are ambiguous."""
    note: str = ""
    """What the instructor must know."""
    listed: bool = True

    def settle(self, submission: Submission) -> Submission:
        """Return the submission with its student."""
        return replace(submission, student=self.student, note=self.note, listed=self.listed)


def claim(submission: Submission, roster: Roster | None, students: dict[str, str]) -> Claim:
    """Return who a submission is from."""
    known = students.get(submission.name, students.get(submission.student, ""))
    if roster is None:
        return _without_roster(submission, known)
    if known:
        return _among(known, roster.called(known))
    source = submission.origin
    if source is None:
        return _among(submission.student, roster.called(submission.student))
    return _of_platform(source, roster)


def _without_roster(submission: Submission, known: str) -> Claim:
    if known:
        return Claim(known)
    if submission.origin:
        return Claim(f"{submission.origin.name} {submission.origin.number}".strip())
    if not submission.listed:
        return Claim(submission.student, note=f"Not a notebook by its name. {NO_ROW}", listed=False)
    return Claim(submission.student)


def _of_platform(source: Origin, roster: Roster) -> Claim:
    """Match by the platform's number, where the roster has it, and else by name.

    Who chose the name of somebody else's number isn't somebody else: where both are known they
    must agree.
    """
    called = f"{source.name} {source.number}".strip()
    ours = roster.form == "own" or roster.platform == source.platform
    numbered = roster.numbered(source.number) if ours else []
    if not numbered:
        return _among(called, roster.named(source.name))
    names = numbered[0].names
    if names and squeezed(source.name) not in names | _HIDDEN:
        note = (
            f"Number {source.number} is {numbered[0].id} on the roster, but {source.name!r} in the "
            f"download: is the roster of another assignment or course? {NO_ROW}"
        )
        return Claim(called, (), note, listed=False)
    return _among(called, numbered)


def _among(called: str, candidates: list[Student]) -> Claim:
    if len(candidates) == 1:
        return Claim(candidates[0].id, tuple(candidates))
    if candidates:
        ids = ", ".join(student.id for student in candidates)
        note = f"{called!r} may be any of {ids}. Say who with --students. {NO_ROW}"
        return Claim(called, tuple(candidates), note, listed=False)
    return Claim(called, (), f"Nobody on the roster is called {called!r}. {NO_ROW}", listed=False)
