import os
import time
from datetime import UTC, datetime, timedelta

import pytest

from perfcourse.gradebook.due import Due, read_due, read_zone

ZURICH = "Europe/Zurich"


def utc(*when):
    return datetime(*when, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-10-05 23:59", utc(2026, 10, 5, 21, 59, 59)),
        ("2026-10-05T23:59", utc(2026, 10, 5, 21, 59, 59)),
        ("2026-10-05 23:59:00", utc(2026, 10, 5, 21, 59, 0)),
        ("2026-10-05", utc(2026, 10, 5, 21, 59, 59)),
        (" 2026-12-05 08:00 ", utc(2026, 12, 5, 7, 0, 59)),
        ("2026-10-05 23:59Z", utc(2026, 10, 5, 23, 59, 59)),
        ("2026-10-05 23:59 -07:00", utc(2026, 10, 6, 6, 59, 59)),
        ("2026-10-05 23:59+05:30", utc(2026, 10, 5, 18, 29, 59)),
    ],
)
def test_what_is_not_given_is_the_last_it_can_be(text, instant):
    assert read_due(text, ZURICH).after() == instant


def test_the_same_time_of_the_next_day_where_the_clock_is_changed():
    autumn = read_due("2026-10-24 23:59", ZURICH)
    spring = read_due("2026-03-28 23:59", ZURICH)
    assert autumn.after(1) - autumn.after() == timedelta(hours=25)
    assert spring.after(1) - spring.after() == timedelta(hours=23)
    assert spring.after(2) - spring.after(1) == timedelta(hours=24)


def test_a_time_that_comes_twice_is_the_second_and_one_left_out_comes_after():
    assert read_due("2026-10-25 02:30", ZURICH).after() == utc(2026, 10, 25, 1, 30, 59)
    assert read_due("2026-03-29 02:30", ZURICH).after() == utc(2026, 3, 29, 1, 30, 59)


def test_without_a_name_it_is_the_zone_of_this_machine(monkeypatch):
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        due = read_due("2026-10-31 23:59")
        assert due.after() == utc(2026, 11, 1, 3, 59, 59)
        assert due.after(1) - due.after() == timedelta(hours=25)
        assert due.local(utc(2026, 7, 1, 12)).hour == 8
    finally:
        monkeypatch.undo()
        time.tzset()
    assert os.environ.get("TZ") != "America/New_York"


def test_it_is_shown_to_the_minute():
    assert str(Due(datetime(2026, 10, 5, 23, 59, 59))) == "Mon 5 Oct 2026 23:59"


@pytest.mark.parametrize(
    "text", ["", "tomorrow", "5.10.2026 23:59", "2026-13-05 23:59", "2026-10-05 24:30", "20261005"]
)
def test_what_is_no_date_is_named_with_what_is_allowed(text):
    with pytest.raises(ValueError, match=r"such as 2026-10-05 23:59 .*, got ") as error:
        read_due(text)
    assert repr(text) in str(error.value)


@pytest.mark.parametrize("name", ["Europe/Zürich", "CEST2", "/etc/passwd", "../UTC", "Europe"])
def test_unknown_zone_is_named(name):
    with pytest.raises(ValueError, match="zone must be a name such as Europe/Zurich") as error:
        read_due("2026-10-05 23:59", name)
    assert repr(name) in str(error.value)
    assert read_zone("") is None
