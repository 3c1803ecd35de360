"""Options of `perfcourse grade` on due dates and late hand-ins."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import click

from perfcourse.gradebook.due import ALLOWED, Due, read_due
from perfcourse.gradebook.lateness import Deadline, Policy, read_policy
from perfcourse.gradebook.lines import read_lines


def deadline_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--due`, `--late` and `--extensions` to a command, as `due`, `late`, `extensions`."""
    options = (
        click.option(
            "--due",
            default="",
            metavar="TIME",
            help="Such as '2026-10-05 23:59', by this machine's clock; its last second is in time.",
        ),
        click.option(
            "--late",
            default="",
            metavar="POLICY",
            help="Such as '10 % a day, 2 h grace, at most 50 %, nothing after 5 days'; else late "
            "hand-ins are listed and lose nothing.",
        ),
        click.option(
            "--extensions",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="CSV of students with a due date of their own: student, due.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def deadline_from(
    due: str, late: str, extensions: Path | None, students: Collection[str] | None = None
) -> Deadline:
    """Return the deadline that the options describe; extensions are for `students`, if given."""
    if not due:
        for name, value in (("--late", late), ("--extensions", extensions)):
            if value:
                raise ValueError(f"{name} needs --due, such as --due '2026-10-05 23:59'")
        return Deadline()
    date = read_due(due)
    own = read_extensions(extensions, date, students) if extensions else {}
    return Deadline(date, read_policy(late) if late else Policy(), own)


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
