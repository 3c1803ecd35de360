"""Due dates of some students' own."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from perfcourse.gradebook.due import ALLOWED, Due, read_due
from perfcourse.gradebook.sheet import read_sheet


def read_extensions(
    path: Path, due: Due, zone: str = "", students: Collection[str] | None = None
) -> dict[str, Due]:
    """Read a table of two columns, student and due.

    Parameters
    ----------
    path : Path
        The table.
    due : Due
        The date for all, before which no extension can end.
    zone : str
        See `read_due`.
    students : collection of str, optional
        Who there is; not checked where left out.

    Raises
    ------
    perfcourse.gradebook.sheet.SheetError
        With file, line, value and what is allowed.
    """
    dates: dict[str, Due] = {}
    for row in read_sheet(path, ("student", "due"), ("why",)):
        student = row["student"] if students is None else row.known("student", students)
        if not student or student in dates:
            raise row.wrong("student", "given, and once")
        try:
            dates[student] = read_due(row["due"], zone)
        except ValueError:
            raise row.wrong("due", ALLOWED) from None
        if dates[student].after() < due.after():
            raise row.wrong("due", f"no earlier than the date for all, {due}")
    return dates
