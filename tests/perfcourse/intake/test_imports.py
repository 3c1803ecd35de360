"""What a warm parent loads in advance: what submissions import, and nothing that they only name."""

import pytest
from building import notebook

from perfcourse.batch import run
from perfcourse.engine import Settings
from perfcourse.grading import failed
from perfcourse.intake.imports import MOST, imported, wanted
from perfcourse.isolation.sandbox import PRELOAD
from perfcourse.loading import load


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


def test_no_submission_makes_the_parent_load_without_end():
    assert len(wanted({f"perfmodel.x{n}" for n in range(10**5)}, PRELOAD)) == MOST


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
    assert seen == [("pandas", "perfmodel.scaling", "perfmodel.scaling.usl_peak")]
