"""The plain table of who is in which group, or the one that Canvas exports of a set of groups."""

from __future__ import annotations

from pathlib import Path

from perfcourse.intake.people.roster import Roster, Student
from perfcourse.intake.people.sheets import Sheet, read_sheet

_GROUP = ("group", "group_name", "group name")
_STUDENTS = ("login_id", "user_id", "student", "id", "login", "username", "email", "name")
_NUMBER = "canvas_user_id"


def read_groups(path: Path, roster: Roster) -> Roster:
    """Return a class with the groups that a table names.

    The columns are known by the header: `group` and `student`, or those of Canvas's "Download
    Course Roster CSV" of a set of groups (`login_id`, `canvas_user_id`, `group_name`, ...). A line
    without a group is somebody who is in none; one that names nobody of the class, or several, is
    named in the error.
    """
    sheet = read_sheet(path)
    group = next((name for name in _GROUP if sheet.has(name)), "")
    if not group or not any(sheet.has(name) for name in (*_STUDENTS, _NUMBER)):
        raise ValueError(
            f"{path} must have the columns student and group, got {', '.join(sheet.header)}"
        )
    groups = {
        _student(sheet, row, roster).id: name
        for row, name in enumerate(sheet.column(group))
        if name
    }
    if not groups:
        raise ValueError(f"{path} names no group; it must have a line for each member")
    return roster.with_groups(groups)


def _student(sheet: Sheet, place: int, roster: Roster) -> Student:
    names = [name for name in _STUDENTS if sheet.has(name)]
    called = list(filter(None, (sheet.column(name)[place] for name in names)))
    number = sheet.column(_NUMBER)[place] if sheet.has(_NUMBER) else ""
    for found in (roster.numbered(number), *map(roster.called, called)):
        if len(found) == 1:
            return found[0]
    raise ValueError(
        f"{sheet.path} line {sheet.lines[place]} must name one student of the roster, got "
        f"{', '.join((*called, number))}"
    )
