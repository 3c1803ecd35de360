import json
import os
import subprocess
from pathlib import Path

import example
import pytest

from perfcourse.release.assignment import read_source, without_given
from perfcourse.release.editions import (
    cell_of,
    nbgrader_source,
    otter_test,
    write_nbgrader,
    write_otter,
)

HERE = Path(__file__).parents[1]
PEERS = HERE.parents[1] / "_build" / "peers" / "bin"
needs_peers = pytest.mark.skipif(
    not (PEERS / "nbgrader").exists(),
    reason="nbgrader and Otter are not set up: run benchmarks/grading.py once",
)


def test_nbgrader_source_has_solutions_and_hidden_tests():
    edition = nbgrader_source(read_source(HERE / "example.ipynb"), example.bank)
    assert "### BEGIN SOLUTION" in cell_of(edition, "speedup")["source"]
    check = cell_of(edition, "q1-check")
    assert "### BEGIN HIDDEN TESTS" in check["source"]
    assert check["metadata"]["nbgrader"]["points"] == 5
    with pytest.raises(KeyError, match="nothing"):
        cell_of(edition, "nothing")


def test_otter_test_is_a_file_of_the_right_form():
    spaces = {}
    exec(otter_test(example.bank.question("q1"), example.bank), spaces)
    assert spaces["OK_FORMAT"] is True
    assert spaces["test"]["points"] == 5
    assert spaces["test"]["suites"][0]["cases"][0]["hidden"] is False


def run(folder, *words):
    path = f"{PEERS}{os.pathsep}{os.environ['PATH']}"
    banks = str(folder / "solutions")
    environment = {**os.environ, "PERFCOURSE_BANKS": banks, "PATH": path}
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


@needs_peers
def test_round_trip_through_nbgrader(course):
    write_nbgrader("example", course, course)
    (course / "nbgrader_config.py").write_text("c = get_config()\n")
    run(course, PEERS / "nbgrader", "generate_assignment", "example")
    released = course / "release" / "example" / "example.ipynb"
    assert "SOLUTION" not in released.read_text()
    assert "HIDDEN" not in released.read_text()
    for student in ("ada", "bob"):
        handed = course / "submitted" / student / "example"
        handed.mkdir(parents=True)
        whole = json.loads(released.read_text())
        if student == "ada":
            solved = json.loads((course / "solutions/example.ipynb").read_text())
            for cell, answered in zip(without_given(whole), solved["cells"], strict=True):
                cell["source"] = answered["source"]
        (handed / "example.ipynb").write_text(json.dumps(whole))
    run(course, PEERS / "nbgrader", "autograde", "example")
    run(course, PEERS / "nbgrader", "export")
    lines = (course / "grades.csv").read_text().splitlines()
    scores = [dict(zip(lines[0].split(","), line.split(","), strict=True)) for line in lines[1:]]
    by_student = {row["student_id"]: float(row["raw_score"]) for row in scores}
    assert by_student == {"ada": 10, "bob": 0}


@needs_peers
def test_round_trip_through_otter(course):
    made = write_otter("example", course, course / "otter")
    run(
        course,
        PEERS / "otter",
        "generate",
        "-t",
        "otter/tests",
        "-o",
        "zip.zip",
        "--no-environment",
    )
    for name, notebook, score in (
        ("ada", course / "solutions" / "example.ipynb", 10),
        ("bob", made, 0),
    ):
        (course / f"out-{name}").mkdir()
        words = ("run", "-a", "zip.zip", "-o", f"out-{name}", "--no-logo", str(notebook))
        run(course, PEERS / "otter", *words)
        results = json.loads((course / f"out-{name}" / "results.json").read_text())
        assert sum(test.get("score", 0) for test in results["tests"]) == score
