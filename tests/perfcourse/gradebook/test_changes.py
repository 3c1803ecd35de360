from dataclasses import replace
from datetime import timedelta

from results import BANK, a_grade, graded

from perfcourse.gradebook.changes import as_text, changes, from_text, standing
from perfcourse.gradebook.due import read_due
from perfcourse.gradebook.grade import grade_of
from perfcourse.gradebook.lateness import Deadline, read_policy
from perfcourse.gradebook.marks import Mark
from perfcourse.gradebook.messages import messages

BEFORE = standing(a_grade("ada", 1, 0, 1, 1, 1))


def after(*shares, marks=(), deadline=None, handed_in=None, **more):
    return standing(grade_of(graded("ada", *shares, **more), marks, deadline, handed_in))


def lines(new):
    return [change.in_words for change in changes([BEFORE], [new])]


def test_a_standing_survives_the_file():
    assert from_text(as_text([BEFORE])) == [BEFORE]
    assert [from_text(text) for text in ("", "[1]", '[{"a": 1}]', "{}")] == [[], [], [], []]
    assert changes([BEFORE], [BEFORE]) == []


def test_why_points_moved():
    assert lines(after(1, 1, 1, 1, 1, digest="new")) == [
        "ada: 8 to 10 points (q2 0 to 2; another file was handed in)"
    ]
    assert lines(after(1, 1, 1, 1, 0)) == [
        "ada: 8 to 9 points (q2 0 to 2, q5 1 to 0; the same file, graded again)"
    ]
    assert lines(after(1, 0, 1, 1, 1, marks=[Mark("ada", "q2", points=1)])) == [
        "ada: 8 to 9 points (q2 0 to 1; points by hand)"
    ]


def test_lateness_that_is_forgiven_is_a_reason():
    due = read_due("2026-10-05 23:59Z")
    deadline, came = Deadline(due, read_policy("10 % a day")), due.after() + timedelta(days=1)
    late = after(1, 0, 1, 1, 1, deadline=deadline, handed_in=came)
    assert lines(late) == ["ada: 8 to 7.2 points (0.8 off for lateness, before 0)"]


def test_a_file_of_another_name_is_the_same_student_s():
    renamed = replace(after(1, 1, 1, 1, 1, digest="new"), name="ada-2.ipynb")
    assert len(lines(renamed)) == 1
    assert changes([BEFORE], [replace(renamed, student="ben")]) == []


def test_a_new_question_is_told_as_new():
    fewer = {name: points for name, points in BEFORE.questions.items() if name != "q1"}
    moved = changes([replace(BEFORE, questions=fewer)], [after(1, 0, 1, 1, 1)])
    assert moved[0].moved == ["q1 new, 5"]


def test_a_message_says_old_and_new_points_and_why_and_no_answer():
    moved = changes([BEFORE], [after(1, 1, 1, 1, 1, misconception="swapped")])
    (letter,) = messages(moved, BANK.title, {"ada": "ada@example.org"})
    assert (letter.student, letter.email) == ("ada", "ada@example.org")
    assert letter.subject == f"{BANK.title}: your points changed"
    assert "were 8 and are now 10." in letter.text
    assert "q2 0 to 2" in letter.text
    assert "all files graded again" in letter.text
    for verdict in graded("ada", *[0] * 5).verdicts:
        assert verdict.message not in letter.text
    assert messages(moved, "x")[0].email == ""
