from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, strategies as st
from results import BANK, a_grade, graded

from perfcourse.gradebook.due import read_due
from perfcourse.gradebook.grade import grade_of
from perfcourse.gradebook.lateness import Deadline, read_policy
from perfcourse.gradebook.marks import Mark

DUE = read_due("2026-10-05 23:59Z")
TEN_A_DAY = Deadline(DUE, read_policy("10 % a day"))
LATE = DUE.after() + timedelta(hours=1)
shares = st.lists(st.floats(0, 1), min_size=5, max_size=5)


def test_answers_alone():
    grade = a_grade("ada", 1, 0.5, 0, 1, 1)
    assert (grade.earned, grade.points, grade.automatic) == (8, 10, 8)
    assert (grade.by_hand, grade.late, grade.in_words) == (0, 0, "")
    assert grade.verdicts == grade.graded.verdicts


def test_by_hand_and_late_as_it_is_told():
    marks = [Mark("ada", "q2", points=2), Mark("ada", "q1", change=-1), Mark("ben", "q3", 0)]
    grade = grade_of(graded("ada", 1, 0, 1, 1, 1), marks, TEN_A_DAY, LATE)
    assert (grade.automatic, grade.by_hand, grade.late, grade.earned) == (8, 1, 0.9, 8.1)
    assert grade.in_words == "8 for the answers, 1 by hand, less 0.9 for one day late"
    assert [verdict.earned for verdict in grade.verdicts] == [4, 2, 1, 1, 1]
    assert [verdict.earned for verdict in grade.graded.verdicts] == [5, 0, 1, 1, 1]
    assert grade.verdicts[1].message == (
        "Think again. By hand: 2 points instead of the automatic ones"
    )


def test_a_comment_changes_no_points():
    grade = grade_of(graded("ada", 1, 1, 1, 1, 1), [Mark("ada", "q1", comment="neat", by="tay")])
    assert (grade.earned, grade.in_words) == (10, "")
    assert grade.verdicts[0].message == "Right. By hand: neat (tay)"


def test_points_by_hand_decide_what_could_not_be_judged():
    one = graded("ada", 1, 1, 1, 1, 0)
    failed = replace(one, verdicts=(*one.verdicts[:4], replace(one.verdicts[4], failed=True)))
    assert not grade_of(failed).decided
    assert grade_of(failed, [Mark("ada", "q5", points=1)]).decided
    assert not grade_of(failed, [Mark("ada", "q5", change=1)]).decided
    unreadable = replace(graded("ada", *[0] * 5), readable=False)
    everything = [Mark("ada", question.id, points=1) for question in BANK.questions]
    assert not grade_of(unreadable, everything[:4]).decided
    assert grade_of(unreadable, everything).decided


@given(shares, st.floats(-5, 5), st.integers(0, 9))
def test_the_parts_add_up_and_stay_within_the_points(given_shares, change, days):
    deadline = Deadline(DUE, read_policy("15 % a day, 1 point a day"))
    came = DUE.after(days)
    grade = grade_of(
        graded("ada", *given_shares), [Mark("ada", "q1", None, change)], deadline, came
    )
    assert 0 <= grade.earned <= grade.points
    assert grade.earned == pytest.approx(grade.automatic + grade.by_hand - grade.late, abs=1e-8)
