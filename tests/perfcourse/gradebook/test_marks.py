import pytest
from results import BANK

from perfcourse.gradebook.marks import Mark, read_marks

HEADER = "student,question,points,change,comment,by\n"
STUDENTS = {"ada", "ben"}


def read(tmp_path, *lines):
    path = tmp_path / "by-hand.csv"
    path.write_text(HEADER + "\n".join(lines))
    return read_marks(path, BANK, STUDENTS)


def test_marks_are_read_as_they_were_given(tmp_path):
    marks = read(
        tmp_path,
        "ada,q1,4.5,,a neat proof,tay",
        'ada,q2,,-1,"late, but tried",',
        "ben,q3,0,,,tay",
        "ben,q4,,,look at the second case,",
    )
    assert marks == (
        Mark("ada", "q1", 4.5, None, "a neat proof", "tay"),
        Mark("ada", "q2", None, -1, "late, but tried", ""),
        Mark("ben", "q3", 0, None, "", "tay"),
        Mark("ben", "q4", None, None, "look at the second case", ""),
    )
    assert [mark.in_words for mark in marks] == [
        "4.5 points instead of the automatic ones: a neat proof (tay)",
        "-1: late, but tried",
        "0 points instead of the automatic ones (tay)",
        "look at the second case",
    ]


def test_no_file_is_no_marks(tmp_path):
    assert read_marks(tmp_path / "by-hand.csv", BANK, STUDENTS) == ()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("eda,q1,1,,,", "student must be one of ada, ben, got 'eda'"),
        ("zoe,q1,1,,,", "student must be one of ada, ben, got 'zoe'"),
        ("ada,q9,1,,,", "question must be one of q1, q2, q3, q4, q5, got 'q9'"),
        ("ada,q2,2.5,,,", "points must be between 0 and 2, got '2.5'"),
        ("ada,q2,-1,,,", "points must be between 0 and 2, got '-1'"),
        ("ada,q2,,3,,", "change must be between -2 and 2, got '3'"),
        ("ada,q2,all,,,", "points must be a number or empty, got 'all'"),
        ("ada,q2,1,1,,", "change must be empty if points are given, got '1'"),
        ("ada,q2,,,,tay", "points must be given, unless there is a change or a comment, got ''"),
        ("ben,q1,1,,,", "'ben' has two lines for 'q1'; make one of them"),
    ],
)
def test_a_line_that_cannot_be_taken_names_file_line_value_and_what_is_allowed(
    tmp_path, line, message
):
    with pytest.raises(ValueError, match="by-hand.csv line 3") as error:
        read(tmp_path, "ben,q1,1,,,", line)
    assert str(error.value) == f"{tmp_path / 'by-hand.csv'} line 3: {message}"


def test_a_change_stops_at_the_question_s_points():
    up, down = Mark("ada", "q1", change=2), Mark("ada", "q1", change=-2)
    assert [up.applied(4, 5), down.applied(1, 5), up.applied(1, 5)] == [5, 0, 3]
    assert [up.cut(4, 5), down.cut(1, 5), up.cut(1, 5)] == [True, True, False]
    assert Mark("ada", "q1", points=2).applied(5, 5) == 2
    assert Mark("ada", "q1", comment="well done").applied(5, 5) == 5
