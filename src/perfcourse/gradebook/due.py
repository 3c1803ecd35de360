"""When something is due, as a clock on the wall shows it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo

_FORM = re.compile(r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d)?)?\s?(Z|[+-]\d\d:\d\d)?")
ALLOWED = "such as 2026-10-05 23:59 or 2026-10-05T23:59+02:00"


@dataclass(frozen=True)
class Due:
    """The last second that is in time.

    Where the clock is set back, the time of day comes twice, and the second one counts; where it is
    set forward, a time that is left out counts as the same time after the change.

    >>> from zoneinfo import ZoneInfo
    >>> due = Due(datetime(2026, 10, 24, 23, 59, 59), ZoneInfo("Europe/Zurich"))
    >>> print(due, due.after(), due.after(days=1), sep=", ")
    Sat 24 Oct 2026 23:59, 2026-10-24 21:59:59+00:00, 2026-10-25 22:59:59+00:00
    """

    wall: datetime
    """Without a zone, to the second."""
    zone: tzinfo | None = None
    """None is the zone that this machine's clock is set to."""

    def after(self, days: int = 0) -> datetime:
        """Return the instant, in UTC, when the clock shows the same time this many days later."""
        later = self.wall + timedelta(days=days)
        return max(self._instant(later.replace(fold=fold)) for fold in (0, 1))

    def local(self, moment: datetime) -> datetime:
        """Return what the clock shows at a moment."""
        return moment.astimezone(self.zone)

    def _instant(self, wall: datetime) -> datetime:
        zoned = wall.replace(tzinfo=self.zone) if self.zone else wall.astimezone()
        return zoned.astimezone(UTC)

    def __str__(self) -> str:
        return shown(self.wall)


def shown(moment: datetime) -> str:
    """Return a moment as people write it, to the minute.

    >>> shown(datetime(2026, 10, 5, 23, 59, 59))
    'Mon 5 Oct 2026 23:59'
    """
    return f"{moment:%a} {moment.day} {moment:%b %Y %H:%M}"


def read_due(text: str) -> Due:
    """Read a due date: `2026-10-05 23:59`, with seconds or an offset (`+02:00`) if wanted.

    What isn't given is the last that it can be: 23:59 lasts until 23:59:59, and a date alone is due
    at the end of the day. Without an offset it is meant by the clock of this machine.
    """
    form = _FORM.fullmatch(text.strip())
    try:
        if form is None:
            raise ValueError
        day, minute, second, offset = form.groups()
        clock = time.fromisoformat(f"{minute or '23:59'}{second or ':59'}")
        wall = datetime.combine(date.fromisoformat(day), clock)
        return Due(wall, _fixed(offset) if offset else None)
    except ValueError:
        raise ValueError(f"a due date must be {ALLOWED}, got {text!r}") from None


def _fixed(offset: str) -> tzinfo:
    """Return the zone of an offset from UTC."""
    if offset == "Z":
        return UTC
    hours, minutes = int(offset[1:3]), int(offset[4:])
    ahead = timedelta(hours=hours, minutes=minutes)
    return timezone(-ahead if offset.startswith("-") else ahead)
