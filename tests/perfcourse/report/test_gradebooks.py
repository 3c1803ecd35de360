"""What goes back to Moodle and Canvas, held to what their importers read."""

import csv
import io
import json
import re
import zipfile
from dataclasses import replace

import example
import nbformat
import pytest
from downloads import CANVAS, MOODLE, MOODLE_FLAT, MOODLE_OLD, SAMPLES, zipped

from perfcourse.gradebook.grade import grade_of
from perfcourse.grading import Graded
from perfcourse.intake.collection import Sources, collect
from perfcourse.intake.people.roster import read_roster
from perfcourse.judge import Verdict
from perfcourse.report.gradebooks import gradebooks
from perfcourse.report.returns import as_notebook, returns

BANK = example.bank
READABLE = {"Mira": 10.0, "Jonas": 4.5, "Kim": 7.0, "okonkwo": 10.0, "obrien": 4.5, "parkkim": 7.0}


def collected(files, tmp_path, roster="", **more):
    (tmp_path / "in.zip").write_bytes(zipped(files))
    sources = Sources(read_roster(SAMPLES / roster) if roster else None, **more)
    return collect(tmp_path / "in.zip", "example", sources)


def graded(submissions):
    """Results with points by the name of the file; what has no notebook is no grade."""
    return [
        grade_of(
            Graded(
                one.name,
                one.student,
                "d",
                "" if one.name.endswith("ipynb") or "file" in one.name else "Why not.",
                (Verdict("q1", earned := points_of(one), 10.0, "Think again."),),
                readable=earned > 0,
            )
        )
        for one in submissions
    ]


def points_of(submission):
    known = [points for name, points in READABLE.items() if submission.name.startswith(name)]
    return known[0] if known and not submission.problem else 0.0


def book(files, tmp_path, roster="", column="", **more):
    came = collected(files, tmp_path, roster, **more)
    (only,) = gradebooks(graded(came.submissions), BANK, came, column)
    return only


def rows(text, **more):
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), **more))


def original(name):
    return rows((SAMPLES / name).read_text(encoding="utf-8"))


def test_worksheet_comes_back_with_grades_and_comments_alone_changed(tmp_path):
    made = book(MOODLE, tmp_path, "moodle-worksheet.csv")
    before, after = original("moodle-worksheet.csv"), rows(made.text)
    assert made.file == "moodle.csv"
    assert made.text.startswith("\ufeff")
    assert list(after[0]) == list(before[0])
    ours = ("Grade", "Feedback comments")
    for old, new in zip(before, after, strict=True):
        assert {k: v for k, v in old.items() if k not in ours} == {
            k: v for k, v in new.items() if k not in ours
        }
    assert [row["Grade"] for row in after] == ["10", "4.5", "", "", "7", ""]
    assert after[1]["Feedback comments"] == "q1: Think again."
    assert made.remarks == ()


def moodle_finds(worksheet):
    """Read a worksheet as `importgradeslib.php` does: identifier, grade and time of the grade."""
    assert {"Identifier", "Grade", "Last modified (grade)"} <= set(rows(worksheet)[0])
    return {
        int(row["Identifier"].removeprefix("Participant")): row["Grade"] for row in rows(worksheet)
    }


def test_moodle_without_a_roster_is_a_worksheet_by_number(tmp_path):
    made = book(MOODLE, tmp_path)
    assert moodle_finds(made.text) == {4711: "10", 4712: "4.5", 4713: "", 4715: "7", 4716: ""}


def test_higher_maximum_in_the_platform_is_told(tmp_path):
    bank = replace(BANK, title="One question of each kind")
    came = collected(MOODLE, tmp_path, "moodle-worksheet.csv")
    sheet = came.roster.sheet
    place = sheet.place("Maximum Grade")
    changed = tuple((*row[:place], "100.00", *row[place + 1 :]) for row in sheet.rows)
    came = replace(came, roster=replace(came.roster, sheet=replace(sheet, rows=changed)))
    (made,) = gradebooks(graded(came.submissions), bank, came)
    assert made.remarks == (
        "Moodle counts 100.00 points, this assignment 10: set it to 10 there before you load the "
        "grades.",
    )


def test_moodle_gradebook_has_those_who_have_a_grade(tmp_path):
    """An unknown student or an empty cell would spoil the import."""
    made = book(MOODLE, tmp_path, "moodle-gradebook.csv")
    after = rows(made.text)
    title = "Assignment: One question of each kind (Real)"
    assert [(row["Email address"], row[title]) for row in after] == [
        ("mira.okonkwo@example.edu", "10"),
        ("jonas.obrienlee@example.edu", "4.5"),
    ]
    assert after[1]["Feedback: One question of each kind"] == "q1: Think again."


def test_canvas_gets_its_own_columns_rows_and_numbers(tmp_path):
    made = book(CANVAS, tmp_path, "canvas-gradebook.csv")
    title = "One question of each kind (90218)"
    header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", title]
    table = list(csv.reader(io.StringIO(made.text)))
    assert table[0] == header
    assert table[1] == ["    Points Possible", "", "", "", "", "10.00"]
    before = {row["ID"]: row for row in original("canvas-gradebook.csv")}
    for row in table[2:]:
        assert row[:5] == [before[row[1]][name] for name in header[:5]]
    assert {row[3]: row[5] for row in table[2:]} == {
        "adelrio": "",
        "zmueller": "",
        "jobrien": "4.5",
        "mokonkwo": "10",
        "kpark": "7",
        "kpark2": "",
    }
    assert made.remarks == ()


def test_grade_that_canvas_has_stays_where_there_is_no_new_one(tmp_path):
    files = {name: data for name, data in CANVAS.items() if "20105" not in name}
    made = book(files, tmp_path, "canvas-gradebook.csv")
    kim = next(row for row in rows(made.text) if row["SIS Login ID"] == "kpark")
    assert kim["One question of each kind (90218)"] == "6.00"


def test_column_is_chosen_by_name_and_refused_by_another(tmp_path):
    made = book(CANVAS, tmp_path, "canvas-gradebook.csv", "first steps")
    assert "First steps (90201)" in rows(made.text)[0]
    with pytest.raises(ValueError, match=r"has 0 called 'third'.*First steps, One question"):
        book(CANVAS, tmp_path, "canvas-gradebook.csv", "third")
    with pytest.raises(ValueError, match="--column needs the gradebook that the platform exported"):
        book(CANVAS, tmp_path, "", "first steps")


def test_assignment_that_canvas_does_not_know_is_told(tmp_path):
    came = collected(CANVAS, tmp_path, "canvas-gradebook.csv")
    (made,) = gradebooks(graded(came.submissions), replace(BANK, title="New"), came)
    assert "no column called 'New', so Canvas makes a new one" in made.remarks[0]
    assert rows(made.text)[0]["New"] == "10"


def test_canvas_without_a_roster_has_its_numbers(tmp_path):
    made = book(CANVAS, tmp_path)
    assert {row["ID"] for row in rows(made.text)[1:]} == {
        "20101",
        "20102",
        "20103",
        "20105",
        "20106",
    }


def moodle_returns_to(name):
    """Say as `importziplib.php` does whose a file in the archive is, and what it is called."""
    parts = name.split("/")
    while parts:
        info = parts.pop(0).split("_", 4)
        if len(info) >= 4 and info[1].isdigit() and info[2:4] == ["assignsubmission", "file"]:
            return int(info[1]), "/".join([*info[4:], *parts]).strip("/")
    return None


@pytest.mark.parametrize("files", [MOODLE, MOODLE_OLD, MOODLE_FLAT])
def test_moodle_takes_the_feedback(files, tmp_path):
    came = collected(files, tmp_path, "moodle-worksheet.csv")
    results = graded(came.submissions)
    archive, remarks = returns(results, {one.name: one.name for one in results}, "example", came)
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        names = opened.namelist()
        first = next(name for name in names if "4711" in name)
        assert opened.read(first).decode().startswith("Mira Okonkwo_4711")
    found = dict(moodle_returns_to(name) for name in names if "assignsubmission_file" in name)
    assert set(found) == {4711, 4712, 4713, 4715}
    assert set(found.values()) == {"example-feedback.html"}
    assert {"/" in name for name in names} == {files is not MOODLE_FLAT}
    assert remarks == ()


def canvas_returns_to(name):
    """Say as `infer_comment_context_from_filename` does: the user and the file."""
    numbers = [word for word in name.split("_") if re.fullmatch(r"\d+", word)]
    return tuple(map(int, numbers[:2]))


def test_canvas_takes_the_feedback_as_a_notebook(tmp_path):
    inner = zipped({"x.ipynb": CANVAS["okonkwomira_20101_555101_example.ipynb"]})
    files = {**CANVAS, "m\u00fcllerzo\u00eb_20104_555104_work.zip": inner}
    came = collected(files, tmp_path, "canvas-gradebook.csv")
    results = graded(came.submissions)
    pages = {one.name: f"<html><body>\n<p>{one.student}</p>\n</body></html>" for one in results}
    archive, remarks = returns(results, pages, "example", came)
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        found = {canvas_returns_to(name): opened.read(name) for name in opened.namelist()}
    assert set(found) == {(20101, 555101), (20102, 555102), (20104, 555104), (20105, 555205)}
    assert json.loads(found[20101, 555101])["cells"][0]["source"] == "<p>mokonkwo</p>"
    with zipfile.ZipFile(io.BytesIO(found[20104, 555104])) as opened:
        assert opened.namelist() == ["example-feedback.html"]
    assert "delrioanamaria_20103_555103_report.pdf" in remarks[0]


def test_whose_is_unclear_gets_nothing_back(tmp_path):
    came = collected(MOODLE, tmp_path, "moodle-gradebook.csv")
    results = graded(came.submissions)
    archive, _ = returns(results, {one.name: "" for one in results}, "example", came)
    assert b"Mira" in archive
    assert b"Kim" not in archive


def test_page_in_a_notebook_is_one_block_of_html():
    page = (
        "<html><head><style>x</style></head><body>\n<main>\n\n<p>a</p>\n   \n</main></body></html>"
    )
    nbformat.validate(nbformat.reads(as_notebook(page), 4))
    (cell,) = json.loads(as_notebook(page))["cells"]
    assert cell["source"].splitlines() == ["<main>", "<!-- -->", "<p>a</p>", "<!-- -->", "</main>"]


def test_archive_is_the_same_for_the_same_pages(tmp_path):
    came = collected(MOODLE, tmp_path, "moodle-worksheet.csv")
    results = graded(came.submissions)
    pages = {one.name: "page" for one in results}
    again = returns(list(reversed(results)), pages, "example", came)
    assert returns(results, pages, "example", came) == again
