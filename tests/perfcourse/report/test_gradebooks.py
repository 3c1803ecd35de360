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
from perfcourse.intake.collection import Sources, collect
from perfcourse.intake.people.groups import read_groups
from perfcourse.intake.people.roster import read_roster
from perfcourse.judge import Verdict
from perfcourse.judge.result import Graded
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
    assert made.remarks == (
        "Moodle has different grades, which this file replaces: s1005 6.00 to 7.",
    )


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
    assert made.remarks[0] == (
        "Moodle counts 100.00 points, this assignment 10: set it to 10 there before you load the "
        "grades."
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
    assert made.remarks == (
        "Canvas has different grades, which this file replaces: kpark 6.00 to 7.",
    )


def test_grade_that_canvas_has_stays_where_there_is_no_new_one(tmp_path):
    files = {name: data for name, data in CANVAS.items() if "20105" not in name}
    made = book(files, tmp_path, "canvas-gradebook.csv")
    kim = next(row for row in rows(made.text) if row["SIS Login ID"] == "kpark")
    assert kim["One question of each kind (90218)"] == "6.00"


def test_column_is_chosen_by_name_and_refused_by_another(tmp_path):
    made = book(CANVAS, tmp_path, "canvas-gradebook.csv", "first steps")
    assert "First steps (90201)" in rows(made.text)[0]
    with pytest.raises(ValueError, match=r"has 0 called 'third'.*First steps \(90201\), One"):
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


def changed(roster, tmp_path, *pairs):
    """Write a sample with other words in it; return its path."""
    text = (SAMPLES / roster).read_text(encoding="utf-8")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    (tmp_path / roster).write_text(text, encoding="utf-8")
    return tmp_path / roster


def book_of(files, tmp_path, roster, **more):
    (tmp_path / "in.zip").write_bytes(zipped(files))
    came = collect(tmp_path / "in.zip", "example", Sources(read_roster(roster)))
    (made,) = gradebooks(graded(came.submissions), BANK, came, **more)
    return made


@pytest.mark.parametrize("word", ["EX", "ex"])
def test_who_is_excused_in_canvas_stays_so(word, tmp_path):
    line = '"Okonkwo, Mira",20101,S1001,mokonkwo,PM-101,9.00,'
    roster = changed("canvas-gradebook.csv", tmp_path, (line, line + word))
    made = book_of(CANVAS, tmp_path, roster)
    mira = next(row for row in rows(made.text) if row["ID"] == "20101")
    assert mira["One question of each kind (90218)"] == word
    assert "Excused in Canvas and left excused: mokonkwo." in made.remarks


def test_grade_that_is_locked_in_moodle_stays(tmp_path):
    mira = '"Submitted for grading - ",,10.00,Yes,"Monday'
    roster = changed("moodle-worksheet.csv", tmp_path, (mira, mira.replace("Yes", "No")))
    made = book_of(MOODLE, tmp_path, roster)
    first, second, *_ = rows(made.text)
    assert (first["Grade"], first["Feedback comments"], second["Grade"]) == ("", "", "4.5")
    assert "Locked in Moodle, so the grade there stays: s1001, s1006." in made.remarks


@pytest.mark.parametrize("total", ["Final Score", "Current Points", "Override Grade"])
def test_title_that_canvas_drops_is_told(total, tmp_path):
    title = ("One question of each kind (90218)", f"One question of each kind: {total} (90218)")
    roster = changed("canvas-gradebook.csv", tmp_path, title)
    made = book_of(CANVAS, tmp_path, roster, column=title[1])
    assert "silently skips a column called" in made.remarks[0]


def test_two_columns_of_one_title_are_told_by_their_numbers(tmp_path):
    roster = changed(
        "canvas-gradebook.csv", tmp_path, ("First steps (90201)", "One question of each kind (9)")
    )
    with pytest.raises(ValueError, match=r"has 2 called .*each kind \(9\), One .*\(90218\)"):
        book_of(CANVAS, tmp_path, roster)
    made = book_of(CANVAS, tmp_path, roster, column="One question of each kind (9)")
    assert next(csv.reader(io.StringIO(made.text)))[5] == "One question of each kind (9)"


def test_decimal_commas_come_back_as_commas(tmp_path):
    text = (SAMPLES / "moodle-worksheet.csv").read_text(encoding="utf-8")
    (tmp_path / "w.csv").write_text(text.replace("10.00", '"10,00"').replace("6.00", '"6,00"'))
    made = book_of(MOODLE, tmp_path, tmp_path / "w.csv")
    assert [row["Grade"] for row in rows(made.text)] == ["10", "4,5", "", "", "7", ""]


BLACKBOARD = {
    "Ex_adal_attempt_2026-10-05-21-14-03_Mira.ipynb": CANVAS[
        "okonkwomira_20101_555101_example.ipynb"
    ],
    "Ex_adal_attempt_2026-10-05-21-14-03.txt": b"Name: Ada Lovelace (adal)",
}
COLUMN = "One question of each kind [Total Pts: 10 Score] |123456"


def test_blackboard_gets_its_column_in_utf16(tmp_path):
    header = ["Last Name", "First Name", "Username", "Student ID"]
    lines = [[*header, "First [Total Pts: 5 Score] |9", COLUMN]]
    lines += [["Lovelace", "Ada", "adal", "1001", "4", ""]]
    lines += [["Müller", "Zoë", "zoem", "1002", "", "8"]]
    text = "".join("\t".join(f'"{part}"' for part in line) + "\n" for line in lines)
    (tmp_path / "gc.xls").write_bytes(text.encode("utf-16"))
    (tmp_path / "in.zip").write_bytes(zipped(BLACKBOARD))
    came = collect(tmp_path / "in.zip", "example", Sources(read_roster(tmp_path / "gc.xls")))
    assert [one.student for one in came.submissions] == ["adal"]
    assert [student.id for student in came.absent] == ["zoem"]
    results = [replace(one, graded=replace(one.graded, name=one.name)) for one in perfect(came)]
    (made,) = gradebooks(results, BANK, came)
    assert (made.file, made.encoding) == ("blackboard.xls", "utf-16")
    assert rows(made.text, delimiter="\t") == [
        {**dict(zip(header[:4], lines[1][:4], strict=True)), COLUMN: "10"}
    ]


def perfect(came):
    return [
        grade_of(Graded(one.name, one.student, "d", "", (Verdict("q1", 10.0, 10.0, ""),)))
        for one in came.submissions
    ]


def test_brightspace_gets_its_column_and_the_end_of_the_line(tmp_path):
    column = "One question of each kind Points Grade <Numeric MaxPoints:10 Weight:5>"
    header = ["OrgDefinedId", "Username", "Last Name", "First Name", column]
    lines = [[*header, "End-of-Line Indicator"], ["#1001", "#ada", "Lovelace", "Ada", "", "#"]]
    roster = tmp_path / "b.csv"
    roster.write_text("\n".join(",".join(line) for line in lines))
    folder = "397063-2557369 - Ada Lovelace - Oct 5, 2026 914 PM"
    files = {f"{folder}/example.ipynb": CANVAS["okonkwomira_20101_555101_example.ipynb"]}
    (tmp_path / "in.zip").write_bytes(zipped({**files, "index.html": b"<html>"}))
    came = collect(tmp_path / "in.zip", "example", Sources(read_roster(roster)))
    assert [(one.student, one.listed) for one in came.submissions] == [("ada", True)]
    (made,) = gradebooks(perfect(came), BANK, came)
    assert (made.file, made.remarks) == ("brightspace.csv", ())
    assert list(csv.reader(io.StringIO(made.text))) == [
        [*header, "End-of-Line Indicator"],
        ["#1001", "#ada", "Lovelace", "Ada", "10", "#"],
    ]


TEAM = {
    "Team Red_77_assignsubmission_file/example.ipynb": MOODLE[
        "Mira Okonkwo_4711_assignsubmission_file/example.ipynb"
    ]
}


def in_groups(tmp_path):
    text = (SAMPLES / "moodle-worksheet.csv").read_text(encoding="utf-8")
    header, *lines = text.splitlines()
    groups = ["Team Red", "Team Red", "Team Blue", "", "", ""]
    lines = [
        line.replace(".edu,", f".edu,{group},", 1)
        for line, group in zip(lines, groups, strict=True)
    ]
    header = header.replace("Status", "Group,Status")
    (tmp_path / "w.csv").write_text("\n".join([header, *lines]), encoding="utf-8")
    return read_roster(tmp_path / "w.csv")


def test_group_each_member_gets_grade_and_feedback(tmp_path):
    roster = in_groups(tmp_path)
    (tmp_path / "in.zip").write_bytes(zipped(TEAM))
    came = collect(tmp_path / "in.zip", "example", Sources(roster))
    assert [one.student for one in came.submissions] == ["s1001", "s1002"]
    assert {one.as_student for one in came.submissions} == {"s1001"}
    assert [one.handed_in is not None for one in came.submissions] == [True, True]
    assert "s1003" in [student.id for student in came.absent]
    results = perfect(came)
    (made,) = gradebooks(results, BANK, came)
    assert [row["Grade"] for row in rows(made.text)] == ["10", "10", "", "", "6.00", ""]
    archive, remarks = returns(results, {one.name: one.name for one in results}, "example", came)
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        found = {moodle_returns_to(name)[0]: opened.read(name) for name in opened.namelist()}
    assert {number: page.decode().split("(")[1] for number, page in found.items()} == {
        4711: "s1001)",
        4712: "s1002)",
    }
    assert remarks == ()


def test_member_whose_group_submission_is_a_draft_takes_nothing_from_the_others(tmp_path):
    in_groups(tmp_path)
    text = (tmp_path / "w.csv").read_text(encoding="utf-8")
    line = '"Submitted for grading - 1 hour 12 mins late"'
    assert line in text
    (tmp_path / "w.csv").write_text(text.replace(line, "Draft (not submitted)"), encoding="utf-8")
    (tmp_path / "in.zip").write_bytes(zipped(TEAM))
    came = collect(tmp_path / "in.zip", "example", Sources(read_roster(tmp_path / "w.csv")))
    mira, jonas = came.submissions
    assert (mira.path is not None, mira.work) == (True, "Team Red_77_assignsubmission_file")
    assert (jonas.path, jonas.work) == (None, "")
    assert "as a draft" in jonas.problem
    results = perfect(came)
    archive, _ = returns(results, {one.name: "" for one in results}, "example", came)
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert {moodle_returns_to(name)[0] for name in opened.namelist()} == {4711, 4712}


@pytest.mark.parametrize(
    "table",
    [
        "student,group\nmokonkwo,Team Red\njobrien,Team Red\n",
        "name,canvas_user_id,user_id,login_id,sections,group_name,canvas_group_id,group_id\n"
        '"Okonkwo, Mira",20101,S1001,mokonkwo,A,Team Red,5,\nx,20102,,,A,Team Red,5,\n'
        "y,20103,,,A,,,\n",
    ],
)
def test_group_in_canvas_by_a_table_of_groups(table, tmp_path):
    (tmp_path / "groups.csv").write_text(table)
    (tmp_path / "in.zip").write_bytes(zipped({"teamred_20101_7_x.ipynb": TEAM[next(iter(TEAM))]}))
    alone = collect(
        tmp_path / "in.zip", "example", Sources(read_roster(SAMPLES / "canvas-gradebook.csv"))
    )
    assert "name its members with --groups" in alone.submissions[0].note
    roster = read_groups(tmp_path / "groups.csv", read_roster(SAMPLES / "canvas-gradebook.csv"))
    came = collect(tmp_path / "in.zip", "example", Sources(roster))
    results = perfect(came)
    (made,) = gradebooks(results, BANK, came)
    points = {
        row["SIS Login ID"]: row["One question of each kind (90218)"] for row in rows(made.text)
    }
    assert (points["mokonkwo"], points["jobrien"]) == ("10", "10")
    archive, remarks = returns(results, {one.name: one.name for one in results}, "example", came)
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert opened.namelist() == ["teamred_20101_7_x.ipynb"]
    assert "(jobrien)" in remarks[0]


def sakai_reads(archive):
    """Return grades and pages by student as Sakai does (`uploadAll_parseZipFile`)."""
    grades, pages = {}, {}
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        for name in opened.namelist():
            if name.endswith("grades.csv"):
                lines = list(csv.reader(io.StringIO(opened.read(name).decode()), delimiter=";"))
                grades = {row[1]: row[4] for row in lines[3:] if len(row) > 4}
                continue
            _, folder, kind, page = name.split("/")
            assert folder.endswith(")")
            assert kind == "Feedback Attachment(s)"
            pages[folder[folder.rindex("(") + 1 : -1]] = page
    return grades, pages


def test_sakai_takes_grades_and_feedback_in_one_archive(tmp_path):
    table = (
        '\ufeff"Ex 1";"SCORE_GRADE_TYPE"\n""\n"Display ID";"ID";"Last Name";"First Name";"grade"\n'
        '"al";"al";"Lovelace";"Ada";""\n"bo";"bo";"Li";"Bo (B.)";"7,5"\n"cy";"cy";"Park";"Cy";"1,0"'
    )
    (tmp_path / "grades.csv").write_text(table, encoding="utf-8")
    place = "Submission attachment(s)/x.ipynb"
    files = {f"Ex 1/Lovelace, Ada(al)/{place}": b"", f"Ex 1/Park, Cy(cy)/{place}": b""}
    (tmp_path / "in.zip").write_bytes(zipped({**files, "Ex 1/grades.csv": table.encode()}))
    came = collect(tmp_path / "in.zip", "example", Sources(read_roster(tmp_path / "grades.csv")))
    results = perfect(came)
    books = gradebooks(results, BANK, came)
    pages = {one.name: one.name for one in results}
    archive, remarks = returns(results, pages, "example", came, books)
    page = "example-feedback.html"
    assert sakai_reads(archive) == ({"al": "10", "bo": "7,5", "cy": "10"}, {"al": page, "cy": page})
    assert remarks == ()
    assert books[0].remarks == (
        "Sakai has different grades, which this file replaces: cy 1,0 to 10.",
    )


def test_ilias_takes_the_feedback(tmp_path):
    files = {
        "Ex/Submissions/Lovelace_Ada_ada_l_301/x.ipynb": b"",
        "Ex/Submissions/Li_Bo_bo_302/x": b"",
    }
    (tmp_path / "in.zip").write_bytes(zipped(files))
    came = collect(tmp_path / "in.zip", "example")
    results = perfect(came)
    assert gradebooks(results, BANK, came) == []
    archive, remarks = returns(results, {one.name: one.name for one in results}, "example", came)
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        parts = [name.split("/") for name in opened.namelist()]
    assert {int(folder.rpartition("_")[2]) for _, folder, _ in parts} == {301, 302}
    assert remarks == ()


def test_team_that_is_called_like_a_member_is_a_team(tmp_path):
    roster = in_groups(tmp_path)
    text = roster.sheet.path.read_text(encoding="utf-8").replace("Team Red", "Mira Okonkwo")
    (tmp_path / "w.csv").write_text(text, encoding="utf-8")
    files = {"Mira Okonkwo_77_assignsubmission_file/x.ipynb": TEAM[next(iter(TEAM))]}
    (tmp_path / "in.zip").write_bytes(zipped(files))
    came = collect(tmp_path / "in.zip", "example", Sources(read_roster(tmp_path / "w.csv")))
    assert [one.student for one in came.submissions] == ["s1001", "s1002"]
