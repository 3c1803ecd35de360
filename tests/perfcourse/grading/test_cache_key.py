"""Each input of a grade, changed alone, has exactly what it affects graded again."""

import importlib
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from building import notebook

from perfcourse.bank.loader import load
from perfcourse.grading import cache_key as grounds
from perfcourse.grading.batch import run
from perfcourse.grading.engine import Settings
from perfcourse.grading.submission import failed
from perfcourse.isolation import libraries
from perfcourse.isolation.session import Times
from perfcourse.kernel.isolate import Limits

HERE = Path(__file__).parents[1]
PARTS = {
    "rules/__init__.py": "from rules.inner import factor as factor\n",
    "rules/inner.py": "from .deep import BASE\nTABLE = 'table.csv'\nfactor = lambda: BASE\n",
    "rules/deep.py": "BASE = 1\n",
    "rules/lazily.py": "LATE = 1\n",
    "rules/unused.py": "NEVER = 1\n",
    "rules/table.csv": "n\n1\n",
    "rules/other.csv": "n\n1\n",
}
HEAD = """
import rules
from rules import factor
def late():
    from rules.lazily import LATE
"""


@pytest.fixture
def course(tmp_path, monkeypatch):
    """Two banks, one of which imports a package of the course, and three submissions to each."""
    for name, text in PARTS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    text = (HERE / "example.py").read_text()
    (tmp_path / "plain.py").write_text(text)
    (tmp_path / "rules" / "table.py").write_text("")
    head, rest = text.split("import numpy as np\n", 1)
    (tmp_path / "ruled.py").write_text(f"{head}import numpy as np\n{HEAD}{rest}")
    (tmp_path / "in").mkdir()
    for name in ("ada", "bob", "eve"):
        (tmp_path / "in" / f"{name}.ipynb").write_bytes(notebook(f"q2 = {len(name)}"))
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in [name for name in sys.modules if name.split(".")[0] == "rules"]:
        del sys.modules[name]


def graded(course, bank, **changes):
    """Return the names of the submissions that a run grades."""
    settings = replace(Settings(str(course / f"{bank}.py"), "secret", unsafe=True), **changes)
    names = []

    def engine(handins, settings):
        for handin in handins:
            names.append(handin.student)
            yield replace(
                failed(handin, load(settings.bank), ""), digest=handin.digest, broken=False
            )

    importlib.invalidate_caches()
    for name in [name for name in sys.modules if name.split(".")[0] == "rules"]:
        del sys.modules[name]
    (course / f"out-{bank}").mkdir(exist_ok=True)
    run(course / "in", course / f"out-{bank}", settings, engine)
    return sorted(names)


ALL = ["ada", "bob", "eve"]


@pytest.fixture
def settled(course):
    """The course when all has been graded, so that nothing is graded again."""
    for bank in ("plain", "ruled"):
        assert graded(course, bank) == ALL
        assert graded(course, bank) == []
    return course


@pytest.mark.parametrize("part", ["__init__.py", "inner.py", "deep.py", "lazily.py", "table.csv"])
def test_an_edited_module_regrades_the_bank_that_imports_it(settled, part):
    with (settled / "rules" / part).open("a") as file:
        file.write("\n\n")
    assert graded(settled, "plain") == []
    assert graded(settled, "ruled") == ALL
    assert graded(settled, "ruled") == []


@pytest.mark.parametrize("part", ["unused.py", "other.csv", "table.py"])
def test_what_the_bank_does_not_use_regrades_nothing(settled, part):
    with (settled / "rules" / part).open("a") as file:
        file.write("\n\n")
    assert graded(settled, "ruled") == []


def test_an_edited_bank_regrades_its_own(settled):
    with (settled / "plain.py").open("a") as file:
        file.write("\n")
    assert graded(settled, "ruled") == []
    assert graded(settled, "plain") == ALL


@pytest.mark.parametrize(
    "changes",
    [
        {"times": Times(notebook=90, cell=30, whole=180)},
        {"limits": Limits(memory=2**30)},
        {"secret": "another"},
        {"unsafe": False},
    ],
    ids=["time limit", "memory", "secret", "sandbox"],
)
def test_an_option_that_decides_regrades_all_and_back_again_nothing(settled, changes):
    assert graded(settled, "plain", **changes) == ALL
    assert graded(settled, "plain", **changes) == []
    assert graded(settled, "plain") == []


def test_how_fast_it_is_graded_regrades_nothing(settled):
    assert graded(settled, "plain", preload=()) == []


@pytest.mark.parametrize("library", ["perfmodel", "IPython", "numpy"])
def test_another_version_of_what_all_run_with_regrades_all(settled, monkeypatch, library):
    elsewhere = grounds.version
    monkeypatch.setattr(grounds, "version", lambda n: "99" if n == library else elsewhere(n))
    assert graded(settled, "plain") == ALL


def test_another_version_of_python_regrades_all(settled, monkeypatch):
    monkeypatch.setattr("platform.python_version", lambda: "3.99.0")
    assert graded(settled, "plain") == ALL
    assert graded(settled, "plain") == []
    monkeypatch.undo()
    assert graded(settled, "plain") == []


def test_another_python_regrades_all(settled, monkeypatch):
    monkeypatch.setattr("platform.python_implementation", lambda: "Jython")
    assert graded(settled, "plain") == ALL


def test_another_version_of_a_library_of_the_bank_regrades_all(settled, monkeypatch):
    monkeypatch.setattr("numpy.__version__", "99")
    assert graded(settled, "plain") == ALL


IMPORTS = {
    "pandas": ["eve"],
    "python-dateutil": ["eve"],
    "scipy": ["bob"],
    "matplotlib": [],
}
"""Who is graded again when a library has another version; eve's needs python-dateutil."""


@pytest.mark.parametrize(("library", "affected"), IMPORTS.items())
def test_another_version_of_a_library_regrades_who_imports_it(
    settled, monkeypatch, library, affected
):
    (settled / "in" / "bob.ipynb").write_bytes(notebook("from scipy import stats"))
    (settled / "in" / "eve.ipynb").write_bytes(notebook("import pandas as pd"))
    assert graded(settled, "plain") == ["bob", "eve"]
    assert graded(settled, "plain") == []
    installed = libraries.version
    monkeypatch.setattr(libraries, "version", lambda n: "99" if n == library else installed(n))
    assert graded(settled, "plain") == affected
    assert graded(settled, "plain") == []


def test_another_file_regrades_that_student(settled):
    (settled / "in" / "bob.ipynb").write_bytes(notebook("q2 = 99"))
    assert graded(settled, "plain") == ["bob"]


@pytest.mark.parametrize("topic", ["scaling", "queueing"])
def test_a_topic_s_models_are_among_its_grounds_and_other_topics_are_not(topic):
    path = HERE.parents[1] / "solutions" / f"{topic}.py"
    load(path)
    found = grounds.sources(path)
    assert f"perfmodel.{topic}" in found
    assert any(name.startswith(f"perfmodel.{topic}.") for name in found)
    assert not any(name.startswith("perfmodel.offloading.") for name in found)
    assert "numpy" in found
