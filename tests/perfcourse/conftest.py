"""One warm parent for all tests of grading; notebooks built from lists of cells."""

import json
import os
import shutil

import pytest
from building import notebook
from limits import EXAMPLE, HERE, LIMITS, SECRET, TIMES

from perfcourse.grading.submission import grade
from perfcourse.intake.submissions import Handin
from perfcourse.isolation.trial import find_sandbox
from perfcourse.isolation.warm import Warm

if "sandbox" in os.environ.get("PERFCOURSE_REQUIRE", "") and not find_sandbox().bwrap:
    raise pytest.UsageError(f"the sandbox must work here: {find_sandbox().problem}")


@pytest.fixture(scope="session")
def warm():
    sandbox = find_sandbox()
    if not sandbox.bwrap:
        pytest.skip(f"no sandbox here: {sandbox.problem}")
    with Warm(sandbox, LIMITS) as parent:
        yield parent


@pytest.fixture
def grade_cells(warm):
    """Return a function that grades a list of cells as a submission to the example bank."""

    def of(*cells, student="ada", bank=EXAMPLE, times=TIMES):
        handin = Handin(f"{student}.ipynb", student, notebook(*cells), f"{student}.ipynb")
        return grade(handin, bank, SECRET, lambda *how: warm.session(times, *how))

    return of


class Shared:
    """Stands for a warm parent that a grader starts: the one that all tests share."""

    def __init__(self, parent):
        self.session, self.process = parent.session, parent.process
        self.sandbox = parent.sandbox

    def close(self):
        """Leave it to the tests that come."""


@pytest.fixture
def shared(warm, monkeypatch):
    """Let graders in this process use the tests' warm parent instead of one of their own."""
    monkeypatch.setattr("perfcourse.grading.engine.Warm", lambda *what: Shared(warm))


@pytest.fixture(scope="session")
def solved():
    """The cells of the example's solution."""
    source = json.loads((HERE / "example.ipynb").read_text())
    return ["".join(cell["source"]) for cell in source["cells"] if cell["cell_type"] == "code"]


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course of one topic in a folder of its own, which is the current directory."""
    (tmp_path / "solutions").mkdir()
    for suffix in (".py", ".ipynb"):
        shutil.copy(HERE / f"example{suffix}", tmp_path / "solutions")
    monkeypatch.chdir(tmp_path)
    return tmp_path
