"""The house keeps its rules: two floors, topics in their order, no room too full."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import perfmodel

SOURCE = Path(perfmodel.__file__).parent
TESTS = Path(__file__).parent
TOPICS = perfmodel.TOPICS
BASE = ("machines", "units", "validation", "compilation", "engine", "data", "shipped_data")
"""What stands below all topics."""
HEAVY = {"IPython", "pandas", "anywidget", "ipywidgets"}
"""What a general module doesn't load: they are for showing and for tables."""
DRAWING = {
    "perfmodel.roofline.plot",
    "perfmodel.roofline.labels",
    "perfmodel.queueing.network.drawings",
}
"""The general modules that draw, and so import `perfmodel.live`."""


def name_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(SOURCE.rglob("*.py"))}
GENERAL = [
    name
    for name in MODULES
    if name.count(".")
    and name.split(".")[1] not in ("labs", "live", "drawings", "worked_examples")
    and name not in DRAWING
]


@cache
def imports(module: str, at_load: bool = False) -> frozenset[str]:
    """Return what a module imports anywhere, or only when it is loaded."""
    tree = ast.parse(MODULES[module].read_text("utf-8"))
    nodes = loaded(tree.body) if at_load else list(ast.walk(tree))
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    ours = {name for name in names if name in MODULES}
    return frozenset(ours | {name for name in names if name.split(".")[0] != "perfmodel"})


def loaded(body: list[ast.stmt]) -> list[ast.AST]:
    """Return the statements that run when a module is loaded: not functions, not for types only."""
    nodes: list[ast.AST] = []
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            nodes.append(node)
            for part in ("body", "orelse", "handlers"):
                nodes += loaded(getattr(node, part, []))
    return nodes


def topic_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def lab_of(module: str) -> str:
    return ".".join(module.split(".")[2:4])


def test_no_general_module_imports_a_lab() -> None:
    upward = [
        (module, name)
        for module in MODULES
        if topic_of(module) != "labs"
        for name in imports(module)
        if topic_of(name) == "labs"
    ]
    assert upward == []


def test_labs_import_each_other_in_no_circle() -> None:
    above: dict[str, set[str]] = defaultdict(set)
    for module in MODULES:
        for name in imports(module) if topic_of(module) == "labs" else ():
            if topic_of(name) == "labs" and name.count(".") > 2:
                above[lab_of(module)].add(lab_of(name))
    for lab, others in above.items():
        others.discard(lab)
    tuple(TopologicalSorter(above).static_order())


def test_a_topic_imports_only_topics_before_it() -> None:
    backward = [
        (module, name)
        for module in MODULES
        if topic_of(module) in TOPICS
        for name in imports(module)
        if topic_of(name) in TOPICS
        and TOPICS.index(topic_of(name)) > TOPICS.index(topic_of(module))
    ]
    assert backward == []


def test_machines_and_measuring_know_nothing_above_them() -> None:
    above = [
        (module, name)
        for module in MODULES
        if topic_of(module) in BASE
        for name in imports(module)
        if topic_of(name) in (*TOPICS, "labs", "live", "ledger")
    ]
    assert above == []


@pytest.mark.parametrize("module", GENERAL)
def test_general_module_loads_nothing_that_is_for_showing(module: str) -> None:
    reached, waiting = set(), [module]
    while waiting:
        name = waiting.pop()
        if name in reached or name not in MODULES:
            continue
        reached.add(name)
        packages = {".".join(name.split(".")[:i]) for i in range(1, name.count(".") + 1)}
        waiting += [*imports(name, at_load=True), *packages]
    assert not [name for name in reached if topic_of(name) == "live"]
    outside = {other.split(".")[0] for name in reached for other in imports(name, at_load=True)}
    assert not outside & HEAVY


def test_no_folder_holds_more_than_twenty_modules() -> None:
    sizes = Counter(path.parent for path in SOURCE.parent.rglob("*.py"))
    assert {str(folder): size for folder, size in sizes.items() if size > 20} == {}


def test_test_files_outside_packages_have_names_of_their_own() -> None:
    """Where a folder of tests is no package, pytest knows a file by its name alone."""
    files = [path for path in TESTS.rglob("*.py") if not (path.parent / "__init__.py").exists()]
    names = Counter(path.name for path in files if path.name != "conftest.py")
    assert [name for name, times in names.items() if times > 1] == []


def test_most_modules_have_300_lines_at_most_and_no_story_more_than_450() -> None:
    sizes = {name: len(path.read_text("utf-8").splitlines()) for name, path in MODULES.items()}
    assert {name: size for name, size in sizes.items() if size > 450} == {}
    assert sum(size > 300 for size in sizes.values()) < 0.05 * len(sizes)


def test_a_lab_has_a_notebook_of_its_name() -> None:
    notebooks = SOURCE.parents[1] / "notebooks"
    labs = [path for path in (SOURCE / "labs").glob("*/*/") if (path / "__init__.py").is_file()]
    assert len(labs) >= 25
    alone = [
        str(lab.relative_to(SOURCE))
        for lab in labs
        if not (notebooks / lab.parent.name / f"{lab.name.replace('_', '-')}.ipynb").is_file()
    ]
    tables = ["labs/forecasting/contest", "labs/prediction/shootout"]
    assert sorted(alone) == tables, "a chapter's own table"
