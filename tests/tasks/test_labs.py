"""The tasks of all labs: each is sound, and says so of its own reference and mistakes."""

import importlib

import pytest

from perfmodel.tasks import Faster, Task, progress
from perfmodel.tasks.record import LABS
from perfmodel.tasks.source import shown

MODULES = [
    f"perfmodel.labs.{path.parts[-3]}.{path.parts[-2]}.tasks"
    for path in sorted(LABS.glob("*/*/tasks.py"))
]


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
        assert compile(shown(task.reference, "f"), name, "exec")
        texts = [task.hint, task.right, *(mistake.hint for mistake in task.mistakes)]
        assert not [text for text in texts if "$" in text or "**" in text], "plain text and `code`"


def test_progress_finds_what_is_declared():
    by_page = {lab.page: set(lab.titles) for lab in progress()}
    for module in MODULES:
        topic, lab = module.split(".")[2:4]
        titles = {task.title for task in declared(module).values()}
        assert by_page[f"notebooks/{topic}/{lab.replace('_', '-')}"] == titles
