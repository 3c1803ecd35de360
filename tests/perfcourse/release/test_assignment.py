import json
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
    from perfcourse.loading import load

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
