from datetime import timedelta

from results import graded

from perfcourse.gradebook.due import read_due
from perfcourse.gradebook.grade import grade_of
from perfcourse.gradebook.lateness import Deadline, read_policy
from perfcourse.gradebook.marks import Mark
from perfcourse.gradebook.notes import notes

DUE = read_due("2026-10-05 23:59Z")
DEADLINE = Deadline(DUE, read_policy("10 % a day"))
LATE = DUE.after() + timedelta(days=1, hours=1)


def a_grade(student, handed_in=None, marks=(), **more):
    return grade_of(graded(student, *[1] * 5, **more), marks, DEADLINE, handed_in)


def test_lateness_and_what_is_not_known_is_said_once():
    grades = [a_grade("ada", LATE), a_grade("ben"), a_grade("cleo"), a_grade("dan", DUE.after())]
    grades.append(a_grade("eve", readable=False))
    assert notes(grades) == [
        "1 late: ada (2 days, 2 off).",
        "2 without a submission time, treated as in time: ben, cleo.",
    ]


def test_marks_and_a_change_that_goes_too_far():
    marks = [
        Mark("ada", "q1", points=3),
        Mark("ben", "q2", change=1),
        Mark("cleo", "q1", comment="x"),
    ]
    grades = [a_grade(who, DUE.after(), marks) for who in ("ada", "ben", "cleo", "dan")]
    assert notes(grades) == [
        "By hand: ada (-2), ben, cleo.",
        "By hand: the change of +1 for ben, q2, is cut to stay between 0 and 2 points.",
    ]


def test_points_by_hand_for_some_questions_only_are_no_grade_of_a_missing_file():
    one = [Mark("ada", "q1", points=3)]
    grades = [a_grade("ada", DUE.after(), one, readable=False)]
    assert notes(grades)[0] == "Points by hand, but no grade until every question has points: ada."
    comment = [Mark("ada", "q1", comment="ill")]
    assert "no grade until" not in notes([a_grade("ada", None, comment, readable=False)])[0]


def test_an_extension_for_somebody_who_is_not_there_may_be_misspelt():
    grades = [a_grade("ada", DUE.after())]
    assert notes(grades, {"ada": DUE}) == []
    assert notes(grades, {"ada": DUE, "eda": DUE}) == ["An extension, but nothing handed in: eda."]


def test_a_long_list_is_cut():
    grades = [a_grade(f"s{n:02}") for n in range(30)]
    assert notes(grades)[0].endswith("s18, s19 and 10 more.")
