"""What to write to students whose points changed: old and new points and why, never an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perfcourse.gradebook.changes import Change


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
            _text(change, title),
        )
        for change in moved
    ]


def _text(change: Change, title: str) -> str:
    before, after = change.before, change.after
    questions = ", ".join(change.moved)
    parts = [
        f"Your points for {title} were {before.points:g} and are now {after.points:g}.",
        f"Question by question: {questions}." if questions else "",
        *(reason.told for reason in change.reasons),
        "Your new feedback page says more. If you think that this is wrong, please answer.",
    ]
    return " ".join(filter(None, parts))
