import json
import re
import shutil
from pathlib import Path

import example
import pytest

from perfcourse.release.assignment import (
    read_source,
    release,
    student_edition,
    topics,
    without_given,
    written,
)
from perfcourse.release.solutions import ReleaseError, stray_lines

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parents[1]


def sources():
    yield pytest.param(HERE, "example", id="example")
    for topic in topics(ROOT):
        yield pytest.param(ROOT, topic, id=topic)


SOURCES = list(sources())


@pytest.fixture
def course(tmp_path):
    def make(root, topic):
        if root == HERE:
            (tmp_path / "solutions").mkdir()
            for suffix in (".py", ".ipynb"):
                shutil.copy(HERE / (topic + suffix), tmp_path / "solutions")
            return tmp_path
        return root

    return make


@pytest.mark.parametrize("topic", topics(ROOT))
def test_committed_exercise_is_what_release_makes_now(topic):
    committed = (ROOT / "exercises" / f"{topic}.ipynb").read_text(encoding="utf-8")
    assert committed == release(topic, ROOT), f"stale: run perfcourse release {topic}"


@pytest.mark.parametrize(("root", "topic"), SOURCES)
def test_edition_has_no_solution_and_no_line_of_its_own(course, root, topic):
    root = course(root, topic)
    source = read_source(root / "solutions" / f"{topic}.ipynb")
    edition = json.loads(release(topic, root))
    assert "SOLUTION" not in json.dumps(edition)
    for stub, full in zip(without_given(edition), source["cells"], strict=True):
        assert stray_lines(stub["source"], full["source"]) == []
        if "### BEGIN SOLUTION" in full["source"]:
            assert "# your answer here" in stub["source"]
        if stub["cell_type"] == "code":
            assert stub["outputs"] == []
            assert stub["execution_count"] is None


@pytest.mark.parametrize(("root", "topic"), SOURCES)
def test_cells_carry_nbgraders_metadata(course, root, topic):
    from perfcourse.bank.loader import load

    root = course(root, topic)
    everything = json.loads(release(topic, root))["cells"]
    cells = [cell for cell in everything if "STUDENT =" not in cell["source"]]
    marks = [cell["metadata"]["nbgrader"] for cell in cells]
    assert all(mark["schema_version"] == 3 for mark in marks)
    assert len({mark["grade_id"] for mark in marks}) == len(marks)
    bank = load(root / "solutions" / f"{topic}.py")
    points = {mark["grade_id"]: mark["points"] for mark in marks if mark["grade"]}
    assert points == {f"{question.id}-check": question.points for question in bank.questions}
    for cell, mark in zip(cells, marks, strict=True):
        assert mark["solution"] != mark["locked"]
        assert cell["metadata"].get("editable", True) != mark["locked"]


@pytest.mark.parametrize(("root", "topic"), SOURCES)
def test_cell_of_the_students_id_is_left_to_the_student(course, root, topic):
    cells = json.loads(release(topic, course(root, topic)))["cells"]
    (own,) = [cell for cell in cells if "STUDENT =" in cell["source"]]
    assert "nbgrader" not in own["metadata"]
    assert own["metadata"].get("editable", True)


def test_release_is_the_same_every_time():
    source = read_source(HERE / "example.ipynb")
    first = written(student_edition(source, example.bank))
    assert first == written(student_edition(source, example.bank))
    assert json.loads(first)["nbformat"] == 4


def test_personal_copy_knows_its_student():
    source = read_source(HERE / "example.ipynb")
    edition = student_edition(source, example.bank, student="o'neil")
    assert 'STUDENT = "o\'neil"' in edition["cells"][1]["source"]


@pytest.mark.parametrize(("lost", "why"), [("q2", "sets q2"), ("q2-check", r'calls check\("q2"')])
def test_question_without_answer_or_check_is_refused(lost, why):
    source = read_source(HERE / "example.ipynb")
    source["cells"] = [cell for cell in source["cells"] if cell["id"] != lost]
    with pytest.raises(ReleaseError, match=why):
        student_edition(source, example.bank)


def own(source):
    return {"cell_type": "code", "id": "own", "metadata": {}, "outputs": [], "source": source}


BEFORE_Q2 = "### BEGIN SOLUTION\n{}\n### END SOLUTION\n"
SETS_ANOTHERS = {
    "earlier": BEFORE_Q2.format("q3 = 1"),
    "later": BEFORE_Q2.format("speedup = 2 * 3"),
    "in a tuple": BEFORE_Q2.format("a, (b, q3) = 1, (2, 3)"),
    "in a loop": BEFORE_Q2.format("for q4 in range(3): pass"),
    "a function": BEFORE_Q2.format("def q5(x):\n    return x"),
    "a class": BEFORE_Q2.format("class q5:\n    x = 1"),
    "an import": BEFORE_Q2.format("from math import sqrt as q3"),
    "a walrus": BEFORE_Q2.format("print(q3 := 2)"),
    "a key": BEFORE_Q2.format("q4['a'] = 2"),
    "a locked cell": "q3 = None",
    "below an if": BEFORE_Q2.format("if True:\n    with open('x') as q3: pass"),
    "by adding": BEFORE_Q2.format("q3 += 1"),
}
HARMLESS = {
    "a name within a function": BEFORE_Q2.format("def helper(x):\n    q3 = 2 * x\n    return q3"),
    "a name within a comprehension": BEFORE_Q2.format("twice = [2 * q3 for q3 in range(3)]"),
    "an argument": BEFORE_Q2.format("helper = lambda q3: q3 + 1"),
    "a keyword": BEFORE_Q2.format("given = dict(q3=1)"),
    "an attribute": BEFORE_Q2.format("import types\nx = types.SimpleNamespace()\nx.q3 = 1"),
    "its own answer in two cells": BEFORE_Q2.format("q2 = 1"),
    "a text": BEFORE_Q2.format("note = 'q3 = 1'"),
}


def with_cell(source):
    """Return the example's notebook with a cell before the solution of q2."""
    notebook = read_source(HERE / "example.ipynb")
    place = next(n for n, cell in enumerate(notebook["cells"]) if "\nq2 =" in cell["source"])
    notebook["cells"].insert(place, own(source))
    return notebook


@pytest.mark.parametrize("source", SETS_ANOTHERS.values(), ids=SETS_ANOTHERS)
def test_a_cell_that_sets_another_questions_answer_is_refused(source):
    with pytest.raises(ReleaseError, match="is the answer to question q[1345], which is not the"):
        student_edition(with_cell(source), example.bank)


@pytest.mark.parametrize("source", HARMLESS.values(), ids=HARMLESS)
def test_names_that_overwrite_nothing_are_taken(source):
    assert student_edition(with_cell(source), example.bank)


def test_a_cell_behind_the_last_check_sets_no_answer():
    notebook = read_source(HERE / "example.ipynb")
    notebook["cells"].append(own("q5 = 1"))
    with pytest.raises(ReleaseError, match="q5 is the answer to question q5"):
        student_edition(notebook, example.bank)


def test_answers_that_are_checked_together_may_be_set_in_any_order():
    notebook = read_source(HERE / "example.ipynb")
    checks = [cell for cell in notebook["cells"] if re.match(r"check\(", cell["source"])]
    assert len(checks) == 5
    rest = [cell for cell in notebook["cells"] if cell not in checks]
    notebook["cells"] = [*rest, own("q3 = None"), *checks]
    assert student_edition(notebook, example.bank)


def test_an_exercise_that_the_grader_would_not_read_is_refused():
    notebook = read_source(HERE / "example.ipynb")
    notebook["cells"].insert(1, own(f"table = {list(range(700_000))}"))
    with pytest.raises(ReleaseError, match="no copy of this notebook could be graded: .* far more"):
        student_edition(notebook, example.bank)
