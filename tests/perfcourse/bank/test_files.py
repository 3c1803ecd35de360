"""Data files: beside the notebook for students, read-only and perhaps another for the grader."""

import json
import os
from pathlib import Path
from textwrap import indent

import pytest
from building import notebook
from click.testing import CliRunner
from limits import LIMITS, SECRET, TIMES, needs_sandbox

from perfcourse.bank import Bank, DataFile, number
from perfcourse.bank.loader import load
from perfcourse.commands.cli import main
from perfcourse.grading.cache_key import fingerprint
from perfcourse.grading.submission import grade
from perfcourse.intake.submissions import Handin
from perfcourse.isolation.data import laid_out
from perfcourse.isolation.sandbox import Sandbox
from perfcourse.isolation.trial import find_sandbox
from perfcourse.isolation.warm import Warm
from perfcourse.judge.checker import Checker

BANK = """
import numpy as np
from perfcourse.bank import *

def mean(path):
    return float(np.loadtxt(path).mean())

bank = Bank("t", "T", [number("q", "Mean", file=DataFile("data/x.csv", hidden="x-hidden.csv"),
    reference=mean, mistakes=[
        Mistake("sum", lambda path: float(np.loadtxt(path).sum()), "Divide.")])])
"""
FROM_FILE = "import numpy as np\nq = np.loadtxt('data/x.csv').mean()"


@pytest.fixture
def course(tmp_path, monkeypatch):
    solutions = tmp_path / "solutions"
    (solutions / "data").mkdir(parents=True)
    (solutions / "data" / "x.csv").write_text("1\n2\n6\n")
    (solutions / "x-hidden.csv").write_text("1734\n1736\n")
    (solutions / "t.py").write_text(BANK)
    cells = [
        "from perfcourse import checker\nSTUDENT = 'anyone'\ncheck = checker('t', student=STUDENT)",
        f"### BEGIN SOLUTION\n{FROM_FILE}\n### END SOLUTION",
        "check('q')",
    ]
    (solutions / "t.ipynb").write_bytes(notebook(*cells))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "name",
    [
        *("../x.csv", "/etc/passwd", "a/../../x.csv", ".hidden.csv", "a/.b.csv", "", "a//b.csv"),
        *("x.py", "x.ipynb", "~/x.csv", "x", "a/b/c.csv", "x.csv\n", "ä.csv", "x" * 99 + ".csv"),
    ],
)
def test_names_that_lead_elsewhere_are_refused(name):
    with pytest.raises(ValueError, match="file must be a name like"):
        DataFile(name)


def test_link_out_of_the_folder_is_refused(course):
    (course / "solutions" / "x-hidden.csv").unlink()
    (course / "solutions" / "x-hidden.csv").symlink_to("/etc/hostname")
    with pytest.raises(ValueError, match="leads out of it"):
        load(course / "solutions" / "t.py")


def test_one_file_has_one_content():
    def question(id, file):
        return number(id, "Q", reference=len, file=file)

    with pytest.raises(ValueError, match="hidden of a must be one for each file"):
        Bank("t", "T", [question("a", "x.csv"), question("b", DataFile("x.csv", hidden="y.csv"))])


class TestRelease:
    def test_copies_what_students_see_and_nothing_hidden(self, course):
        ran = CliRunner().invoke(main, ["release", "t"])
        assert ran.exit_code == 0, ran.output
        assert (course / "exercises" / "data" / "x.csv").read_text() == "1\n2\n6\n"
        everything = [path for path in (course / "exercises").rglob("*") if path.is_file()]
        assert len(everything) == 2
        assert not any("1734" in path.read_text() or "hidden" in path.name for path in everything)

    def test_stale_file_is_found(self, course):
        CliRunner().invoke(main, ["release", "t"])
        assert CliRunner().invoke(main, ["release", "t", "--check"]).exit_code == 0
        (course / "exercises" / "data" / "x.csv").write_text("0\n")
        ran = CliRunner().invoke(main, ["release", "t", "--check"])
        assert ran.exit_code == 1
        assert "x.csv: stale" in ran.output
        assert (course / "exercises" / "data" / "x.csv").read_text() == "0\n"

    def test_each_personal_copy_has_it(self, course):
        (course / "who.csv").write_text("file,student\na.ipynb,ada\nb.ipynb,ben\n")
        words = ["release", "t", "--students", "who.csv", "--out", "personal"]
        ran = CliRunner().invoke(main, words)
        assert ran.exit_code == 0, ran.output
        for student in ("ada", "ben"):
            assert (course / "personal" / student / "data" / "x.csv").is_file()

    @pytest.mark.parametrize("tool", ["nbgrader", "otter"])
    def test_other_graders_editions_have_it(self, course, tool):
        ran = CliRunner().invoke(main, ["release", "t", f"--for-{tool}", "--out", "made"])
        assert ran.exit_code == 0, ran.output
        assert {path.read_text() for path in (course / "made").rglob("x.csv")} == {"1\n2\n6\n"}


@pytest.mark.parametrize("name", ["data/x.csv", "x-hidden.csv"])
def test_other_content_has_everything_graded_again(course, name):
    bank = course / "solutions" / "t.py"
    load(bank)
    before = fingerprint(bank, "s")
    assert before == fingerprint(bank, "s")
    (course / "solutions" / name).write_text("5\n")
    assert before != fingerprint(bank, "s")


def test_check_in_the_notebook_uses_what_students_see(course):
    check = Checker("t", "ada", load(course / "solutions" / "t.py"))
    assert check("q", 3.0).state == "right"
    assert check("q", 9.0).text.startswith("Divide.")
    assert check("q", 1735.0).state == "wrong"


@needs_sandbox
class TestGrading:
    @pytest.fixture
    def graded(self, course):
        bank = load(course / "solutions" / "t.py")
        files = {file.name: file.path(hidden=True) for file in bank.files}
        with Warm(find_sandbox(), LIMITS, ["numpy"], files) as parent:

            def of(*cells):
                handin = Handin("ada", "ada", notebook(*cells), "ada.ipynb")
                return grade(handin, bank, SECRET, lambda *how: parent.session(TIMES, *how))

            yield of

    def test_answer_from_the_file_is_right_for_other_data_too(self, graded):
        result = graded(FROM_FILE)
        assert result.earned == result.points, result

    def test_typed_answer_is_told_why_it_is_wrong(self, graded):
        result = graded("q = 3.0")
        assert result.earned == 0
        assert "graded with other data in its place" in result.verdicts[0].message

    def test_mistake_has_its_hint_with_other_data_too(self, graded):
        assert graded(FROM_FILE.replace("mean", "sum")).verdicts[0].message == "Divide."

    @pytest.mark.parametrize(
        "attack",
        [
            "open('data/x.csv', 'w').write('3')",
            "import os; os.chmod('data/x.csv', 0o666)",
            "import os; os.unlink('/course/data/data/x.csv')",
            "import os; os.rename('data/x.csv', 'data/y.csv')",
            "open('data/more.csv', 'w')",
        ],
    )
    def test_nobody_can_change_it(self, graded, attack):
        refused = f"try:\n    {attack}\nexcept OSError:\n{indent(FROM_FILE, '    ')}"
        assert graded(refused).earned == 1
        assert graded(FROM_FILE).earned == 1

    @pytest.mark.parametrize(
        "leak",
        [
            "raise ValueError(text)",
            "raise type('E' + text.replace('\\n', ''), (Exception,), {})()",
            "q = type('T' + text.replace('\\n', ''), (), {})()",
            "import numpy as np; q = np.zeros((int(text[:4]), 2))",
            "q = text",
            "STUDENT = text",
            "q = {text: 1}",
            "print(text); import sys; sys.stderr.write(text)",
        ],
    )
    def test_feedback_carries_nothing_of_what_is_hidden(self, graded, leak):
        result = graded("text = open('data/x.csv').read()\n" + leak)
        feedback = json.dumps([result.problem, str(result.verdicts), str(result.errors)])
        assert result.earned == 0
        assert "1734" not in feedback

    def test_its_own_name_is_nowhere_inside(self, graded):
        seek = (
            "import os\nfound = [n for f, _, names in os.walk('/course') for n in names "
            "if 'hidden' in n]\nassert not found\n" + FROM_FILE
        )
        assert graded(seek).earned == 1


class TestLaidOut:
    def test_is_read_only_and_gone_afterwards(self, tmp_path):
        (tmp_path / "a").write_text("1")
        with laid_out({"deep/er/x.csv": tmp_path / "a"}) as folder:
            assert folder.parent.stat().st_mode & 0o077 == 0
            assert (folder / "deep" / "er" / "x.csv").stat().st_mode & 0o777 == 0o444
            assert (folder / "deep").stat().st_mode & 0o777 == 0o755
        assert not folder.exists()

    def test_what_a_killed_run_left_goes_at_the_next_one(self, tmp_path, monkeypatch):
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        (tmp_path / "a").write_text("1")
        left, new = tmp_path / "perfcourse-data-left", tmp_path / "perfcourse-data-new"
        for folder in (left, new):
            (folder / "data").mkdir(parents=True)
            (folder / "data" / "x.csv").write_text("hidden")
        os.utime(left, (0, 0))
        with laid_out({"x.csv": tmp_path / "a"}) as folder:
            assert not left.exists()
            assert new.exists()
            os.utime(folder.parent, (0, 0))
            with laid_out({"x.csv": tmp_path / "a"}):
                assert (folder / "x.csv").exists(), "it is in use"

    def test_nothing_is_nothing(self):
        with laid_out({}) as folder:
            assert folder is None


def test_without_a_sandbox_it_lies_in_the_current_folder(course):
    bank = load(course / "solutions" / "t.py")
    files = {file.name: file.path(hidden=True) for file in bank.files}
    before = sorted(os.listdir(course))
    with Warm(Sandbox(), LIMITS, ["numpy"], files) as parent:
        handin = Handin("ada", "ada", notebook(FROM_FILE), "ada.ipynb")
        result = grade(handin, bank, SECRET, lambda *how: parent.session(TIMES, *how))
    assert result.earned == 1
    assert sorted(os.listdir(course)) == before
    assert Path.cwd() == course
