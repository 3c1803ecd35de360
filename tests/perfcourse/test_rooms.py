"""Rooms of perfcourse stand on those before them, and no file imports itself by way of others."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"
ROOMS = (
    "kernel",
    "bank",
    "isolation",
    "judge",
    "intake",
    "gradebook",
    "report",
    "release",
    "grading",
    "study",
    "commands",
    "book",
)
"""A room imports only from those before it."""


def _module(path):
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_module(path): path for path in (SOURCE / "perfcourse").rglob("*.py")}


def _imported(path):
    """Return the modules of perfcourse that a file imports, except for types alone."""
    tree = ast.parse(path.read_text("utf-8"))
    only_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and id(node) not in only_types:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in MODULES else node.module


GRAPH = {
    module: {name for name in _imported(path) if name in MODULES and name != module}
    for module, path in MODULES.items()
}


def _room(module):
    return module.split(".")[1] if "." in module else ""


def test_every_room_is_listed():
    assert {_room(module) for module in MODULES if module.count(".") > 1} == set(ROOMS)


def test_a_room_imports_only_from_those_before_it():
    backwards = [
        (module, name)
        for module, names in GRAPH.items()
        for name in names
        if _room(module) in ROOMS and _room(name) in ROOMS
        if ROOMS.index(_room(name)) > ROOMS.index(_room(module))
    ]
    assert not backwards


def test_no_file_imports_itself_by_way_of_others():
    TopologicalSorter(GRAPH).prepare()
