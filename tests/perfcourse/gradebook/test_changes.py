from dataclasses import replace
from datetime import timedelta

import pytest
from results import BANK, a_grade, graded

from perfcourse.gradebook.changes import as_text, changes, from_text, standing, standings
from perfcourse.gradebook.due import read_due
from perfcourse.gradebook.grade import grade_of
from perfcourse.gradebook.lateness import Deadline, read_policy
from perfcourse.gradebook.marks import Mark
from perfcourse.report.regrading import messages

BEFORE = standing(a_grade("ada", 1, 0, 1, 1, 1))


def after(*shares, marks=(), deadline=None, handed_in=None, **more):
    return standing(grade_of(graded("ada", *shares, **more), marks, deadline, handed_in))


def lines(new):
    return [change.in_words for change in changes([BEFORE], [new])]


def test_a_standing_survives_the_file():
    assert from_text(as_text([BEFORE])) == [BEFORE]
    assert [from_text(text) for text in ("", "[1]", '[{"a": 1}]', "{}")] == [[], [], [], []]
    assert changes([BEFORE], [BEFORE]) == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace('"points": 8.0', '"points": 9.0'),
        lambda text: text.replace('"points": 8.0', '"points": "8"'),
        lambda text: text.replace('"q2": 0', '"q2": 2'),
        lambda text: text.replace('"ada"', '"eve"'),
        lambda text: "[" * 100_000,
        lambda text: text.replace('"late": 0.0, ', ""),
    ],
)
def test_a_standing_that_was_changed_in_the_file_is_not_believed(damage):
    text = damage(as_text([BEFORE]))
    assert text != as_text([BEFORE])
    assert from_text(text) == []
    other = replace(BEFORE, student="ben", name="ben.ipynb")
    both = as_text([BEFORE, other])
    assert from_text(both.replace('"ada"', '"eve"')) == [other]


def broken(*shares, **more):
    return grade_of(graded("ada", *shares, broken=True, **more))


def test_a_grade_that_the_grader_could_not_give_is_no_change():
    """Neither when it comes nor when a grade follows; then it is compared with the last one."""
    first = standings([broken(0, 0, 0, 0, 0)], [])
    assert changes(first, [BEFORE]) == changes([BEFORE], first) == []
    between = standings([broken(0, 0, 0, 0, 0, digest="new")], [BEFORE])
    assert between == [BEFORE]
    (change,) = changes(between, [after(1, 1, 1, 1, 1)])
    assert [reason.short for reason in change.reasons] == ["the same file, graded again"]


def test_a_question_that_the_bank_could_not_judge_is_no_change():
    one = graded("ada", 1, 0, 1, 1, 0)
    one = replace(one, verdicts=(*one.verdicts[:4], replace(one.verdicts[4], failed=True)))
    assert standings([grade_of(one)], [BEFORE]) == [BEFORE]
    by_hand = grade_of(one, [Mark("ada", question.id, points=0) for question in BANK.questions])
    assert standings([by_hand], [BEFORE]) == [standing(by_hand)]


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        ("old", "new", "You handed in another file."),
        ("", "new", "No notebook could be read in what you handed in before."),
        ("old", "", "No notebook could be read in what you have handed in."),
    ],
)
def test_nobody_is_told_of_a_file_that_could_not_be_read(before, now, told):
    old = replace(BEFORE, digest=before)
    (change,) = changes([old], [after(1, 1, 1, 1, 1, digest=now)])
    assert [reason.told for reason in change.reasons] == [told]


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
