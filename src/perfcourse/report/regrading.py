"""Whose points moved since the last run, and what they are to be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from perfcourse.gradebook.changes import (
    Change,
    Standing,
    as_text,
    changes,
    from_text,
    untold,
)
from perfcourse.report.files import write
from perfcourse.report.tables import table

MESSAGES = "messages.csv"
TOLD = "told.json"
"""The points that students were last told."""


def changes_table(moved: Sequence[Change]) -> str:
    """Return `changes.csv`: a line for each student whose points moved."""
    header = ["student", "submission", "before", "after", "what changed"]
    return table(header, map(_line, moved))


def _line(change: Change) -> list[str | float]:
    before, after = change.before, change.after
    return [after.student, after.name, before.points, after.points, change.in_words]


def write_messages(
    out: Path,
    title: str,
    before: Sequence[Standing],
    now: Sequence[Standing],
    emails: Mapping[str, str],
) -> None:
    """Write a message to everybody whose points differ from those that they were last told.

    Once the table of messages was sent and taken away, what the last run found counts as told.
    `emails` are addresses by student, as far as they are known.
    """
    path, told = out / MESSAGES, out / TOLD
    known = from_text(_text(told)) if path.exists() else [kept for kept in before if kept.settled]
    letters = messages(changes(known, now), title, emails)
    write(told, as_text([*known, *untold(known, now)]))
    rows = ([letter.student, letter.email, letter.subject, letter.text] for letter in letters)
    write(path, table(["student", "email", "subject", "text"], rows))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


@dataclass(frozen=True)
class Message:
    """A letter to one student."""

    student: str
    email: str
    """Empty where it isn't known."""
    subject: str
    text: str


def messages(
    moved: Sequence[Change], title: str, emails: Mapping[str, str] | None = None
) -> list[Message]:
    """Return a message to each student whose points changed, with an address if known."""
    return [
        Message(
            change.after.student,
            (emails or {}).get(change.after.student, ""),
            f"{title}: your points changed",
            _message_text(change, title),
        )
        for change in moved
    ]


def _message_text(change: Change, title: str) -> str:
    before, after = change.before, change.after
    questions = ", ".join(change.moved)
    parts = [
        f"Your points for {title} were {before.points:g} and are now {after.points:g}.",
        f"Question by question: {questions}." if questions else "",
        *(reason.told for reason in change.reasons),
        "Your new feedback page says more. If you think that this is wrong, please answer.",
    ]
    return " ".join(filter(None, parts))
