"""The plain table of two columns: whose a file or folder is."""

from __future__ import annotations

from pathlib import Path

from perfcourse.intake.people.roster import read_roster
from perfcourse.intake.people.sheets import Sheet, plain, read_sheet, refuse_columns_twice

_FILES = ("file", "file name", "filename", "folder", "submission")
_STUDENTS = ("student", "student id", "id", "login", "username")


def read_students(path: Path) -> dict[str, str]:
    """Return students' ids by the names of files or folders.

    The columns are known by the header (`file` and `student`, or their like), in either order. An
    error names the line with an empty cell, or a file or id given twice.
    """
    sheet = read_sheet(path)
    refuse_columns_twice(sheet)
    file, student = _column(sheet, _FILES), _column(sheet, _STUDENTS)
    if file < 0 or student < 0 or len(sheet.header) != 2:
        raise ValueError(
            f"{path} must have the two columns file and student, got {', '.join(sheet.header)}"
        )
    table: dict[str, str] = {}
    for row, line in zip(sheet.rows, sheet.lines, strict=True):
        name, id = row[file].strip(), row[student].strip()
        if not name or not id:
            raise ValueError(f"{path} line {line} must have a file and a student, got {list(row)}")
        if name in table or id in table.values():
            raise ValueError(f"{path} line {line} has {name!r} or {id!r} a second time")
        table[name] = id
    if not table:
        raise ValueError(f"{path} names no file; it must have a line for each")
    return table


def read_ids(path: Path) -> list[str]:
    """Return the ids of a class, from a roster or a table of files and students."""
    if _column(read_sheet(path), _FILES) >= 0:
        return list(read_students(path).values())
    return [student.id for student in read_roster(path).students]


def _column(sheet: Sheet, names: tuple[str, ...]) -> int:
    header = [plain(name) for name in sheet.header]
    return next((header.index(name) for name in names if name in header), -1)
