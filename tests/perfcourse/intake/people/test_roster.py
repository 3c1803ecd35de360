from datetime import UTC

import pytest
from downloads import SAMPLES

from perfcourse.intake.people.mapping import read_ids, read_students
from perfcourse.intake.people.roster import read_roster


def table(tmp_path, text, name="class.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "form", "platform", "first", "count"),
    [
        ("moodle-worksheet.csv", "worksheet", "moodle", "s1001", 6),
        ("moodle-gradebook.csv", "moodle", "moodle", "s1001", 6),
        ("moodle-participants.csv", "moodle", "moodle", "mira.okonkwo@example.edu", 2),
        ("canvas-gradebook.csv", "canvas", "canvas", "adelrio", 6),
    ],
)
def test_exports_are_taken_as_they_come(name, form, platform, first, count):
    roster = read_roster(SAMPLES / name)
    assert (roster.form, roster.platform) == (form, platform)
    assert (roster.students[0].id, len(roster.students)) == (first, count)


def test_lines_that_are_no_students_are_left_out():
    names = [student.id for student in read_roster(SAMPLES / "canvas-gradebook.csv").students]
    assert "7f3a9c0b1d2e" not in names
    assert all(names)


def test_worksheet_knows_when_and_by_which_number():
    first, *_, last = read_roster(SAMPLES / "moodle-worksheet.csv", zone=UTC).students
    assert first.handed_in.isoformat() == "2026-10-05T18:14:00+00:00"
    assert (first.number, last.number) == ("4711", "4716")
    assert [s.handed_in for s in read_roster(SAMPLES / "moodle-worksheet.csv").students][3] is None


@pytest.mark.parametrize(
    "text",
    ["s1001", "S1001", "mira.okonkwo@example.edu", "Mira Okonkwo", "OKONKWO, Mira", "okonkwomira"],
)
def test_student_is_known_by_id_mail_or_name(text):
    roster = read_roster(SAMPLES / "moodle-gradebook.csv")
    assert [student.id for student in roster.called(text)] == ["s1001"]


def test_accents_and_apostrophes_are_no_hindrance():
    roster = read_roster(SAMPLES / "canvas-gradebook.csv")
    assert roster.called("obrienleejonas")[0].id == "jobrien"
    assert roster.called("Zoe\u0308 Mu\u0308ller")[0].id == "zmueller"
    assert len(roster.called("Kim Park")) == 2
    assert roster.called("Nobody Here") == []


def test_id_column_can_be_chosen():
    roster = read_roster(SAMPLES / "canvas-gradebook.csv", "SIS User ID")
    assert roster.students[0].id == "S1003"
    assert roster.called("adelrio")[0].id == "S1003"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_own_table_in_any_order_and_by_any_delimiter(delimiter, tmp_path):
    rows = [["E-mail", "last name", "ID", "First Name"], ["a@x.edu", "Ito", "a1", "Aya"]]
    path = table(tmp_path, "\n".join(delimiter.join(row) for row in rows) + "\n\n")
    assert read_roster(path).called("Ito Aya")[0].id == "a1"
    assert read_ids(path) == ["a1"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty; it must hold a header"),
        (" \n\n", "is empty"),
        ("id,name\n", "holds no student"),
        ("id,nmae\na1,Aya\n", "the column 'nmae', which no roster has"),
        ("a1,Aya\nb2,Bo\n", "the column 'a1', which no roster has"),
        ("name,first name\nAya,A\n", "must have one of these columns for the students' ids"),
        ("id,name\na1,Aya\n,Bo\n", "line 3 has no id"),
        ("id,name\na1,Aya\nb2,Bo\nA1,Al\n", "line 4 has the id 'A1', as line 2 has"),
        ("id,id\na1,a\n", "the column 'id' twice"),
        ("id,name\na1,Aya,x\n", "line 2 has 3 cells, but the header has 2"),
        ("id,handed in\na1,soon\n", "line 2: a time must be like 2026-10-05|line 2: a time must"),
    ],
)
def test_bad_roster_is_one_sentence_with_the_line(text, says, tmp_path):
    with pytest.raises(ValueError, match=says) as caught:
        read_roster(table(tmp_path, text))
    assert "class.csv" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"id,name\na1,Zo\xeb\n", "isn't UTF-8 text"),
        (b"PK\x03\x04 xl/workbook", "is an Excel sheet, not a table"),
        (b"%PDF-1.4", "is a PDF, not a table"),
        (b'id,name\na1,"x', "line"),
    ],
)
def test_other_files_are_no_rosters(data, says, tmp_path):
    (tmp_path / "class.csv").write_bytes(data)
    if data.endswith(b'"x'):
        assert read_roster(tmp_path / "class.csv").students[0].id == "a1"
        return
    with pytest.raises(ValueError, match=says):
        read_roster(tmp_path / "class.csv")


def test_column_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match="has no column 'login'; it has id, name"):
        read_roster(table(tmp_path, "id,name\na1,Aya\n"), "login")


def test_table_of_files_is_read_by_its_header(tmp_path):
    assert read_students(table(tmp_path, "file,student\nx.ipynb,a1\n")) == {"x.ipynb": "a1"}
    assert read_students(table(tmp_path, "Student;Folder\na1;x\n")) == {"x": "a1"}
    assert read_ids(table(tmp_path, "file,student\nx.ipynb,a1\n")) == ["a1"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ("file,student\n", "names no file"),
        ("file,grade\nx,1\n", "must have the two columns file and student, got file, grade"),
        ("x.ipynb,a1\ny.ipynb,b1\n", "must have the two columns file and student, got x.ipynb, a1"),
        ("file,student,why\nx,a,b\n", "must have the two columns"),
        ("file,student\nx.ipynb,\n", "line 2 must have a file and a student"),
        ("file,student\nx,a1\nx,a2\n", "line 3 has 'x' or 'a2' a second time"),
        ("file,student\nx,a1\ny,a1\n", "line 3 has 'y' or 'a1' a second time"),
    ],
)
def test_bad_table_of_files_is_one_sentence(text, says, tmp_path):
    with pytest.raises(ValueError, match=says):
        read_students(table(tmp_path, text))


def test_teachers_do_not_hand_in(tmp_path):
    path = table(
        tmp_path,
        '"First name","Last name","Email address",Roles\nMira,Okonkwo,m@x.edu,Student\n'
        'Tea,Cher,t@x.edu,"Non-editing teacher"\n',
    )
    assert read_ids(path) == ["m@x.edu"]


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_canvas_of_another_country(delimiter, tmp_path):
    rows = ["LastName,FirstName,ID,SIS Login ID,Section,Case (7)", "    Points Possible,,,,,10"]
    rows += ["Okonkwo,Mira,20101,mo,PM-101,9"]
    roster = read_roster(table(tmp_path, "\r\n".join(rows).replace(",", delimiter)))
    assert (roster.form, roster.sheet.delimiter) == ("canvas", delimiter)
    assert roster.called("okonkwomira")[0].number == "20101"
