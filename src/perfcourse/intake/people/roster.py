"""The class: who should hand in, by id, name and e-mail, from a table of one's own or a platform's.

The forms are distinguished by their headers:

- *Moodle's grading worksheet* (an assignment's "Download grading worksheet"): `Identifier`
  ("Participant 4711"), `Full name`, `Email address`, `Grade`, `Last modified (submission)`. It is
  the best of all: it knows when each student handed in, what is a draft and who is in which
  `Group`, and Moodle takes it back filled in. With anonymous submissions it has no names. It may be
  in one of the languages of `perfcourse.intake.people.languages`.
- *Moodle's gradebook export* or list of participants: `First name`, `Last name` (before Moodle 4:
  `Surname`), `ID number`, `Email address`, and more.
- *Canvas's gradebook export*: `Student` ("Lovelace, Ada"; or `LastName`, `FirstName`), `ID`,
  `SIS User ID`, `SIS Login ID`, `Section`, then assignments as "Title (90201)". The line "Points
  Possible", that of posting policies and the test student are nobody's.
- *Blackboard's gradebook* ("Work Offline, Download"): `Last Name`, `First Name`, `Username`,
  `Student ID`, then columns as "Title [Total Pts: 10 Score] |123456".
- *Brightspace's gradebook* ("Export Grades"): `OrgDefinedId` and `Username`, with a # before each,
  names, then columns as "Title Points Grade <Numeric MaxPoints:10>", `End-of-Line Indicator` last.
- *GitHub Classroom's roster* (`classroom_roster.csv`): `identifier`, `github_username`,
  `github_id`, `name`; or its grades (`gh classroom assignment-grades`): `roster_identifier`,
  `github_username`, `submission_timestamp`, `group_name`, and more, of those who accepted.
- *Gradescope's roster*: `First Name`, `Last Name` (or `Name`), `SID`, `Email`, `Role`; or an
  assignment's grades: `SID`, `Email`, `Submission ID`, `Submission Time`, and more.
- *Sakai's grades* (`grades.csv` in the archive of "Download All"): `Display ID`, `ID`,
  `Last Name`, `First Name`, `grade`, after a line with the assignment's title and an empty one.
- *a table of one's own*: an id, and names or e-mails where files are called by them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import cached_property
from pathlib import Path

from perfcourse.intake.people.clock import read_time
from perfcourse.intake.people.languages import DRAFTS, in_english
from perfcourse.intake.people.names import names_of, squeezed
from perfcourse.intake.people.sheets import Sheet, plain, read_sheet, refuse_columns_twice

_IDS = {
    "worksheet": ("Username", "ID number", "Email address", "Full name", "Identifier"),
    "blackboard": ("Username", "Student ID"),
    "brightspace": ("Username", "OrgDefinedId", "Email"),
    "github": ("identifier", "roster_identifier", "github_username"),
    "sakai": ("ID", "Display ID"),
    "gradescope": ("SID", "Email"),
    "moodle": ("Username", "ID number", "Email address"),
    "canvas": ("SIS Login ID", "SIS User ID", "ID"),
    "own": ("student", "student id", "id", "login", "username", "email", "e-mail", "email address"),
}
"""Columns that may hold the students' ids: the first that isn't empty does."""
_FIRST = ("first name", "firstname", "given name")
_LAST = ("last name", "lastname", "surname", "family name")
_NAME = ("name", "full name")
_GROUP = ("group", "groups", "group_name")
_EMAIL = ("email", "e-mail", "email address", "e-mail address")
_WHEN = (
    "last modified (submission)",
    "handed in",
    "submitted",
    "submitted at",
    "submitted_at",
    "submission time",
    "submission_timestamp",
)
_NUMBER = {"worksheet": ("Identifier",), "canvas": ("ID",), "own": ("canvas id", "moodle id")}
_POINTS = "[total pts:"
"""What the columns of Blackboard's assignments have in their names."""
_FORMS = {
    "worksheet": ({"identifier", "grade"},),
    "canvas": ({"id", "section", "student"}, {"id", "section", "lastname", "firstname"}),
    "moodle": tuple({"email address", "first name", last} for last in _LAST),
    "blackboard": ({"last name", "first name", "username", _POINTS},),
    "brightspace": ({"orgdefinedid", "end-of-line indicator"},),
    "github": ({"identifier", "github_username"}, {"roster_identifier", "github_username"}),
    "sakai": ({"display id", "id", "last name", "first name", "grade"},),
    "gradescope": ({"sid", "email", "role"}, {"sid", "email", "submission id"}),
}
"""Columns that a form has, by the names of forms; the first form that fits is it."""
_OWN = (
    *_IDS["own"],
    *_FIRST,
    *_LAST,
    *_NAME,
    *_EMAIL,
    *_WHEN,
    *_NUMBER["own"],
    "section",
    *_GROUP[:1],
)
_SAKAI_GROUPS = {"group", "users", "grade"}
"""Columns of Sakai's list for an assignment that groups hand in."""
_NOBODY = re.compile(r"\s*Points Possible.*|Student, Test")
"""The first cell of a line of Canvas's export that stands for no student."""
_TEACHES = re.compile(r"teacher|manager|creator|instructor|\bTA\b|observer", re.IGNORECASE)
"""Roles in Moodle's list of participants and Gradescope's roster that don't hand in."""


@dataclass(frozen=True)
class Student:
    """Somebody who should hand in."""

    id: str
    """As in the notebook's STUDENT; personal parameters follow from it."""
    names: frozenset[str]
    """What a file of theirs may be called by: the name, squeezed, in any order."""
    marks: frozenset[str]
    """Ids, logins and e-mails, case-folded."""
    email: str
    """Empty where the table has none."""
    number: str
    """Of the platform: the user in Canvas, the participant in one assignment of Moodle."""
    handed_in: datetime | None
    """As the platform exported it, with a time zone."""
    row: int
    """Place of their row in the sheet."""
    groups: frozenset[str] = frozenset()
    """Names of the groups that they are in, squeezed."""
    draft: bool = False
    """Whether what the platform has of them isn't handed in yet."""


@dataclass(frozen=True)
class Roster:
    """All students of a class, in the order of their table."""

    form: str
    """Such as `worksheet` or `moodle`, both of Moodle, `canvas`, or `own`."""
    sheet: Sheet
    students: tuple[Student, ...]

    anonymous: bool = False
    """Whether it identifies its students by numbers only."""

    @property
    def platform(self) -> str:
        """Return the platform that exported it, or ''."""
        return {"worksheet": "moodle", "own": "", "github": ""}.get(self.form, self.form)

    def called(self, text: str) -> list[Student]:
        """Return whose id, login or e-mail a text is, else whose name.

        One is a match, several are ambiguous, none is nobody of this class.
        """
        return self.marked(text) or self.named(text)

    def marked(self, text: str) -> list[Student]:
        """Return whose id, login or e-mail a text is."""
        return self._by_mark.get(text.strip().casefold(), [])

    def named(self, name: str) -> list[Student]:
        """Return who may be meant by a name, whatever the order of its words."""
        return self._by_name.get(squeezed(name), [])

    def grouped(self, name: str) -> list[Student]:
        """Return who is in a group."""
        return self._by_group.get(squeezed(name), [])

    def with_groups(self, groups: Mapping[str, str]) -> Roster:
        """Return the same class in groups, whose names come by students' ids."""
        return replace(
            self,
            students=tuple(
                replace(student, groups=student.groups | {squeezed(groups[student.id])})
                if student.id in groups
                else student
                for student in self.students
            ),
        )

    def numbered(self, number: str) -> list[Student]:
        """Return who has a number of the platform."""
        return self._by_number.get(number, []) if number else []

    @cached_property
    def _by_mark(self) -> dict[str, list[Student]]:
        return _index((mark, student) for student in self.students for mark in student.marks)

    @cached_property
    def _by_name(self) -> dict[str, list[Student]]:
        return _index((name, student) for student in self.students for name in student.names)

    @cached_property
    def _by_group(self) -> dict[str, list[Student]]:
        return _index((group, student) for student in self.students for group in student.groups)

    @cached_property
    def _by_number(self) -> dict[str, list[Student]]:
        return _index((student.number, student) for student in self.students)


def read_roster(path: Path, id_column: str = "", zone: tzinfo | None = None) -> Roster:
    """Read the table of a class; an error names the file, the line and what is allowed.

    `id_column` holds the students' ids, by default the first that the form may have; times that say
    no `zone` are in this machine's.
    """
    sheet = read_sheet(path)
    sheet = replace(sheet, names=in_english(sheet.header))
    form = _form(sheet)
    places = [row for row in range(len(sheet.rows)) if not _nobody(sheet, form, row)]
    if not places:
        raise ValueError(f"{path} holds no student; it must have a line for each")
    column = _id_column(sheet, form, places, id_column)
    students = tuple(_student(sheet, form, column, row, zone) for row in places)
    _refuse_twice(sheet, column, students)
    anonymous = form == "worksheet" and column == sheet.place("Identifier")
    anonymous |= form == "sakai" and all(each.id.endswith(" anonymous") for each in students)
    return Roster(form, sheet, students, anonymous)


def _form(sheet: Sheet) -> str:
    columns = {plain(name) for name in sheet.names}
    columns |= {_POINTS for name in columns if _POINTS in name}
    for form, needed in _FORMS.items():
        if any(names <= columns for names in needed):
            return form
    if columns >= _SAKAI_GROUPS:
        raise ValueError(
            f"{sheet.path} has a line for each group, but a roster must have one for each student. "
            "Make a table with the columns id and group"
        )
    refuse_columns_twice(sheet)
    unknown = [name for name in sheet.header if name.strip() and plain(name) not in _OWN]
    if unknown:
        raise ValueError(
            f"{sheet.path} has the column {unknown[0]!r}, which no roster has. The roster must be "
            "a table as Canvas, Moodle, Blackboard, Brightspace, Sakai, Gradescope or GitHub "
            "Classroom exports it in English (Moodle's worksheet also in German, French, Spanish, "
            "Portuguese or Chinese), or a table of your own with the column id and, if you like, "
            "name, email, group, section and handed in"
        )
    return "own"


def _nobody(sheet: Sheet, form: str, place: int) -> bool:
    row = sheet.rows[place]
    if form == "canvas":
        test = sheet.has("LastName") and (row[0].strip(), row[1].strip()) == ("Student", "Test")
        nobody = not (row[0].strip() or row[1].strip())
        return bool(_NOBODY.fullmatch(row[0])) or test or nobody
    if form not in ("moodle", "gradescope"):
        return False
    roles = max(sheet.place("Roles"), sheet.place("Role"))
    return roles >= 0 and bool(_TEACHES.search(row[roles]))


def _id_column(sheet: Sheet, form: str, places: list[int], wanted: str) -> int:
    """Return the place of the column of ids."""
    if wanted and not sheet.has(wanted):
        raise ValueError(f"{sheet.path} has no column {wanted!r}; it has {', '.join(sheet.header)}")
    for name in [wanted] if wanted else _IDS[form]:
        column = sheet.place(name)
        empty = [place for place in places if column < 0 or not sheet.rows[place][column].strip()]
        if len(empty) == len(places):
            continue
        if empty:
            raise ValueError(
                f"{sheet.path} line {sheet.lines[empty[0]]} has no {sheet.header[column]}; fill it "
                "in, or choose another column with --id-column"
            )
        return column
    raise ValueError(
        f"{sheet.path} must have one of these columns for the students' ids: "
        f"{', '.join(_IDS[form])}; it has {', '.join(sheet.header)}"
    )


def _refuse_twice(sheet: Sheet, column: int, students: tuple[Student, ...]) -> None:
    first: dict[str, Student] = {}
    for student in students:
        known = first.setdefault(student.id.casefold(), student)
        if known is not student:
            raise ValueError(
                f"{sheet.path} line {sheet.lines[student.row]} has the {sheet.header[column]} "
                f"{student.id!r}, as line {sheet.lines[known.row]} has; each student must be there "
                "once"
            )


def _student(sheet: Sheet, form: str, column: int, place: int, zone: tzinfo | None) -> Student:
    row = sheet.rows[place]

    def cell(names: Iterable[str]) -> str:
        where = _cell(sheet, names)
        return row[where].strip() if where is not None else ""

    name = cell(("Student",) if form == "canvas" else _NAME)
    ids = (
        cell([known]).removeprefix("#")
        for known in (*_IDS[form], *_EMAIL)
        if plain(known) not in _NAME
    )
    id = row[column].strip().removeprefix("#" if form == "brightspace" else "\0")
    try:
        handed_in = read_time(cell(_WHEN), zone)
    except ValueError as error:
        raise ValueError(f"{sheet.path} line {sheet.lines[place]}: {error}") from None
    return Student(
        id,
        names_of(name, cell(_FIRST), cell(_LAST)),
        frozenset(mark.casefold() for mark in (*ids, id) if mark),
        cell(_EMAIL),
        cell(_NUMBER.get(form, ())).rpartition(" ")[2],
        handed_in,
        place,
        frozenset(filter(None, map(squeezed, (cell(_GROUP), *cell(_GROUP).split(","))))),
        form == "worksheet" and cell(["Status"]).startswith(DRAFTS),
    )


def _cell(sheet: Sheet, names: Iterable[str]) -> int | None:
    """Return the place of the first of some columns that there is."""
    return next((place for name in names if (place := sheet.place(name)) >= 0), None)


def _index(pairs: Iterable[tuple[str, Student]]) -> dict[str, list[Student]]:
    students: dict[str, list[Student]] = defaultdict(list)
    for key, student in pairs:
        students[key].append(student)
    return dict(students)
