"""Which files of tests a change runs again, of those that take long."""

import ast
import doctest
import hashlib
import json
from pathlib import Path

import import_graph
import pytest
import sampling
from import_graph import graph, reached

PROJECT = Path(__file__).parents[1]
SLOW = sorted(sampling.test_digests())


@pytest.fixture
def changed(monkeypatch):
    """Return the slow files of tests whose digest differs when a file has another content."""

    def after(name):
        before, content = sampling.test_digests(), sampling._content

        def other(file):
            return "other" if file == name else content(file)

        with monkeypatch.context() as patched:
            patched.setattr(sampling, "_content", other)
            now = sampling.test_digests.__wrapped__()
        return {test for test in SLOW if now[test] != before[test]}

    return after


def test_a_module_is_followed_to_all_that_import_it(changed):
    users = {test for test in SLOW if "src/perfmodel/lattice.py" in reached(graph(), [test])}
    assert users
    assert changed("src/perfmodel/lattice.py") >= users


def _docstrings(path):
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return [ast.get_docstring(node) or "" for node in nodes if isinstance(node, kinds)]


def test_every_module_with_an_example_in_a_docstring_is_tested():
    examples = doctest.DocTestParser().get_examples
    modules = (PROJECT / "src").rglob("*.py")
    held = {path for path in modules if any(map(examples, _docstrings(path)))}
    assert {import_graph.name_of(path) for path in held} <= set(sampling.with_tests())


def test_imports_kept_from_before_a_module_moved_are_not_believed(tmp_path, monkeypatch):
    name = "tests/test_lattice.py"
    digest = hashlib.sha256((PROJECT / name).read_bytes()).hexdigest()
    kept = tmp_path / "imports.json"
    before = {name: {"digest": digest, "imports": ["src/perfmodel/where_it_was.py"]}}
    kept.write_text(json.dumps({"places": "others", "files": before}), "utf-8")
    monkeypatch.setattr(import_graph, "KEPT", kept)
    assert graph.__wrapped__()[name] == graph()[name]


def _lab(test):
    """Return the folder of the lab that a file of tests belongs to."""
    topic = Path(test.replace("tests/", "src/perfmodel/", 1)).parent
    word = Path(test).stem.removeprefix("test_")
    names = (path.name for path in (PROJECT / topic).iterdir() if path.is_dir())
    return str(
        topic / max((name for name in names if word.startswith(name)), key=len, default=word)
    )


def test_data_beside_a_module_count_and_other_labs_do_not(changed):
    folders = {test: _lab(test) for test in SLOW if test.startswith("tests/labs/")}
    data = {
        test: file
        for test, folder in folders.items()
        for file in sampling._files(folder)
        if file.endswith(".csv")
    }
    test, file = next(iter(data.items()))
    again = changed(file)
    assert test in again
    assert not again & {other for other, folder in folders.items() if folder != folders[test]}


def test_the_grader_is_tested_again_when_a_bank_or_what_it_imports_changes(changed):
    grader = {test for test in SLOW if test.startswith("tests/perfcourse/")}
    assert grader
    assert changed("solutions/scaling.py") >= grader
    assert changed("src/perfmodel/validation.py") >= grader


@pytest.mark.parametrize("name", sampling.EVERYWHERE)
def test_what_all_depend_on_runs_all(changed, name):
    assert changed(name) == set(SLOW)


def test_what_reads_the_whole_project_is_always_run():
    assert not [test for test in SLOW if test.startswith(sampling.PROJECT_WIDE)]
    assert "tests/machines/test_source.py" not in SLOW
