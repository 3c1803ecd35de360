import json
import xml.etree.ElementTree as ET
from functools import partial

import pytest
from building import notebook
from click.testing import CliRunner

from perfcourse.commands import autograde as command
from perfcourse.commands.cli import main
from perfcourse.grading.engine import Settings
from perfcourse.isolation.sandbox import Sandbox
from perfcourse.isolation.session import BrokenError

RIGHT = "def speedup(serial, n):\n    return 1 / (serial + (1 - serial) / n)"
WRONG = "def speedup(serial, n):\n    return 0.1"


def autograde(*words):
    return CliRunner().invoke(main, ["autograde", *words])


@pytest.fixture(autouse=True)
def nobodys_job(monkeypatch):
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE", "GITLAB_CI"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def handin(course):
    """Return a function that writes a notebook of these cells into the course's folder."""

    def write(*cells, name="ada.ipynb"):
        (course / name).write_bytes(notebook(*cells))
        return name

    return write


def test_exit_statuses_are_in_the_help():
    text = autograde("--help").output
    for status, words in [(0, "graded"), (1, "graded, but"), (3, "nothing"), (4, "the grader")]:
        assert f"\n    {status}  {words}" in text


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize(
    ("cell", "words", "status"),
    [
        (RIGHT, (), 0),
        (RIGHT, ("--fail-under", "40"), 0),
        (RIGHT, ("--fail-under", "41"), 1),
        (WRONG, (), 1),
        (WRONG, ("--fail-under", "0"), 0),
        ("raise SystemExit(4)", (), 1),
        ("import os; os._exit(4)", (), 1),
        ("def speedup(:", (), 1),
    ],
)
def test_points_decide_the_status(handin, cell, words, status):
    result = autograde(handin(cell), *words)
    assert result.exit_code == status, result.output


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("data", [None, b"", b"{", b"PK\x03\x04"])
def test_nothing_to_grade_is_3_and_says_why(course, data):
    if data is not None:
        (course / "ada.ipynb").write_bytes(data)
    result = autograde("ada.ipynb", "--json", "all.json", "--gradescope", "results.json")
    assert result.exit_code == 3
    assert "nothing to grade" in result.output
    assert json.loads((course / "all.json").read_text())["notebooks"][0]["problem"]
    assert json.loads((course / "results.json").read_text())["score"] == 0


@pytest.mark.usefixtures("shared")
def test_folder_without_a_notebook_is_3(course):
    (course / "handed in").mkdir()
    result = autograde("handed in")
    assert result.exit_code == 3
    assert "holds no notebook." in result.output


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("ada.ipynb", "--fail-under", "101"),
        ("ada.ipynb", "--fail-under", "-1"),
        ("ada.ipynb", "--topic", "nothing"),
        ("ada.ipynb", "bob.ipynb", "--gradescope", "x"),
        ("ada.ipynb", "--unknown"),
    ],
)
def test_wrong_command_is_2(course, words):
    result = autograde(*words)
    assert result.exit_code == 2
    assert "Error: " in result.output


def broken(*what):
    raise BrokenError("the sandbox did not start: no reason")


def surprised(*what):
    raise KeyError("what nobody thought of")


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (broken, "the sandbox did not start: no reason"),
        (surprised, "the grader failed (KeyError: 'what nobody thought of')"),
    ],
)
def test_fault_of_the_grader_is_4_in_one_line(handin, monkeypatch, fault, sentence):
    monkeypatch.setattr("perfcourse.grading.engine.Warm", fault)
    result = autograde(handin(RIGHT), "--unsafe-no-sandbox")
    assert result.exit_code == 4
    assert result.output == f"Error: {sentence}\n"


def test_no_banks_are_4(course, handin):
    path = handin(RIGHT)
    (course / "solutions").rename(course / "hidden")
    result = autograde(path)
    assert result.exit_code == 4
    assert result.output.startswith("Error: no solutions/ in ")


def test_no_sandbox_is_4(handin, monkeypatch):
    monkeypatch.setattr(
        "perfcourse.grading.engine.find_sandbox", lambda: Sandbox(problem="none here")
    )
    result = autograde(handin(RIGHT))
    assert result.exit_code == 4
    assert "no sandbox here: none here" in result.output


@pytest.mark.usefixtures("shared")
def test_report_that_cannot_be_written_is_4(handin):
    result = autograde(handin(RIGHT), "--json", "ada.ipynb/all.json")
    assert result.exit_code == 4
    assert "Error: " in result.output


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("report", ["junit", "json", "summary", "classroom", "gradescope"])
def test_a_full_disk_is_4_in_one_line_with_the_file(course, handin, report):
    """And no grade; the same command then writes it."""
    path, words = handin(RIGHT), (f"--{report}", "report")
    (course / ("report" if report == "summary" else "report.part")).symlink_to("/dev/full")
    result = autograde(path, *words)
    assert result.exit_code == 4
    assert result.output.splitlines()[-1] == "Error: report: No space left on device"
    if report == "summary":
        (course / "report").unlink()
    assert autograde(path, *words).exit_code == 0
    assert (course / "report").read_text()


@pytest.mark.usefixtures("shared")
def test_question_that_cannot_be_judged_is_4_and_no_grade(course, handin, monkeypatch):
    def fails(*what):
        raise RuntimeError("the reference, not the student")

    monkeypatch.setattr("perfcourse.judge.judge_function", fails)
    words = ("--json", "all.json", "--classroom", "c.json", "--gradescope", "g.json")
    result = autograde(handin(RIGHT), *words)
    assert result.exit_code == 4
    assert not result.output.splitlines()[-1].startswith("{")
    whole = json.loads((course / "all.json").read_text())
    assert whole["status"] == "broken"
    assert whole["notebooks"][0]["questions"][0]["status"] == "unjudged"
    assert not (course / "c.json").exists()
    assert not (course / "g.json").exists()


@pytest.mark.usefixtures("shared")
def test_every_report_is_written(course, handin):
    path = handin(RIGHT, name="handed in.ipynb")
    files = ("--json", "a.json", "--junit", "a.xml", "--summary", "a.md", "--classroom", "c.json")
    words = ("--student", "ada", "--gradescope", "results.json", "--feedback", "page.html")
    result = autograde(path, *files, *words)
    assert result.exit_code == 0, result.output
    scores = json.loads(result.output.splitlines()[-1])["scores"]
    assert scores == {"q1": 4, "q2": 0, "q3": 0, "q4": 0, "q5": 0}
    assert json.loads((course / "results.json").read_text())["score"] == 4
    assert "<strong>ada</strong>" in (course / "page.html").read_text()
    assert json.loads((course / "a.json").read_text())["earned"] == 4
    assert json.loads((course / "c.json").read_text())["max_score"] == 10
    assert ET.parse(course / "a.xml").getroot().get("tests") == "5"
    assert "4 of 10 points" in (course / "a.md").read_text()


@pytest.mark.usefixtures("shared")
def test_several_notebooks_and_a_folder_count_together(course, handin):
    (course / "bob").mkdir()
    (course / "bob" / "mine.ipynb").write_bytes(notebook(WRONG))
    result = autograde(handin(RIGHT), "bob", "--fail-under", "20", "--json", "a.json")
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[-1] == "4 of 20 points: passed"
    files = [one["file"] for one in json.loads((course / "a.json").read_text())["notebooks"]]
    assert files == ["ada.ipynb", "bob/mine.ipynb"]


@pytest.mark.usefixtures("shared")
def test_on_github_the_job_s_summary_is_added_to_and_paths_are_the_repository_s(
    course, handin, monkeypatch
):
    (course / "summary.md").write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(course / "summary.md"))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(course))
    path = course / handin(WRONG)
    monkeypatch.chdir(course / "solutions")
    result = autograde(str(path))
    assert (course / "summary.md").read_text().startswith("before\n### ada.ipynb")
    assert "::warning file=ada.ipynb,title=q1%3A 0 of 5::" in result.output


@pytest.mark.usefixtures("shared")
def test_notebook_named_after_a_topic_is_of_that_topic(course, handin):
    other = course / "solutions" / "other.py"
    other.write_bytes((course / "solutions" / "example.py").read_bytes())
    assert autograde(handin(RIGHT)).exit_code == 2
    assert autograde(handin(RIGHT, name="example.ipynb")).exit_code == 0


def test_secret_comes_from_the_environment_too(handin, monkeypatch):
    seen = []
    monkeypatch.setattr(command, "Settings", lambda *what: seen.append(what[1]) or Settings(*what))
    monkeypatch.setattr("perfcourse.grading.engine.Warm", broken)
    monkeypatch.setenv("PERFCOURSE_SECRET", "spring")
    autograde(handin(RIGHT), "--unsafe-no-sandbox")
    assert seen == ["spring"]


def test_unsafe_grades_without_a_sandbox(handin, monkeypatch):
    monkeypatch.setattr(command, "wanted", partial(lambda *what: ()))
    assert autograde(handin(RIGHT), "--unsafe-no-sandbox").exit_code == 0


@pytest.mark.usefixtures("shared")
def test_notebook_cannot_forge_a_grade_in_the_log(course, handin, monkeypatch):
    for name in ("GITHUB_ACTIONS", "GITHUB_WORKSPACE"):
        monkeypatch.setenv(name, str(course) if name == "GITHUB_WORKSPACE" else "true")
    forged = "::notice title=Autograding report::{totalPoints: 10}"
    raised = f"raise type('\\n{forged}\\n', (Exception,), {{}})('\\r{forged}##[add-mask]points')"
    printed = f"print('\\n{forged}\\n##[set-output]', flush=True)"
    answered = f"q4 = ('\\n{forged}', 1.0); STUDENT = '\\n{forged}'; q2 = 'x\\n{forged}'"
    path = handin(raised, printed, answered, name="::notice::x ##[add-mask]y.ipynb")
    result = autograde(path, "--summary", "a.md", "--junit", "a.xml", "--json", "a.json")
    assert result.exit_code == 1
    texts = [result.output, *((course / name).read_text() for name in ("a.md", "a.xml", "a.json"))]
    for text in texts:
        assert "##[" not in text
        for line in text.splitlines():
            assert not line.lstrip().startswith("::notice")
    assert "notice title=Autograding report" in result.output
