"""What a late hand-in costs: a pure function of the points, two times and a policy.

A hand-in is in time up to and including the last second of its due date and of the grace that
follows. After that it is one day late, until the clock shows the same time of the next day; and so
on. Days are days of the clock, so one is 23 or 25 hours long where the clock is changed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from perfcourse.gradebook.due import Due, shown

DIGITS = 2
"""Decimals of the points that are taken off."""


@dataclass(frozen=True)
class Policy:
    """What each day late takes off, from which moment, and how far it goes.

    >>> policy = read_policy("10 % a day, 2 h grace, at most 50 %, nothing after 7 days")
    >>> [policy.taken(62, days) for days in (0, 1, 6, 8)]
    [0.0, 6.2, 31.0, 62.0]
    """

    share: float = 0.0
    """Of the points earned, for each day late."""
    points: float = 0.0
    """Points for each day late, besides."""
    grace: timedelta = timedelta(0)
    """How long after the due date nothing is taken off; each further day begins so much later."""
    most: float = 1.0
    """Of the points earned, what lateness takes off at most."""
    last_day: int | None = None
    """More days late than this and nothing is left."""

    def taken(self, points: float, days: int) -> float:
        """Return what this many days late take off some points, to a hundredth."""
        if self.last_day is not None and days > self.last_day:
            return float(points)
        off = min(days * (self.share * points + self.points), self.most * points)
        return float(min(round(off, DIGITS), points))


def days_late(handed_in: datetime, due: Due, grace: timedelta = timedelta(0)) -> int:
    """Return how many days late a hand-in is, begun days counted whole.

    `handed_in` has a time zone, and fractions of a second don't count; each of the days begins
    later by the `grace`.
    """
    if handed_in.tzinfo is None:
        raise ValueError(f"handed_in must have a time zone, got {handed_in}")
    moment = handed_in.astimezone(UTC).replace(microsecond=0) - grace
    days = max(0, math.floor((moment - due.after()) / timedelta(days=1)) - 1)
    while moment > due.after(days):
        days += 1
    return days


@dataclass(frozen=True)
class Lateness:
    """How late one hand-in was and what that took off."""

    days: int = 0
    taken: float = 0.0
    due: Due | None = None
    handed_in: datetime | None = None
    extended: bool = False
    """Whether the student had a due date of their own."""

    @property
    def unknown(self) -> bool:
        """Whether there is a due date but no time to hold against it."""
        return self.due is not None and self.handed_in is None

    @property
    def in_words(self) -> str:
        """Return the days in words, such as `one day late`; empty where it was in time."""
        if not self.days:
            return ""
        return "one day late" if self.days == 1 else f"{self.days} days late"

    @property
    def times(self) -> str:
        """Return when it was due and when it came, by the due date's clock; empty if unknown."""
        if self.due is None or self.handed_in is None:
            return ""
        own = ", a date of your own" if self.extended else ""
        return f"due {self.due}{own}, handed in {shown(self.due.local(self.handed_in))}"


@dataclass(frozen=True)
class Deadline:
    """A due date for all, what being late costs, and due dates of some students' own."""

    due: Due | None = None
    policy: Policy = field(default_factory=Policy)
    extensions: Mapping[str, Due] = field(default_factory=dict)

    def lateness(self, student: str, points: float, handed_in: datetime | None) -> Lateness:
        """Return how late a student's hand-in is; without a time it is not late."""
        due = self.extensions.get(student, self.due)
        if due is None:
            return Lateness(handed_in=handed_in)
        days = days_late(handed_in, due, self.policy.grace) if handed_in else 0
        deduction = self.policy.taken(points, days)
        return Lateness(days, deduction, due, handed_in, student in self.extensions)


_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_ALLOWED = "'10 % a day' or '2 points a day', '2 h grace', 'at most 50 %', 'nothing after 5 days'"
_AMOUNT = r"(\d+(?:\.\d+)?) ?"
_PARTS: tuple[tuple[str, Callable[[re.Match[str]], dict[str, Any]]], ...] = (
    (rf"{_AMOUNT}% a day", lambda part: {"share": _share(part)}),
    (rf"{_AMOUNT}points? a day", lambda part: {"points": float(part[1])}),
    (rf"{_AMOUNT}(m|min|minutes?|h|hours?|days?) grace", lambda part: {"grace": _span(part)}),
    (rf"at most {_AMOUNT}%", lambda part: {"most": _share(part)}),
    (r"nothing after (\d+) days?", lambda part: {"last_day": int(part[1])}),
)


def read_policy(text: str) -> Policy:
    """Read what being late costs: `10 % a day, 2 h grace, at most 50 %, nothing after 5 days`.

    The parts may come in any order, each once.
    """
    fields: dict[str, Any] = {}
    for part in (" ".join(words.split()) for words in text.split(",")):
        read = _part(part)
        if read.keys() & fields.keys():
            raise ValueError(f"--late must have each part once, got {part!r} besides another")
        fields |= read
    return Policy(**fields)


def _part(part: str) -> dict[str, Any]:
    for form, read in _PARTS:
        if match := re.fullmatch(form, part):
            return read(match)
    raise ValueError(f"--late must be made of {_ALLOWED}, with commas between, got {part!r}")


def _share(part: re.Match[str]) -> float:
    if float(part[1]) > 100:
        raise ValueError(f"--late must take off 100 % at most, got {part.group()!r}")
    return float(part[1]) / 100


def _span(part: re.Match[str]) -> timedelta:
    return timedelta(**{_UNITS[part[2][0]]: float(part[1])})
