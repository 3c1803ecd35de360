"""Times as learning platforms export them; all come back with a time zone."""

from __future__ import annotations

from datetime import datetime, tzinfo

from perfcourse.intake.people.languages import date_in_words

_NONE = ("", "-", "never")
_FORMS = (
    "%A, %d %B %Y, %I:%M %p",
    "%A, %B %d, %Y, %I:%M %p",
    "%A, %d %B %Y, %H:%M",
    "%d %B %Y, %I:%M %p",
    "%d %B %Y, %H:%M",
)
"""Of Moodle in English (`strftimedaydatetime` and its neighbours in `lang/en/langconfig.php`)."""


def read_time(text: str, zone: tzinfo | None = None) -> datetime | None:
    """Return a time; None for an empty cell or a dash.

    ISO 8601, also with ` UTC` behind it, and what Moodle writes are understood. A text without a
    time zone is taken to be in `zone`, that of this machine where left out.

    >>> read_time("2026-06-10T12:14:00Z").isoformat()
    '2026-06-10T12:14:00+00:00'
    >>> f"{read_time('Wednesday, 10 June 2026, 2:14 PM'):%d.%m.%Y %H:%M}"
    '10.06.2026 14:14'
    >>> read_time("-")
    """
    text = " ".join(text.split()).replace(" UTC", "+00:00")
    if text.casefold() in _NONE:
        return None
    try:
        return _zoned(datetime.fromisoformat(text), zone)
    except ValueError:
        pass
    if words := date_in_words(text):
        return _zoned(words, zone)
    for form in _FORMS:
        try:
            return _zoned(datetime.strptime(text, form), zone)
        except ValueError:
            continue
    raise ValueError(
        f"a time must be like 2026-06-10 14:14 or 'Wednesday, 10 June 2026, 2:14 PM', got {text!r}"
    )


def _zoned(time: datetime, zone: tzinfo | None) -> datetime:
    if time.tzinfo:
        return time
    return time.replace(tzinfo=zone) if zone else time.astimezone()
