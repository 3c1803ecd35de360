"""A new assignment works from the first minute, and the page on writing questions shows it."""

import json
import re
from pathlib import Path

import pytest
from building import notebook
from click.testing import CliRunner
from limits import needs_sandbox

from perfcourse.bank.loader import load
from perfcourse.commands.cli import main
from perfcourse.commands.new_assignment import filled, new_assignment
from perfcourse.grading.submission import grade
from perfcourse.intake.submissions import Handin
from perfcourse.isolation.session import Times
from perfcourse.isolation.trial import find_sandbox
from perfcourse.isolation.warm import Warm

PAGE = Path(__file__).parents[3] / "book" / "instructors" / "writing-questions.md"
TEXT = PAGE.read_text("utf-8")
BLOCKS = re.findall(r"(?ms)^```\{code-cell\}\n:tags: \[bank\]\n(.*?)^```$", TEXT)
CELLS = re.findall(r"(?ms)^```python\n(.*?)^```$", TEXT)
WRONG = {
    "speedup": (
        "def speedup(serial, n):\n    return serial + (1 - serial) * n",
        "That is Gustafson's law",
        0,
    ),
    "needed": ("needed = 1 / p['serial']", "That is the ceiling itself", 0),
    "drawn": (
        "plt.figure(); plt.plot(processors, [p['total'] / speedup(p['serial'], n) "
        "for n in processors]); plt.xlabel('processors'); plt.ylabel('run time'); "
        "figure = plt.gcf()",
        "The y axis needs its unit",
        2,
    ),
    "part": ("part = 'the parallel part'", "What stays?", 0),
    "ceiling": ("ceiling = {'speedup': 0.95, 'reached': False}", "speedup: That is a share", 1),
    "fraction": ("fraction = 0.1013", "graded with other data", 0),
}


@pytest.fixture
def course(tmp_path, monkeypatch):
    (tmp_path / "solutions").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def page_files():
    """Return the bank and the notebook's solutions as the page prints them."""
    return "\n\n".join(block.strip() for block in BLOCKS)


def without_blank_lines(text):
    return [line for line in text.splitlines() if line.strip()]


def cells_of(path):
    return [
        cell["source"]
        for cell in json.loads(path.read_text("utf-8"))["cells"]
        if cell["cell_type"] == "code"
    ]


class TestPage:
    def test_bank_on_the_page_is_what_the_command_writes(self):
        written = filled("demo", "A demonstration")["demo.py"]
        assert without_blank_lines(page_files()) == without_blank_lines(written)

    def test_cells_on_the_page_are_cells_of_the_notebook(self):
        written = json.loads(filled("demo", "A demonstration")["demo.ipynb"])["cells"]
        sources = [cell["source"] for cell in written]
        shown = [cell.strip() for cell in CELLS]
        assert len(shown) >= 5
        assert [cell for cell in shown if cell not in sources] == []

    def test_page_runs_from_top_to_bottom(self, monkeypatch, tmp_path):
        monkeypatch.chdir(tmp_path)
        space = {}
        for code in re.findall(r"(?ms)^```\{code-cell\}\n(?::tags: .*?\n)?(.*?)^```$", TEXT):
            exec(compile(code, "page", "exec"), space)

    def test_six_questions_of_other_kinds(self, course):
        new_assignment(course / "solutions", "demo")
        bank = load(course / "solutions" / "demo.py", try_models=True)
        kinds = [question.kind for question in bank.questions]
        assert kinds == ["function", "number", "plot", "text", "parts", "number"]


class TestCommand:
    def test_writes_what_can_be_diagnosed_and_released(self, course):
        ran = CliRunner().invoke(main, ["new-assignment", "demo", "--title", "A first try"])
        assert ran.exit_code == 0, ran.output
        assert "solutions/demo.py" in ran.output
        ran = CliRunner().invoke(main, ["diagnose", "demo", "--students", "20"])
        assert ran.exit_code == 0, ran.output
        assert "6 questions, 6 mistakes, 20 students: 0 collisions" in ran.output
        ran = CliRunner().invoke(main, ["release", "demo"])
        assert ran.exit_code == 0, ran.output
        assert sorted(path.name for path in (course / "exercises").iterdir()) == [
            "demo-times.csv",
            "demo.ipynb",
        ]
        assert load(course / "solutions" / "demo.py").title == "A first try"

    @pytest.mark.parametrize(
        ("words", "told"),
        [
            (["Demo"], "name must be a lower-case word like midterm_1, got 'Demo'"),
            (["../demo"], "name must be a lower-case word"),
            (["demo", "--title", 'a "b"'], "title must be a line without quotation marks"),
            (["there"], "name must be new, got 'there'"),
        ],
    )
    def test_bad_names_are_refused_and_nothing_is_written(self, course, words, told):
        (course / "solutions" / "there-times.csv").write_text("mine")
        ran = CliRunner().invoke(main, ["new-assignment", *words])
        assert ran.exit_code == 1
        assert told in ran.output
        assert [path.name for path in (course / "solutions").iterdir()] == ["there-times.csv"]


@needs_sandbox
class TestGrading:
    @pytest.fixture(scope="class")
    def graded(self, tmp_path_factory):
        solutions = tmp_path_factory.mktemp("course")
        new_assignment(solutions, "demo")
        bank = load(solutions / "demo.py")
        files = {file.name: file.path(hidden=True) for file in bank.files}
        with Warm(find_sandbox(), None, ["numpy", "matplotlib.pyplot"], files) as parent:

            def of(cells):
                handin = Handin("ada", "ada", notebook(*cells), "ada.ipynb")
                return grade(handin, bank, "s", lambda *how: parent.session(Times(), *how))

            yield of, cells_of(solutions / "demo.ipynb")

    def test_solution_earns_everything(self, graded):
        of, cells = graded
        result = of(cells)
        assert result.earned == result.points == 17, result
        assert result.errors == ()

    @pytest.mark.parametrize("question", WRONG)
    def test_mistake_costs_its_question_and_gets_its_hint(self, graded, question):
        of, cells = graded
        wrong, hint, earned = WRONG[question]
        where = cells.index(f'check("{question}")')
        result = of([*cells[:where], wrong, *cells[where:]])
        verdict = next(v for v in result.verdicts if v.question == question)
        assert hint in verdict.message
        assert verdict.earned == earned < verdict.points
