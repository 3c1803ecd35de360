"""The command `perfcourse grade`: what it takes, what it refuses, what it tells."""

import csv
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import example
import pytest
from building import notebook
from click.testing import CliRunner
from downloads import CANVAS, MOODLE, RIGHT, SAMPLES, unpacked, zipped

from perfcourse.bank.loader import load
from perfcourse.commands.cli import main
from perfcourse.grading.engine import Settings
from perfcourse.grading.submission import failed, grade
from perfcourse.judge import Verdict
from perfcourse.judge.result import Graded


def perfcourse(*words):
    return CliRunner().invoke(main, list(words), env={"COLUMNS": "200"})


@pytest.fixture
def quick(course, monkeypatch):
    """Grade nothing for real: each notebook that can be read is all wrong."""

    def engine(cluster, workers):
        return partial(_ungraded, course)

    monkeypatch.setattr("perfcourse.commands.grade._engine", engine)
    monkeypatch.setattr("perfcourse.commands.grade.Settings", partial(Settings, preload=()))
    return course


def _ungraded(course, handins, settings):
    from perfcourse.bank.loader import load

    bank = load(Path(settings.bank))
    for handin in handins:
        yield grade(handin, bank, "", lambda *how: pytest.fail("runs nothing"))


def _none_runs(monkeypatch):
    """Let every notebook be empty of answers without starting a process."""
    from perfcourse.grading import submission
    from perfcourse.grading.submission import _Attempt, _zeros

    monkeypatch.setattr(submission, "_attempt", lambda bank, *rest: _Attempt("", _zeros(bank), ()))


def rows(path):
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--time-limit", "-1"], "-1.0 is not in the range 1<=x<=86400"),
        (["--time-limit", "nan"], "is not in the range"),
        (["--workers", "0"], "0 is not in the range x>=1"),
        (["--platform", "d2l"], "'d2l' is not one of 'auto', 'moodle', 'canvas', 'blackboard'"),
        (["--groups", "empty.csv"], "--groups needs --roster"),
        (["--id-column", "x"], "--id-column needs --roster"),
        (["--roster", "none.csv"], "File 'none.csv' does not exist"),
        (["--roster", "empty.csv"], "empty.csv is empty; it must hold a header"),
        (["--students", "empty.csv"], "empty.csv is empty"),
        (["--column", "x"], "--column needs the gradebook that the platform exported, got 'x'"),
    ],
)
def test_wrong_option_is_refused_with_what_is_allowed(words, says, quick, monkeypatch):
    _none_runs(monkeypatch)
    (quick / "in").mkdir()
    (quick / "in" / "ada.ipynb").write_bytes(RIGHT)
    (quick / "empty.csv").write_text("")
    result = perfcourse("grade", "in", "--unsafe-no-sandbox", *words)
    assert result.exit_code != 0
    assert says in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_moodles_download_to_gradebook_and_feedback(quick, monkeypatch):
    _none_runs(monkeypatch)
    (quick / "CS1-Exercise-4711.zip").write_bytes(zipped(MOODLE))
    shutil.copy(SAMPLES / "moodle-worksheet.csv", quick)
    words = ("--roster", "moodle-worksheet.csv", "--unsafe-no-sandbox")
    result = perfcourse("grade", "CS1-Exercise-4711.zip", *words)
    assert result.exit_code == 0, result.output
    assert "not handed in: s1004" in result.output
    out = quick / "CS1-Exercise-4711-graded"
    table = {row["student"]: row for row in rows(out / "grades.csv")}
    assert table["s1004"]["reason"] == "not handed in"
    assert table["s1004"]["points"] == table["s1004"]["submission"] == ""
    assert table["s1003"]["reason"].startswith("This is a PDF, not a notebook.")
    assert [row["Grade"] for row in rows(out / "moodle.csv")] == ["0", "0", "", "", "0", ""]
    assert not (out / "canvas.csv").exists()
    with zipfile.ZipFile(out / "feedback-to-upload.zip") as archive:
        assert len(archive.namelist()) == 5
    page = (out / "class.html").read_text()
    assert "1 of 6 students not handed in" in page
    assert "s1004" in page


def test_canvas_download_lists_what_was_replaced(quick, monkeypatch):
    _none_runs(monkeypatch)
    (quick / "submissions.zip").write_bytes(zipped(CANVAS))
    roster = str(SAMPLES / "canvas-gradebook.csv")
    result = perfcourse("grade", "submissions.zip", "--roster", roster, "--unsafe-no-sandbox")
    assert result.exit_code == 0, result.output
    line = "not graded: parkkim_20105_555105_example.ipynb: replaced by parkkim_20105_555205"
    assert line in result.output
    assert "note: The platform can't return a page for" in result.output
    assert "late, by Canvas's mark without a time: jobrien" in result.output
    page = (quick / "submissions-graded" / "class.html").read_text()
    assert "parkkim_20105_555105_example.ipynb: replaced by" in page
    assert rows(quick / "submissions-graded" / "grades.csv")[-1]["student"] == "zmueller"


def test_instructor_is_told_how_to_choose_one_of_two_notebooks(quick, monkeypatch):
    _none_runs(monkeypatch)
    (quick / "in" / "ada").mkdir(parents=True)
    (quick / "in" / "zed.ipynb").write_bytes(RIGHT)
    for name in ("a.ipynb", "b.ipynb"):
        (quick / "in" / "ada" / name).write_bytes(notebook(name))
    (quick / "in" / "ada" / "notes.txt").write_bytes(b"")
    result = perfcourse("grade", "in", "--unsafe-no-sandbox")
    assert "name it in a table for --students with the columns file and student" in result.output
    assert "not notebooks: 1 more file, see files.csv" in result.output


def test_points_by_hand_for_somebody_without_a_file(quick, monkeypatch):
    _none_runs(monkeypatch)
    (quick / "in").mkdir()
    (quick / "in" / "ada.ipynb").write_bytes(RIGHT)
    (quick / "class.csv").write_text("id\nada\nbob\ncyd\n")
    words = ("grade", "in", "--roster", "class.csv", "--unsafe-no-sandbox")
    assert perfcourse(*words).exit_code == 0
    ids = [question.id for question in example.bank.questions]
    lines = [f"bob,{id},1,,spoken," for id in ids]
    by_hand = quick / "in-graded" / "by-hand.csv"
    by_hand.write_text("\n".join(["student,question,points,change,comment,by", *lines]))
    result = perfcourse(*words)
    assert result.exit_code == 0, result.output
    assert "not handed in: cyd" in result.output
    table = {row["student"]: row for row in rows(quick / "in-graded" / "grades.csv")}
    assert (table["bob"]["points"], table["bob"]["by_hand"]) == (str(len(ids)), str(len(ids)))
    assert table["bob"]["reason"] == "Nothing was handed in."
    by_student = {row["username"]: row for row in rows(quick / "in-graded" / "moodle.csv")}
    assert by_student["bob"][example.bank.title] == str(len(ids))
    by_hand.write_text(by_hand.read_text().replace("bob", "eva"))
    assert "student must be one of ada, bob, cyd, got 'eva'" in perfcourse(*words).output


def test_files_of_nobody_are_not_in_the_median_and_every_file_is_told(quick, monkeypatch):
    _none_runs(monkeypatch)
    inside = {"ada.ipynb": RIGHT, "notes.pdf": b"%PDF-1.4", "bob/x.ipynb": RIGHT, "bob/y.csv": b"1"}
    unpacked({**inside, "bob/.DS_Store": b""}, quick / "in")
    result = perfcourse("grade", "in", "--unsafe-no-sandbox")
    assert "not notebooks: 2 more files, see files.csv" in result.output
    outcomes = {row["file"]: row["outcome"] for row in rows(quick / "in-graded" / "files.csv")}
    assert set(outcomes) == {*inside, "bob/.DS_Store"}
    assert outcomes["ada.ipynb"] == outcomes["bob/x.ipynb"] == "graded"
    assert (outcomes["bob/y.csv"], outcomes["notes.pdf"][:13]) == (
        "not a notebook",
        "This is a PDF",
    )
    page = (quick / "in-graded" / "class.html").read_text()
    assert "1 of them is from nobody in the class and not counted in the numbers here" in page
    assert sum(int(n) for n in re.findall(r'%</th><td class="n">(\d+)', page)) == 2


def test_class_of_which_nobody_is_on_the_roster_is_an_error(quick, monkeypatch):
    _none_runs(monkeypatch)
    unpacked({"ada.ipynb": RIGHT, "bob.ipynb": RIGHT}, quick / "in")
    (quick / "class.csv").write_text("id\nzed\n")
    result = perfcourse("grade", "in", "--roster", "class.csv", "--unsafe-no-sandbox")
    assert result.exit_code == 1
    assert "none of the 2 submissions is from a student on the roster" in result.output
    assert (quick / "in-graded" / "grades.csv").exists()


def test_page_of_what_was_withdrawn_goes_and_no_other_file(quick, monkeypatch):
    _none_runs(monkeypatch)
    (quick / "in").mkdir()
    for name in ("ada.ipynb", "bob.ipynb"):
        (quick / "in" / name).write_bytes(RIGHT)
    perfcourse("grade", "in", "--unsafe-no-sandbox")
    out = quick / "in-graded"
    (out / "feedback" / "bob-to-print.html").write_text("mine")
    (out / "canvas.csv").write_text("old")
    (quick / "in" / "bob.ipynb").unlink()
    perfcourse("grade", "in", "--unsafe-no-sandbox")
    names = sorted(path.name.split("-")[0] for path in (out / "feedback").iterdir())
    assert names == ["ada", "bob"]
    assert (out / "feedback" / "bob-to-print.html").read_text() == "mine"
    assert len(list((out / "gradescope").iterdir())) == len(list((out / "autolab").iterdir())) == 1
    assert "ada" in (out / "canvas.csv").read_text()


def test_stray_file_is_no_row_of_a_gradebook(quick, monkeypatch):
    _none_runs(monkeypatch)
    (quick / "in").mkdir()
    (quick / "in" / "ada.ipynb").write_bytes(RIGHT)
    (quick / "in" / "scores.py").write_text("import csv\n")
    result = perfcourse("grade", "in", "--unsafe-no-sandbox")
    assert "scores.py: This is a Python script, not a notebook." in result.output
    for name in ("canvas.csv", "moodle.csv"):
        text = (quick / "in-graded" / name).read_text()
        assert "ada" in text
        assert "scores" not in text


def test_exercise_on_another_topic_is_told_and_no_nought(quick):
    (quick / "in").mkdir()
    cell = 'from perfcourse import checker\ncheck = checker("roofline", student=STUDENT)'
    (quick / "in" / "ada.ipynb").write_bytes(notebook(cell))
    result = perfcourse("grade", "in", "--unsafe-no-sandbox")
    assert "ada.ipynb: This is the exercise on roofline, not the one on example." in result.output
    assert rows(quick / "in-graded" / "moodle.csv")[0]["One question of each kind"] == ""


def test_banks_may_lie_outside_the_course(quick, tmp_path_factory, monkeypatch):
    _none_runs(monkeypatch)
    banks, elsewhere = quick / "solutions", tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "in").mkdir()
    (elsewhere / "in" / "ada.ipynb").write_bytes(RIGHT)
    monkeypatch.chdir(elsewhere)
    refused = perfcourse("grade", "in", "--unsafe-no-sandbox")
    assert "Error: no solutions/ in" in refused.output
    monkeypatch.setenv("PERFCOURSE_BANKS", str(banks))
    assert perfcourse("grade", "in", "--unsafe-no-sandbox").exit_code == 0
    monkeypatch.setenv("PERFCOURSE_BANKS", "/nowhere")
    refused = perfcourse("grade", "in", "--unsafe-no-sandbox")
    assert "PERFCOURSE_BANKS must name a folder of banks, got '/nowhere'" in refused.output


def test_names_of_a_download_do_no_harm(quick, monkeypatch):
    _none_runs(monkeypatch)
    names = ["=1+1", "[bold]red[", "\x1b[31mred", "<b>x", "a\nb", "\u202egnirts", "x" * 200]
    files = {
        f"{name}_{n}_assignsubmission_file/x.ipynb": RIGHT for n, name in enumerate(names, 1000)
    }
    (quick / "in.zip").write_bytes(zipped(files))
    result = perfcourse("grade", "in.zip", "--unsafe-no-sandbox")
    assert result.exit_code == 0, result.output
    assert "\x1b[31m" not in result.output
    out = quick / "in-graded"
    for name in ("grades.csv", "moodle.csv"):
        table = rows(out / name)
        assert len(table) == len(names)
        assert not [cell for row in table for cell in row.values() if cell.startswith("=")]
    assert not [page for page in (out / "feedback").iterdir() if "<b>" in page.read_text()]


def test_release_takes_the_same_roster(course):
    roster = str(SAMPLES / "canvas-gradebook.csv")
    result = perfcourse("release", "example", "--students", roster, "--out", "personal")
    assert result.exit_code == 0, result.output
    assert "kpark2" in (course / "personal/kpark2/example.ipynb").read_text()
    assert len(list((course / "personal").iterdir())) == 6


WITHOUT = """
import runpy, sys
sys.modules["jinja2"] = None
sys.argv = ["perfcourse", "grade", "in"]
runpy.run_module("perfcourse", run_name="__main__")
"""


def test_without_the_extra_it_says_which():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == (
        "perfcourse needs jinja2, of the extra 'course': pip install 'perfmodel[course]'\n"
    )


def _fails_on(names):
    """Return an engine that fails on some submissions and finds the others all right."""

    def engine(cluster, workers):
        return lambda handins, settings: (
            failed(handin, load(settings.bank), "no memory")
            if handin.student in names
            else _all_right(handin, load(settings.bank))
            for handin in handins
        )

    return engine


def _all_right(handin, bank):
    verdicts = tuple(
        Verdict(question.id, float(question.points), float(question.points), "Right.")
        for question in bank.questions
    )
    return Graded(handin.name, handin.student, handin.digest, "", verdicts)


@pytest.fixture
def two(course):
    (course / "in").mkdir()
    for name in ("ada", "bob"):
        (course / "in" / f"{name}.ipynb").write_bytes(notebook(f"x = '{name}'"))
    return course


@pytest.mark.parametrize("names", [["ada", "bob"], ["bob"]])
def test_grader_that_failed_says_so_in_its_status_and_to_no_student(two, monkeypatch, names):
    monkeypatch.setattr("perfcourse.commands.grade._engine", _fails_on(names))
    result = perfcourse("grade", "in", "--unsafe-no-sandbox")
    assert result.exit_code == 4
    said = result.output.strip().splitlines()[-1]
    assert said == (
        f"Error: the grader failed on {len(names)} of 2 submissions; the same command grades only "
        "these again"
    )
    monkeypatch.setattr("perfcourse.commands.grade._engine", _fails_on([]))
    result = perfcourse("grade", "in", "--unsafe-no-sandbox")
    assert result.exit_code == 0
    assert f"2 submissions, {len(names)} graded now, 2 with full marks" in result.output
    assert rows(two / "in-graded" / "messages.csv") == []
    assert rows(two / "in-graded" / "changes.csv") == []


def _some_unjudged(cluster, workers):
    """Return an engine under which the bank fails on everybody's first question."""

    def engine(handins, settings):
        for handin in handins:
            graded = _all_right(handin, load(settings.bank))
            first, *rest = graded.verdicts
            yield replace(graded, verdicts=(replace(first, earned=0.0, failed=True), *rest))

    return engine


NO_GRADE = {"the grader fails": _fails_on(["ada", "bob"]), "the bank fails": _some_unjudged}


@pytest.mark.parametrize("engine", NO_GRADE.values(), ids=NO_GRADE)
@pytest.mark.parametrize("before", ["nothing", "a grade"])
def test_what_the_grader_or_the_bank_failed_on_is_no_nought_anywhere(
    two, monkeypatch, engine, before
):
    """Neither in the tables nor in the files that tools take for a grade, nor for the student."""
    if before == "a grade":
        monkeypatch.setattr("perfcourse.commands.grade._engine", _fails_on([]))
        perfcourse("grade", "in", "--unsafe-no-sandbox")
        for name in ("ada", "bob"):
            (two / "in" / f"{name}.ipynb").write_bytes(notebook(f"x = 'another {name}'"))
    monkeypatch.setattr("perfcourse.commands.grade._engine", engine)
    assert perfcourse("grade", "in", "--unsafe-no-sandbox").exit_code == 4
    out = two / "in-graded"
    for row in rows(out / "grades.csv"):
        assert (row["points"], row["automatic"], row["q1"]) == ("", "", "")
    assert {row["One question of each kind"] for row in rows(out / "moodle.csv")} == {""}
    assert [*(out / "gradescope").glob("*")] == [*(out / "autolab").glob("*")] == []
    assert rows(out / "messages.csv") == rows(out / "changes.csv") == []
    if engine is not _some_unjudged:
        assert {row["outcome"] == "graded" for row in rows(out / "files.csv")} == {False}


def test_points_that_a_failure_hid_for_a_run_are_told_against_the_last_ones(two, monkeypatch):
    """The grader fails, then the student hands in another file: that is what is told."""
    monkeypatch.setattr("perfcourse.commands.grade._engine", _fails_on([]))
    perfcourse("grade", "in", "--unsafe-no-sandbox")
    (two / "in" / "ada.ipynb").write_bytes(b"no notebook any more")
    monkeypatch.setattr("perfcourse.commands.grade._engine", _fails_on(["ada"]))
    assert perfcourse("grade", "in", "--unsafe-no-sandbox").exit_code == 4
    assert rows(two / "in-graded" / "messages.csv") == []
    monkeypatch.setattr(
        "perfcourse.commands.grade._engine",
        lambda cluster, workers: partial(_ungraded, two),
    )
    assert perfcourse("grade", "in", "--unsafe-no-sandbox").exit_code == 0
    ((student, text),) = [
        (row["student"], row["text"]) for row in rows(two / "in-graded" / "messages.csv")
    ]
    assert student == "ada"
    assert "were 10 and are now 0." in text
    assert "You handed in another file." in text


def test_a_fault_of_the_grader_s_is_one_sentence(two, monkeypatch):
    def breaks(cluster, workers):
        return lambda handins, settings: 1 / 0

    monkeypatch.setattr("perfcourse.commands.grade._engine", breaks)
    result = perfcourse("grade", "in", "--unsafe-no-sandbox")
    assert result.exit_code == 1
    last = result.output.strip().splitlines()[-1]
    assert last == "Error: the grader failed (ZeroDivisionError: division by zero)"


WRITTEN = [
    "by-hand.csv",
    "grades.csv",
    "messages.csv",
    "changes.csv",
    "results.json",
    "junit.xml",
    "moodle.csv",
    "canvas.csv",
    "told.json",
    "class.html",
    "similar.html",
    "files.csv",
    "feedback/*",
    "gradescope/*",
]


def _tables(out):
    """Return what a run has written, without who holds the folder."""
    files = [path for path in out.rglob("*") if path.is_file() and path.name != "running.json"]
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


@pytest.fixture
def disk(two, monkeypatch):
    """Return how to grade into a folder, and what that gives where the disk has room."""
    monkeypatch.setattr("perfcourse.commands.grade._engine", _fails_on([]))

    def grade_into(out):
        words = "--out", out, "--secret", "a secret", "--unsafe-no-sandbox"
        return perfcourse("grade", "in", *words)

    assert grade_into("roomy").exit_code == 0
    return grade_into, _tables(two / "roomy")


@pytest.mark.parametrize("name", WRITTEN)
def test_a_full_disk_is_one_sentence_and_the_same_command_then_gives_the_same(two, disk, name):
    grade_into, whole = disk
    path = next(path for path in (two / "roomy").glob(name) if path.is_file())
    full = two / "full" / path.relative_to(two / "roomy")
    full.parent.mkdir(parents=True)
    full.with_name(f"{full.name}.part").symlink_to("/dev/full")
    result = grade_into("full")
    assert result.exit_code == 1
    kept = "" if name == "by-hand.csv" else ". 2 of 2 submissions are graded and kept."
    said = result.output.strip().splitlines()[-1]
    assert said == f"Error: {full.relative_to(two)}: No space left on device{kept}"
    assert grade_into("full").exit_code == 0
    assert _tables(two / "full") == whole


def test_output_that_nobody_can_take_is_one_sentence(course):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "perfcourse", "release", "--all"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr == "Error: standard output: No space left on device\n"
