"""What the quick path picks."""

import pytest
import quick
import sampling
from import_graph import graph, name_of, of_notebooks, reached

from perfcourse.book import sources

IMPORTS = {
    "src/perfmodel/queueing/mva.py": ["src/perfmodel/validation.py"],
    "src/perfmodel/validation.py": [],
    "src/perfmodel/labs/queueing/farm/model.py": ["src/perfmodel/queueing/mva.py"],
    "tests/queueing/test_mva.py": ["src/perfmodel/queueing/mva.py"],
    "tests/test_validation.py": [],
    "tests/labs/queueing/farm/test_model.py": ["src/perfmodel/labs/queueing/farm/model.py"],
    "src/perfmodel/live/__init__.py": [],
    "src/perfmodel/live/prompt.py": [],
    "tests/browser/test_player.py": ["src/perfmodel/live/prompt.py"],
    "tests/live/test_plot.py": ["src/perfmodel/live/__init__.py"],
    "notebooks/queueing/farm.ipynb": ["src/perfmodel/queueing/mva.py", "requirements.txt"],
    "tests/test_units.py": ["src/perfmodel/units.py"],
}


@pytest.mark.parametrize(
    ("changed", "picked"),
    [
        (
            "src/perfmodel/queueing/mva.py",
            [
                "tests/queueing/test_mva.py",
                "notebooks/queueing/farm.ipynb",
                "tests/labs/queueing/farm/test_model.py",
            ],
        ),
        (
            "src/perfmodel/validation.py",
            [
                "tests/test_validation.py",
                "notebooks/queueing/farm.ipynb",
                "tests/queueing/test_mva.py",
                "tests/labs/queueing/farm/test_model.py",
            ],
        ),
        ("requirements.txt", ["notebooks/queueing/farm.ipynb"]),
        (
            "src/perfmodel/live/player.mjs",
            ["tests/browser/test_player.py", "tests/live/test_plot.py"],
        ),
        ("README.md", []),
    ],
)
def test_nearest_come_first_and_what_is_not_touched_not_at_all(changed, picked):
    doctests = [changed] if changed.endswith(".py") else []
    assert quick.nearest(IMPORTS, [changed]) == doctests + picked


@pytest.mark.parametrize(
    ("changed", "picked"),
    [
        ("solutions/scaling.py", ["tests/solutions/test_scaling.py"]),
        ("solutions/serving.ipynb", ["tests/solutions/serving/test_savings.py"]),
        ("book/scaling.md", list(quick.PAGES)),
        ("notebooks/scaling/multicore.ipynb", list(quick.PAGES)),
    ],
)
def test_a_changed_exercise_or_page_has_its_tests(changed, picked):
    assert set(quick.nearest(graph(), [changed])) >= set(picked)


def test_tests_in_the_browser_that_need_no_book_are_known():
    needing = {"test_live", "test_pages", "test_printing", "test_search_page"}
    paths = (quick.PROJECT / "tests" / "browser").glob("test_*.py")
    assert {path.stem for path in paths if sampling.needs_book(name_of(path))} == needing


def test_a_changed_test_is_run_alone():
    assert quick.nearest(IMPORTS, ["tests/test_units.py"]) == ["tests/test_units.py"]


def test_what_does_not_fit_is_left_and_smaller_things_further_away_still_run():
    seconds = {"near": 5, "large": 100, "small": 2}
    assert quick.within(10, seconds, seconds) == (["near", "small"], ["large"])
    assert quick.within(1, seconds, seconds) == (["near"], ["large", "small"])


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("notebooks/queueing/bottleneck.ipynb", "notebooks/queueing/bottleneck.ipynb"),
        ("book/recorded/scaling.ipynb", "book/scaling.md"),
        ("solutions/roofline.ipynb", "solutions/roofline.py"),
    ],
)
def test_a_change_reaches_the_recordings_that_depend_on_it(name, source):
    page = quick.PROJECT / ("book/scaling.md" if name.startswith("book") else name)
    imports = graph() | of_notebooks({name: page})
    code = [cell.source for cell in sources.read(page).cells if cell.cell_type == "code"]
    imported = [named for text in code for named in sources.named(sources.plain(text))]
    modules = {part for named in imported for part in sources.imported_by(named)}
    files = {name_of(sources.file_of(module)) for module in modules}
    assert len(files) > 3
    assert files <= reached(imports, [name])
    assert name in quick.nearest(imports, [source])
    assert name in quick.nearest(imports, ["requirements.txt"])


def test_the_graph_of_this_project_leads_from_a_model_to_its_tests():
    near = quick.nearest(graph(), ["src/perfmodel/scaling/laws.py"])
    assert near[0] == "src/perfmodel/scaling/laws.py"
    assert "tests/scaling/test_laws.py" in near
    assert "tests/queueing/station/test_mmck.py" not in near
