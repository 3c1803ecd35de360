import csv
import os
import shutil
import signal
import subprocess
import sys
from functools import partial

import pytest
from building import notebook
from click.testing import CliRunner

from perfcourse.commands.cli import main
from perfcourse.grading.engine import Settings
from perfcourse.isolation.trial import find_sandbox

RIGHT = "def speedup(serial, n):\n    return 1 / (serial + (1 - serial) / n)"


def perfcourse(*words):
    return CliRunner().invoke(main, list(words))


def rows(path):
    with path.open(newline="") as file:
        return {row["submission"]: row for row in csv.DictReader(file)}


def test_help_teaches_the_four_steps():
    text = perfcourse("--help").output
    for word in ("release", "collect", "grade", "return", "doctor"):
        assert word in text


def test_release_writes_and_check_tells_stale(course):
    assert perfcourse("release", "--all", "--check").exit_code == 1
    assert "written" in perfcourse("release", "example").output
    assert perfcourse("release", "--all", "--check").exit_code == 0
    path = course / "exercises" / "example.ipynb"
    path.write_text(path.read_text().replace("Write", "Wrote"))
    stale = perfcourse("release", "--all", "--check")
    assert stale.exit_code == 1
    assert "stale: example" in stale.output
    assert "Wrote" in path.read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_is_stopped_says_so_and_ends_with_the_signal_s_status(number):
    code = (
        "import signal\nfrom perfcourse.commands import cli\n"
        f"cli.try_again = lambda: signal.raise_signal({number:d})\ncli.main(['doctor'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (128 + number, "Error: stopped\n")


def test_release_of_unknown_topic_is_one_line(course):
    result = perfcourse("release", "nothing")
    assert result.exit_code == 1
    assert "Error: nothing:" in result.output


@pytest.mark.usefixtures("shared")
def test_hostile_folder_is_graded_line_by_line(course):
    folder = course / "in"
    folder.mkdir()
    shutil.copy(course / "solutions" / "example.ipynb", folder / "right.ipynb")
    perfcourse("release", "example")
    shutil.copy(course / "exercises" / "example.ipynb", folder / "unedited.ipynb")
    (folder / "syntax.ipynb").write_bytes(notebook("def speedup(:"))
    (folder / "loop.ipynb").write_bytes(notebook("while True: pass"))
    (folder / "empty.ipynb").write_bytes(b"")
    (folder / "corrupt.ipynb").write_bytes(b'{"cells": [')
    (folder / "missing.ipynb").write_bytes(notebook("def speed_up(s, n): return 1"))
    (folder / "types.ipynb").write_bytes(notebook("speedup = 'fast'; q2 = [[]]; q3 = None"))
    before = {path: path.read_bytes() for path in sorted(course.rglob("*.ipynb"))}

    result = perfcourse("grade", "in", "--time-limit", "3")
    assert result.exit_code == 0, result.output
    table = rows(course / "in-graded" / "grades.csv")
    assert table["right.ipynb"]["points"] == "10"
    assert {name for name, row in table.items() if row["points"] != "0"} == {"right.ipynb"}
    reasons = {name: row["reason"] for name, row in table.items()}
    assert reasons["syntax.ipynb"] == "cell 1: SyntaxError"
    assert reasons["loop.ipynb"] == "cell 1: OutOfTimeError"
    assert reasons["empty.ipynb"].startswith("The file is empty")
    assert "broken JSON" in reasons["corrupt.ipynb"]
    pages = list((course / "in-graded" / "feedback").iterdir())
    assert len(pages) == len(table) == 8
    assert "bubblewrap" in result.output
    assert before == {path: path.read_bytes() for path in before}

    again = perfcourse("grade", "in", "--time-limit", "3")
    assert "8 submissions, 0 graded now" in again.output
    assert rows(course / "in-graded" / "grades.csv") == table


@pytest.mark.usefixtures("shared")
def test_table_of_students_in_the_folder_is_nobody_s(course):
    (course / "in").mkdir()
    (course / "in" / "students.csv").write_text("file,student\nada.ipynb,a1\n")
    (course / "in" / "ada.ipynb").write_bytes(notebook(RIGHT))
    (course / "in" / "bob.csv").write_text("1,2\n")
    perfcourse("grade", "in", "--students", "in/students.csv", "--out", "in/graded")
    table = rows(course / "in" / "graded" / "grades.csv")
    assert set(table) == {"ada.ipynb", "bob.csv"}
    assert table["bob.csv"]["reason"].startswith("The file isn't a notebook")


@pytest.mark.usefixtures("shared")
def test_points_by_hand_are_merged_at_every_run_and_never_overwritten(course):
    (course / "in").mkdir()
    (course / "in" / "ada.ipynb").write_bytes(notebook(RIGHT))
    words = ("grade", "in", "--due", "2026-10-05 23:59", "--late", "10 % a day")
    first = perfcourse(*words)
    by_hand = course / "in-graded" / "by-hand.csv"
    assert by_hand.read_text() == "student,question,points,change,comment,by\n"
    assert first.output.count("1 without a submission time, treated as in time: ada.") == 1
    by_hand.write_text(by_hand.read_text() + "ada,q1,5,,tidy,tay\nada,q2,,1,,\n")
    filled = by_hand.read_text()
    for _ in range(2):
        again = perfcourse(*words)
        assert "1 submission, 0 graded now" in again.output
        row = rows(course / "in-graded" / "grades.csv")["ada.ipynb"]
        assert (row["points"], row["automatic"], row["by_hand"]) == ("6", "4", "2")
        assert by_hand.read_text() == filled
    by_hand.write_text(filled + "ada,q3,7,,,\n")
    refused = perfcourse(*words)
    assert refused.exit_code == 1
    assert "by-hand.csv line 4: points must be between 0 and 1, got '7'" in refused.output


def test_parent_that_cannot_start_is_a_line_not_a_traceback(course, monkeypatch):
    from perfcourse.grading import engine
    from perfcourse.isolation.session import BrokenError

    def broken(*what):
        raise BrokenError("the sandbox did not start: no reason")

    monkeypatch.setattr(engine, "Warm", broken)
    (course / "in").mkdir()
    (course / "in" / "ada.ipynb").write_bytes(notebook(RIGHT))
    result = perfcourse("grade", "in", "--unsafe-no-sandbox")
    assert result.exit_code == 1
    assert result.output.endswith("Error: the sandbox did not start: no reason\n")


def test_without_a_sandbox_it_refuses(course, monkeypatch):
    (course / "in").mkdir()
    from perfcourse.grading import engine
    from perfcourse.isolation import sandbox

    monkeypatch.setattr(engine, "find_sandbox", lambda: sandbox.Sandbox(problem="none here"))
    result = perfcourse("grade", "in")
    assert result.exit_code == 1
    assert "no sandbox here: none here" in result.output
    assert "--unsafe-no-sandbox" in result.output


def test_unsafe_run_grades_and_says_so(course, monkeypatch):
    monkeypatch.setattr("perfcourse.commands.grade.Settings", partial(Settings, preload=()))
    (course / "in").mkdir()
    (course / "in" / "ada.ipynb").write_bytes(notebook(RIGHT))
    result = perfcourse("grade", "in", "--unsafe-no-sandbox")
    assert result.exit_code == 0, result.output
    assert "NO SANDBOX" in result.output
    assert rows(course / "in-graded" / "grades.csv")["ada.ipynb"]["q1"] == "4"


def test_unknown_topic_lists_the_known(course):
    (course / "in").mkdir()
    result = perfcourse("grade", "in", "--topic", "nothing")
    assert "must be one of example, got 'nothing'" in result.output


def test_installed_command_runs():
    done = subprocess.run(
        [sys.executable, "-m", "perfcourse", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "perfcourse" in done.stdout


def test_doctor_says_what_is_there():
    result = perfcourse("doctor")
    assert "cores" in result.output
    assert result.exit_code == (0 if find_sandbox().bwrap else 1)


def test_doctor_crosses_out_only_what_is_missing(monkeypatch):
    from perfcourse.commands import cli
    from perfcourse.isolation import sandbox

    monkeypatch.setattr(cli, "try_again", lambda: sandbox.Sandbox(problem="none here"))
    result = perfcourse("doctor")
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert [line[:12] for line in lines if line.startswith("✘")] == ["✘ NO SANDBOX", "✘ sandbox: w"]
    assert any(line.startswith("✔ limits on") for line in lines)


@pytest.mark.usefixtures("shared")
def test_hostile_names_do_no_harm(course):
    folder = course / "in"
    folder.mkdir()
    names = [b"<b>bold.ipynb", b"=1+1.ipynb", b"a\nb.ipynb", b"\x1b[31mred.ipynb"]
    names += [b"\xff\xfe.ipynb", b"[bold]rich.ipynb", b"x" * 240 + b".ipynb", b"-rf.ipynb"]
    for name in names:
        with open(os.fsencode(folder) + b"/" + name, "wb") as file:
            file.write(notebook(RIGHT))
    os.symlink("/etc/passwd", folder / "link.ipynb")
    os.symlink(folder, folder / "loop")
    os.mkfifo(folder / "pipe.ipynb")
    (folder / "zip.ipynb").write_bytes(b"PK\x03\x04" + bytes(100))
    result = perfcourse("grade", "in")
    assert result.exit_code == 0, result.output
    assert "\x1b[31m" not in result.output
    with (course / "in-graded" / "grades.csv").open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(names) + 4
    assert sum(line["q1"] == "4" for line in lines) == len(names)
    assert not [line for line in lines if line["student"][0] in "=+-@"]
    for page in (course / "in-graded" / "feedback").iterdir():
        assert "<b>" not in page.read_text()
    assert len(list((course / "in-graded" / "feedback").iterdir())) == len(lines)
