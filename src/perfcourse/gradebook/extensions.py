"""Due dates of some students' own."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from perfcourse.gradebook.due import ALLOWED, Due, read_due
from perfcourse.gradebook.lines import read_lines


def read_extensions(
    path: Path, due: Due, students: Collection[str] | None = None
) -> dict[str, Due]:
    """Read a table of two columns, student and due.

    Parameters
    ----------
    path : Path
        The table.
    due : Due
        The date for all, before which no extension can end.
    students : collection of str, optional
        Who there is; not checked where left out.

    Raises
    ------
    ValueError
        With file, line, value and what is allowed.
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
