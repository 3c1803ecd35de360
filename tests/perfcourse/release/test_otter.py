import json
from pathlib import Path

import example
import yaml
from building import write_kinds
from handed_in import EARNED
from peers import needs, run

from perfcourse.release.assignment import read_source, student_edition
from perfcourse.release.otter import otter_source, write_otter

EXAMPLES = Path(__file__).parents[1]
SOURCE = read_source(EXAMPLES / "example.ipynb")
GRADE = """
import json, sys
from otter.api import grade_submission

graded = {}
for path in sys.argv[2:]:
    try:
        results = grade_submission(path, sys.argv[1], quiet=True)
        graded[path] = results.total, results.summary()
    except Exception as error:
        graded[path] = 0, f"{type(error).__name__}: {error}"
json.dump(graded, open("graded.json", "w"))
"""


def test_each_part_is_a_test_case_with_its_points():
    cells = otter_source(SOURCE, example.bank)["cells"]
    tests = [cell["source"] for cell in cells if cell["id"].startswith("q1-test-")]
    assert len(tests) == 5
    assert tests[3].splitlines() == [
        '""" # BEGIN TEST CONFIG',
        "hidden: true",
        "points: 1.0",
        '""" # END TEST CONFIG',
        "def case_4(env):",
        "    from perfcourse.release.inprocess import part",
        "    part(env, 'example', 'q1', 'refuses bad input')",
    ]


def test_data_lie_beside_the_notebook_and_what_is_hidden_only_beside_the_bank(tmp_path):
    root = tmp_path / "course"
    (root / "solutions").mkdir(parents=True)
    write_kinds(root / "solutions")
    path = write_otter("kinds", root, tmp_path / "out")
    assert yaml.safe_load(json.loads(path.read_text())["cells"][0]["source"])["files"] == [
        "kinds.csv"
    ]
    found = {str(p.relative_to(path.parent)) for p in path.parent.rglob("*") if p.is_file()}
    beside_bank = {f"solutions/{name}" for name in ("kinds.py", "kinds.csv", "kinds-hidden.csv")}
    assert found == {"kinds.ipynb", "kinds.csv"} | beside_bank


@needs("otter")
def test_every_submission_earns_what_ours_gives_it(course, hand_in, ours):
    path = write_otter("example", course, course / "otter")
    run(path.parent, "otter", "assign", path.name, "dist")
    dist = path.parent / "dist"
    released = json.loads((dist / "student/example.ipynb").read_text())
    (autograder,) = (dist / "autograder").glob("*.zip")
    edition = student_edition(SOURCE, example.bank)
    assert ["".join(cell["source"]) for cell in released["cells"]] == [
        cell["source"] for cell in edition["cells"]
    ]
    paths = hand_in(released, "handed-in/{}.ipynb")
    run(course, "python", "-c", GRADE, autograder, *paths.values())
    graded = json.loads((course / "graded.json").read_text())
    theirs = {student: graded[str(path)][0] for student, path in paths.items()}
    assert theirs == ours(paths) == EARNED
    assert example.gustafson.hint in graded[str(paths["gustafson"])][1]
