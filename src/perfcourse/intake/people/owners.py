"""Whose a submission is: by a table of students, the roster, or its name alone; never guessed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from perfcourse.intake.file_names import bases, is_work, original, stem
from perfcourse.intake.people.names import squeezed
from perfcourse.intake.people.roster import Roster, Student
from perfcourse.intake.platforms import Origin

_HIDDEN = {"participant", ""}
"""What platforms call everybody when they hide names."""
NO_ROW = "It is in no gradebook file."
TEST_STUDENT = f"It is from Canvas's test student. {NO_ROW}"


@dataclass(frozen=True)
class Claim:
    """Who a submission is from."""

    student: str
    """The id, or where it isn't known, what the name says."""
    candidates: tuple[Student, ...] = ()
    """Of the roster: one is the student, several are ambiguous, or all of a group."""
    note: str = ""
    """What the instructor must know."""
    listed: bool = True
    group: bool = False
    """Whether all candidates handed it in together."""


def claim(
    name: str,
    folder: bool,
    source: Origin | None,
    roster: Roster | None,
    students: dict[str, str],
    repository: bool = False,
) -> Claim:
    """Return who a submission is from, by the name of its file or folder.

    `source` is what that name in a platform's download says, `students` the ids by the names of
    files and folders; a `repository` is a clone of one.
    """
    called = name if folder else stem(name)
    known = students.get(name, students.get(called, ""))
    if roster is None:
        return _without_roster(called, source, known, folder or is_work(name))
    if known:
        return _among(known, roster.called(known))
    if source is None:
        return _by_name(called, roster, repository)
    return _of_platform(source, roster)


def _without_roster(called: str, source: Origin | None, known: str, work: bool) -> Claim:
    if known:
        return Claim(known)
    if source and _is_test_student(source):
        return Claim(f"{source.name} {source.number}", note=TEST_STUDENT, listed=False)
    if source:
        return Claim(source.called)
    note = "" if work else f"Not a notebook by its name. {NO_ROW}"
    return Claim(original(called), note=note, listed=work)


def _by_name(called: str, roster: Roster, repository: bool) -> Claim:
    """Match the name of a file or folder, or what it may be a copy of; else it names a group."""
    for base in bases(called):
        if found := roster.called(base):
            known = _among(called, found)
            sure = base in (called, original(called)) or not known.listed
            note = f"It is called {called!r} and treated as {known.student}'s."
            return known if sure else replace(known, note=note)
    if (repository or roster.form == "github") and (found := _by_end(called, "-", roster)):
        return _among(called, found)
    names = _ends(called, "-") if repository else [called]
    if members := next(filter(None, map(roster.grouped, names)), []):
        return Claim(called, tuple(members), group=True)
    return _among(called, [])


def _by_end(called: str, sign: str, roster: Roster) -> list[Student]:
    """Return who has the longest username, id or e-mail that a name ends with after a sign."""
    return next(filter(None, map(roster.marked, _ends(called, sign))), [])


def _ends(called: str, sign: str) -> Iterator[str]:
    """Yield what a name ends with after a sign, the longest first: the whole name."""
    parts = called.split(sign)
    return (sign.join(parts[n:]) for n in range(len(parts)))


def claim_of_submitters(
    called: str, people: tuple[tuple[str, ...], ...], roster: Roster | None
) -> Claim:
    """Return who handed in what is known by a list of people, each by id, e-mail or name."""
    if roster is None:
        unknown = frozenset[str]()
        students = [
            Student(names[0], unknown, unknown, "", "", None, -1) for names in people if names
        ]
    else:
        found = [
            next((known[0] for name in names if len(known := roster.called(name)) == 1), None)
            for names in people
        ]
        students = [student for student in found if student]
    if len(students) < len(people) or not students:
        return _among(called, [])
    if len(students) == 1:
        return _among(called, students)
    return Claim(called, tuple(students), group=True)


def _of_platform(source: Origin, roster: Roster) -> Claim:
    """Match by the platform's number, where the roster has it, and else by name.

    Who chose the name of somebody else's number isn't somebody else: where both are known they
    must agree. A group's folder has the group's name, and in Canvas the number of one member.
    """
    called = source.called
    if source.signed:
        members = next(filter(None, map(roster.grouped, _ends(source.signed, "_"))), [])
        whole = source.prefix.rstrip("/")
        if found := roster.called(whole) or _by_end(source.signed, "_", roster):
            return _among(called, found)
        return Claim(called, tuple(members), group=True) if members else _among(called, [])
    if source.platform == "sakai" and (found := roster.called(source.number)):
        return _among(called, found)
    ours = roster.form == "own" or roster.platform == source.platform
    numbered = roster.numbered(source.number) if ours else []
    members = roster.grouped(source.name)
    if numbered and (not numbered[0].names or squeezed(source.name) in numbered[0].names | _HIDDEN):
        return _among(called, numbered)
    if _is_test_student(source) and not numbered:
        return Claim(called, note=TEST_STUDENT, listed=False)
    people = [] if numbered else roster.named(source.name)
    of_group = members and source.number and roster.form == "worksheet" and not numbered
    if members and (of_group or not people):
        return Claim(called, tuple(members), group=True)
    if numbered:
        note = (
            f"Number {source.number} is {numbered[0].id} on the roster, but {source.name!r} in the "
            "download. Is the roster of another assignment or course? If this is a group's name, "
            f"name its members with --groups. {NO_ROW}"
        )
        return Claim(called, (), note, listed=False)
    return _among(called, people)


def _is_test_student(source: Origin) -> bool:
    return source.platform == "canvas" and source.name == "studenttest"


def _among(called: str, candidates: list[Student]) -> Claim:
    if len(candidates) == 1:
        return Claim(candidates[0].id, tuple(candidates))
    if candidates:
        ids = ", ".join(student.id for student in candidates)
        note = f"{called!r} may be any of {ids}. Say who with --students. {NO_ROW}"
        return Claim(called, tuple(candidates), note, listed=False)
    note = f"Nobody on the roster is called {called!r}. Say who it is with --students. {NO_ROW}"
    return Claim(called, (), note, listed=False)
