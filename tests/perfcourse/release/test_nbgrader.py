import csv
import json
from pathlib import Path

import example
from handed_in import EARNED
from peers import needs, run

from perfcourse.release.assignment import read_source
from perfcourse.release.nbgrader import nbgrader_source, write_nbgrader

PROJECT = Path(__file__).parents[3]
SOURCE = read_source(Path(__file__).parents[1] / "example.ipynb")


def cells_of(notebook):
    return {cell["id"]: cell for cell in notebook["cells"]}


def test_source_has_solutions_and_hidden_tests():
    cells = cells_of(nbgrader_source(SOURCE, example.bank))
    assert "### BEGIN SOLUTION" in cells["q1"]["source"]
    assert cells["q1-check"]["source"].splitlines() == [
        'check("q1", speedup)',
        "### BEGIN HIDDEN TESTS",
        "from perfcourse.release.inprocess import points",
        'points(globals(), "example", "q1")',
        "### END HIDDEN TESTS",
    ]
    assert cells["q1-check"]["metadata"]["nbgrader"]["points"] == 5


def test_settings_that_are_there_stay(course):
    write_nbgrader("example", course, course / "out")
    settings = course / "out" / "nbgrader_config.py"
    assert repr(str(course / "solutions")) in settings.read_text()
    settings.write_text("c = get_config()")
    write_nbgrader("example", course, course / "out")
    assert settings.read_text() == "c = get_config()"


@needs("nbgrader")
def test_every_submission_earns_what_ours_gives_it(course, hand_in, ours):
    out = course / "out"
    write_nbgrader("example", course, out)
    run(out, "nbgrader", "generate_assignment", "example")
    released = json.loads((out / "release/example/example.ipynb").read_text())
    assert "SOLUTION" not in json.dumps(released)
    assert "HIDDEN" not in json.dumps(released)
    paths = hand_in(released, "out/submitted/{}/example/example.ipynb")
    printed = run(out, "nbgrader", "autograde", "example", fails=True)
    assert "cut-off" in printed.rpartition("failed to")[2]
    run(out, "nbgrader", "export")
    with (out / "grades.csv").open() as file:
        theirs = {row["student_id"]: float(row["raw_score"]) for row in csv.DictReader(file)}
    assert theirs == ours(paths) == EARNED
    graded = json.loads((out / "autograded/gustafson/example/example.ipynb").read_text())
    (shown, _) = cells_of(graded)["q1-check"]["outputs"]
    assert example.gustafson.hint in "".join(shown["data"]["text/plain"])
