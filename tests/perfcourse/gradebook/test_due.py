import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from perfcourse.gradebook.due import Due, read_due

ZURICH = ZoneInfo("Europe/Zurich")


@pytest.fixture
def in_zurich(monkeypatch):
    """Set this machine's clock to a zone, for the test."""
    monkeypatch.setenv("TZ", "Europe/Zurich")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def in_zone(text, zone=ZURICH):
    return replace(read_due(text), zone=zone)


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
@pytest.mark.usefixtures("in_zurich")
def test_what_is_not_given_is_the_last_it_can_be(text, instant):
    assert read_due(text).after() == instant


def test_the_same_time_of_the_next_day_where_the_clock_is_changed():
    autumn = in_zone("2026-10-24 23:59")
    spring = in_zone("2026-03-28 23:59")
    assert autumn.after(1) - autumn.after() == timedelta(hours=25)
    assert spring.after(1) - spring.after() == timedelta(hours=23)
    assert spring.after(2) - spring.after(1) == timedelta(hours=24)


def test_a_time_that_comes_twice_is_the_second_and_one_left_out_comes_after():
    assert in_zone("2026-10-25 02:30").after() == utc(2026, 10, 25, 1, 30, 59)
    assert in_zone("2026-03-29 02:30").after() == utc(2026, 3, 29, 1, 30, 59)


@pytest.mark.usefixtures("in_zurich")
def test_without_an_offset_it_is_meant_by_the_clock_of_this_machine():
    due = read_due("2026-10-24 23:59")
    assert due.zone is None
    assert due.after(1) - due.after() == timedelta(hours=25)
    assert read_due("2026-10-25 02:30").after() == utc(2026, 10, 25, 1, 30, 59)
    assert due.local(utc(2026, 7, 1, 12)).hour == 14


def test_it_is_shown_to_the_minute():
    assert str(Due(datetime(2026, 10, 5, 23, 59, 59))) == "Mon 5 Oct 2026 23:59"


@pytest.mark.parametrize(
    "text", ["", "tomorrow", "5.10.2026 23:59", "2026-13-05 23:59", "2026-10-05 24:30", "20261005"]
)
def test_what_is_no_date_is_named_with_what_is_allowed(text):
    with pytest.raises(ValueError, match=r"such as 2026-10-05 23:59 .*, got ") as error:
        read_due(text)
    assert repr(text) in str(error.value)
