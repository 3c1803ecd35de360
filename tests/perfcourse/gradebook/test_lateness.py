from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, strategies as st

from perfcourse.gradebook.due import Due
from perfcourse.gradebook.lateness import Deadline, Policy, days_late, read_policy

ZONES = ("Europe/Zurich", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC")
ZURICH = ZoneInfo("Europe/Zurich")
DUE = Due(datetime(2026, 10, 5, 23, 59, 59), ZURICH)
SECOND = timedelta(seconds=1)
policies = st.builds(
    Policy,
    share=st.floats(0, 1),
    points=st.floats(0, 20),
    grace=st.timedeltas(timedelta(0), timedelta(days=2)),
    most=st.floats(0, 1),
    last_day=st.none() | st.integers(0, 9),
)
dues = st.builds(
    lambda wall, zone: Due(wall.replace(microsecond=0), ZoneInfo(zone)),
    st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 28)),
    st.sampled_from(ZONES),
)
waits = st.timedeltas(timedelta(days=-3), timedelta(days=12))


@given(st.floats(0, 100), dues, policies, waits, waits)
def test_who_comes_later_never_has_more(points, due, policy, one, other):
    sooner, later = sorted((one, other))
    deadline = Deadline(due, policy)
    first, second = (
        deadline.lateness("ada", points, due.after() + wait) for wait in (sooner, later)
    )
    assert first.days <= second.days
    assert points - first.taken >= points - second.taken >= 0


@given(st.floats(0, 100), dues, policies, waits)
def test_within_grace_the_points_are_what_they_were(points, due, policy, wait):
    late = Deadline(due, policy).lateness("ada", points, due.after() + wait)
    if wait <= policy.grace:
        assert (late.days, late.taken) == (0, 0)
    elif wait.total_seconds() - policy.grace.total_seconds() >= 1:
        assert late.days >= 1


@given(dues, waits, st.sampled_from(ZONES))
def test_the_zone_in_which_a_time_is_told_makes_no_difference(due, wait, zone):
    moment = due.after() + wait
    assert days_late(moment, due) == days_late(moment.astimezone(ZoneInfo(zone)), due)


@given(dues, st.integers(0, 9), st.timedeltas(timedelta(0), timedelta(hours=20)))
def test_each_day_ends_when_the_clock_shows_the_same_time(due, days, grace):
    grace = timedelta(seconds=int(grace.total_seconds()))
    last = due.after(days) + grace
    assert days_late(last, due, grace) <= days < days_late(last + SECOND, due, grace)


@pytest.mark.parametrize(
    ("moment", "days"),
    [
        ("2026-10-05 23:59:59.999999", 0),
        ("2026-10-06 00:00:00", 1),
        ("2026-10-06 23:59:59", 1),
        ("2026-10-07 00:00:00", 2),
        ("2026-09-01 00:00:00", 0),
    ],
)
def test_the_last_second_of_the_due_minute_is_in_time_and_the_next_is_not(moment, days):
    local = datetime.fromisoformat(moment).replace(tzinfo=ZURICH)
    assert days_late(local, DUE) == days


def test_a_day_of_25_hours_is_one_day():
    due = Due(datetime(2026, 10, 24, 23, 59, 59), ZURICH)
    moment = datetime(2026, 10, 25, 23, 59, tzinfo=ZURICH)
    assert moment.astimezone(UTC) - due.after() == timedelta(hours=25, seconds=-59)
    assert days_late(moment, due) == 1
    assert days_late(moment + timedelta(minutes=1), due) == 2


def test_time_without_a_zone_is_refused():
    with pytest.raises(ValueError, match="handed_in must have a time zone, got 2026-10-05"):
        days_late(datetime(2026, 10, 5), DUE)


def test_one_day_of_ten_per_cent_by_hand():
    policy = read_policy("10 % a day, 2 h grace, nothing after 5 days")
    deadline = Deadline(DUE, policy)
    came = datetime(2026, 10, 6, 14, 10, tzinfo=timezone(timedelta(hours=2)))
    late = deadline.lateness("ada", 62, came)
    assert (late.days, late.taken, late.in_words) == (1, 6.2, "one day late")
    assert late.times == "due Mon 5 Oct 2026 23:59, handed in Tue 6 Oct 2026 14:10"
    assert deadline.lateness("ada", 62, DUE.after() + timedelta(hours=2)).taken == 0
    assert deadline.lateness("ada", 62, DUE.after(5) + timedelta(hours=2)).taken == 31
    assert deadline.lateness("ada", 62, DUE.after(5) + timedelta(hours=2, seconds=1)).taken == 62


def test_an_extension_goes_before_the_date_for_all():
    own = Due(datetime(2026, 10, 8, 12), ZURICH)
    deadline = Deadline(DUE, read_policy("10 % a day"), {"ada": own})
    came = own.after()
    ada, ben = (deadline.lateness(who, 10, came) for who in ("ada", "ben"))
    assert (ada.taken, ada.extended, ben.taken, ben.extended) == (0, True, 3, False)
    assert "a date of your own" in ada.times


def test_without_a_time_nobody_is_late_and_it_is_known():
    late = Deadline(DUE, read_policy("100 % a day")).lateness("ada", 10, None)
    assert (late.days, late.taken, late.unknown, late.times) == (0, 0, True, "")
    assert not Deadline().lateness("ada", 10, None).unknown


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("10 % a day", Policy(share=0.1)),
        ("2.5% a day,at most 50%", Policy(share=0.025, most=0.5)),
        ("1 point a day,  30 min grace", Policy(points=1, grace=timedelta(minutes=30))),
        ("1 day grace, nothing after 0 days", Policy(grace=timedelta(days=1), last_day=0)),
    ],
)
def test_a_policy_is_read_part_by_part(text, policy):
    assert read_policy(text) == policy


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "got ''"),
        ("10 %", "got '10 %'"),
        ("10 % a day, at most 5 days", "got 'at most 5 days'"),
        ("-5 % a day", "got '-5 % a day'"),
        ("110 % a day", "100 % at most, got '110 % a day'"),
        ("10 % a day, at most 120 %", "100 % at most, got 'at most 120 %'"),
        ("10 % a day, 5 % a day", "each part once, got '5 % a day'"),
    ],
)
def test_a_part_that_is_not_understood_is_named(text, named):
    with pytest.raises(ValueError, match="^--late must ") as error:
        read_policy(text)
    assert named in str(error.value)
