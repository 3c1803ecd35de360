"""The tasks of all labs: each is sound, and says so of its own reference and mistakes."""

import ast
import importlib
from pathlib import Path

import nbformat
import pytest

from perfmodel.tasks import Faster, Task, progress
from perfmodel.tasks.record import LABS
from perfmodel.tasks.solution import shown
from perfmodel.tasks.source import unchanged

MODULES = [
    f"perfmodel.labs.{path.parts[-3]}.{path.parts[-2]}.tasks"
    for path in sorted(LABS.glob("*/*/tasks.py"))
]
NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def notebook(module):
    """Return the notebook of the lab that a module of tasks belongs to."""
    topic, lab = module.split(".")[2:4]
    return nbformat.read(NOTEBOOKS / topic / f"{lab.replace('_', '-')}.ipynb", as_version=4)


def asked(module):
    """Return the cells of a lab's notebook that ask for its tasks, by the task's name."""
    sources = [c.source for c in notebook(module).cells if "now-you" in c.metadata.get("tags", [])]
    return {name: s for name in declared(module) for s in sources if f"tasks.{name}.check(" in s}


def declared(module):
    return {
        name: thing
        for name, thing in vars(importlib.import_module(module)).items()
        if isinstance(thing, Task | Faster)
    }


@pytest.mark.parametrize("module", MODULES)
def test_tasks_of_a_lab(module):
    tasks = declared(module)
    titles = [task.title for task in tasks.values()]
    assert len(set(titles)) == len(titles) >= 2
    for name, task in tasks.items():
        task.verify()
        assert task.reference.__module__ == module, f"{name}: write the reference in this module"
        texts = [task.hint, task.right, *(mistake.hint for mistake in task.mistakes)]
        assert not [text for text in texts if "$" in text or "**" in text], "plain text and `code`"


@pytest.mark.parametrize("module", MODULES)
def test_a_wrong_answer_is_told_so_whatever_was_asked(module):
    for name, task in declared(module).items():
        results = task.results if isinstance(task, Faster) else task
        answer = (lambda *_: -8.5) if any(results.cases) else -8.5
        assert results.judge(answer).state == "wrong", name


def test_progress_finds_what_is_declared():
    by_page = {lab.page: set(lab.titles) for lab in progress()}
    for module in MODULES:
        topic, lab = module.split(".")[2:4]
        titles = {task.title for task in declared(module).values()}
        assert by_page[f"notebooks/{topic}/{lab.replace('_', '-')}"] == titles


def imported(module):
    """Return the names that the import statements of a lab's notebook give."""
    names = {}
    for cell in notebook(module).cells:
        if cell.cell_type == "code":
            body = ast.parse(cell.source).body
            body = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
            exec(compile(ast.Module(body, []), module, "exec"), names)
    return names


@pytest.mark.parametrize("module", MODULES)
def test_a_way_that_is_shown_runs_where_it_is_pasted_and_is_right(module):
    imports = imported(module)
    for name, task in declared(module).items():
        space = dict(imports)
        *before, last = ast.parse(shown(task.reference, name)).body
        if isinstance(last, ast.Expr):
            last = ast.Assign([ast.Name(name, ast.Store())], last.value)
        pasted = ast.fix_missing_locations(ast.Module([*before, last], []))
        exec(compile(pasted, name, "exec"), space)
        results = task.results if isinstance(task, Faster) else task
        asks_value = not any(results.cases) and callable(space[name])
        outcome = results.judge(space[name]() if asks_value else space[name])
        assert outcome.state == "right", f"{name}: {outcome.said}"


@pytest.mark.parametrize("module", MODULES)
def test_each_task_is_asked_for_and_its_cell_is_untouched(module, tmp_path):
    cells = asked(module)
    assert cells.keys() == declared(module).keys()
    for name, task in declared(module).items():
        parsed = ast.parse(cells[name]).body
        stubs = [node for node in parsed if isinstance(node, ast.FunctionDef)]
        if isinstance(task, Task):
            assert "..." in cells[name], f"{name}: leave out a line"
            continue
        file = tmp_path / f"{name}.py"
        file.write_text(ast.unparse(stubs[0]))
        space = {}
        exec(compile(file.read_text(), str(file), "exec"), space)
        assert unchanged(space[stubs[0].name], task.given), f"{name}: begin as a copy of the given"
