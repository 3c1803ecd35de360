"""What a warm parent loads in advance: what submissions import, and nothing that they only name."""

import importlib.util

import pytest
from building import notebook

from perfcourse.bank.loader import load
from perfcourse.grading.batch import run
from perfcourse.grading.engine import Settings
from perfcourse.grading.preload import imported, wanted
from perfcourse.grading.submission import failed
from perfcourse.isolation.libraries import versions
from perfcourse.isolation.sandbox import PRELOAD


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("import numpy as np, pandas", {"numpy", "pandas"}),
        ("import scipy.stats", {"scipy.stats"}),
        ("from scipy import stats as s, special", {"scipy", "scipy.stats", "scipy.special"}),
        ("from perfmodel.scaling import (\n    usl", {"perfmodel.scaling"}),
        ("    import timeit  # now", {"timeit"}),
        ("x = 1\nimport json", {"json"}),
        ("important = reimport", set()),
    ],
)
def test_imports_are_found_in_a_notebook_s_bytes(line, names):
    assert names <= imported(notebook(line)) <= names | {"perfmodel.scaling.usl"}


def test_nothing_but_what_is_known_is_loaded():
    named = {"antigravity", "numpy.distutils", "os", "scipy", "perfmodel"}
    assert wanted(named, PRELOAD[:-1]) == ()


def test_no_program_is_run_by_naming_it():
    assert wanted({"perfmodel.__main__", "perfmodel.labs.__main__"}, PRELOAD) == ()


NAMES = {
    "many": b"import " + b", ".join(b"perfmodel.a%d" % n for n in range(250)),
    "very many": b"import " + b",".join(b"q%d" % n for n in range(100_000)),
    "one a line": b"\\n".join(b"import perfmodel.a%d" % n for n in range(100_000)),
    "from many": b"\n".join(b"from perfmodel.a%d import b, c" % n for n in range(9000)),
    "long": b"import perfmodel." + b"a" * 140_000,
    "long from": b"from perfmodel." + b"a" * 140_000 + b" import b",
    "deep": b"import perfmodel" + b".queueing" * 20_000,
    "odd": b"import perfmodel.\xff, perfmodel..queueing, perfmodel.queueing.",
    "programs": b"import perfmodel.__main__, perfmodel.command.__main__",
}
"""What one notebook may say that it imports."""


@pytest.mark.parametrize("theirs", NAMES.values(), ids=NAMES)
def test_what_one_names_keeps_nothing_from_another(theirs):
    mine = imported(b"from perfmodel.queueing import mm1\nimport perfmodel.scaling, scipy.stats")
    both = wanted(mine | imported(theirs), PRELOAD)
    assert set(both) - {"perfmodel.queueing"} >= set(wanted(mine, PRELOAD)) - {"perfmodel.queueing"}
    assert "perfmodel.queueing" in both


@pytest.mark.parametrize("theirs", NAMES.values(), ids=NAMES)
def test_only_modules_that_are_there_reach_the_parent(theirs):
    ours = wanted(imported(theirs), PRELOAD)
    assert all(importlib.util.find_spec(name) for name in ours)
    assert len(" ".join(ours)) < 2**16, "a command line takes it"


@pytest.mark.parametrize("theirs", NAMES.values(), ids=NAMES)
def test_libraries_are_looked_up_only_where_there_are_any(monkeypatch, theirs):
    asked = []
    monkeypatch.setattr(
        "perfcourse.isolation.libraries.version", lambda name: asked.append(name) or ""
    )
    found = imported(theirs)
    versions(found)
    assert len(found) < 20_000
    assert set(asked) <= {"perfmodel"}


def test_a_library_is_known_by_the_name_that_it_is_imported_by():
    assert {"scikit-learn", "pillow", "PyYAML", "numpy"} <= set(
        versions({"sklearn.linear_model", "PIL", "yaml"})
    )


def test_bytes_that_are_no_notebook_do_no_harm():
    assert wanted(imported(b"import \xff\x00 from import from"), PRELOAD) == ()


def test_a_run_loads_what_its_submissions_import(course):
    (course / "in").mkdir()
    (course / "in" / "ada.ipynb").write_bytes(notebook("import pandas as pd"))
    (course / "in" / "bob.ipynb").write_bytes(notebook("from perfmodel.scaling import usl_peak"))
    seen = []

    def engine(handins, settings):
        seen.append(settings.preload)
        for handin in handins:
            yield failed(handin, load(settings.bank), "")

    settings = Settings(str(course / "solutions" / "example.py"), "x", unsafe=True)
    run(course / "in", course / "out", settings, engine)
    assert seen == [("pandas", "perfmodel.scaling")]
