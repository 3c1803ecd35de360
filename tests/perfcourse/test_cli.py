import csv
import shutil
import subprocess
import sys

import pytest
from building import notebook
from click.testing import CliRunner

from perfcourse.cli import main

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


def test_release_of_unknown_topic_is_one_line(course):
    result = perfcourse("release", "nothing")
    assert result.exit_code == 1
    assert "Error: nothing:" in result.output


@pytest.mark.usefixtures("warm")
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

    again = perfcourse("grade", "in")
    assert "8 submissions, 0 graded now" in again.output
    assert rows(course / "in-graded" / "grades.csv") == table


def test_without_a_sandbox_it_refuses(course, monkeypatch):
    (course / "in").mkdir()
    from perfcourse import engine, sandbox

    monkeypatch.setattr(engine, "find_sandbox", lambda: sandbox.Sandbox(problem="none here"))
    result = perfcourse("grade", "in")
    assert result.exit_code == 1
    assert "no sandbox here: none here" in result.output
    assert "--unsafe-no-sandbox" in result.output


def test_unsafe_run_grades_and_says_so(course):
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
