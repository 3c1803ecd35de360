"""Due dates of some students' own."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from perfcourse.gradebook.due import ALLOWED, Due, read_due
from perfcourse.gradebook.lines import read_lines


def read_extensions(
    path: Path, due: Due, students: Collection[str] | None = None
) -> dict[str, Due]:
    """Read a table of two columns, student and due; an error names file, line and value.

    No extension can end before `due`. `students` are who there is, not checked where left out.
    """
    dates: dict[str, Due] = {}
    for line in read_lines(path, ("student", "due"), ("why",)):
        student = line["student"] if students is None else line.known("student", students)
        if not student or student in dates:
            raise line.wrong("student", "given, and once")
        try:
            dates[student] = read_due(line["due"])
        except ValueError:
            raise line.wrong("due", ALLOWED) from None
        if dates[student].after() < due.after():
            raise line.wrong("due", f"no earlier than the date for all, {due}")
    return dates
