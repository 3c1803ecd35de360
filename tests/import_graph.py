"""Which files of the project each file of code imports, and all that it leads to."""

from __future__ import annotations

import ast
import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from perfcourse.book import sources

PROJECT = Path(__file__).parents[1]
KEPT = PROJECT / "_build" / "imports.json"
FOLDERS = ("src", "tests", "solutions")


def name_of(path: Path) -> str:
    """Return the place of a file below the project's folder."""
    return path.relative_to(PROJECT).as_posix()


@cache
def graph() -> dict[str, list[str]]:
    """Return which files of the project each file of code imports; kept between runs.

    A package that gives its names lazily is followed to the modules of the names that are taken;
    where it is imported as a whole, to all of them. Where a module lies, and what a package gives,
    decides what all others import: a change of these begins anew.
    """
    paths = [path for folder in FOLDERS for path in (PROJECT / folder).rglob("*.py")]
    stubs = [path.read_bytes() for path in sorted((PROJECT / "src").rglob("*.pyi"))]
    places = hashlib.sha256(b"".join(stubs) + repr(sorted(paths)).encode()).hexdigest()
    kept = json.loads(KEPT.read_text("utf-8")) if KEPT.is_file() else {}
    known = kept["files"] if kept.get("places") == places else {}
    found = {}
    for path in paths:
        text = path.read_text("utf-8")
        digest = hashlib.sha256(text.encode()).hexdigest()
        name = name_of(path)
        same = known.get(name, {}).get("digest") == digest
        imports = known[name]["imports"] if same else sorted(_imports(text))
        found[name] = {"digest": digest, "imports": imports}
    KEPT.parent.mkdir(exist_ok=True)
    whole = KEPT.with_name(f"{KEPT.name}.{os.getpid()}")
    whole.write_text(json.dumps({"places": places, "files": found}), "utf-8")
    whole.replace(KEPT)  # at once, since several processes collect tests at a time
    return {name: entry["imports"] for name, entry in found.items()}


def of_notebooks(paths: Mapping[str, Path]) -> dict[str, list[str]]:
    """Return on which files of the project each recorded notebook depends itself, by its name.

    Its own file counts, the question bank beside it, and the lock: `sources.key` has the same.
    """
    found = {}
    for name, path in paths.items():
        notebook = sources.read(path)
        cells = [sources.plain(cell.source) for cell in notebook.cells if cell.cell_type == "code"]
        packages = notebook.metadata.get("depends", [])
        modules = [f for p in packages for f in graph() if f.startswith(f"src/{p}/")]
        own = [name_of(path), name_of(path.with_suffix(".py")), "requirements.txt"]
        found[name] = sorted({*_imports("\n".join(cells)), *modules, *own} - {name})
    return found


def reached(imports: Mapping[str, Iterable[str]], start: Iterable[str]) -> set[str]:
    """Return the files that some files import, directly or not, with themselves.

    >>> sorted(reached({"a": ["b"], "b": ["c"], "c": [], "d": ["c"]}, ["a"]))
    ['a', 'b', 'c']
    """
    ring, seen = set(start), set(start)
    while ring:
        ring = {used for name in ring for used in imports.get(name, ())} - seen
        seen |= ring
    return seen


def _imports(text: str) -> set[str]:
    """Return the files that a text imports itself, of the packages and beside the tests."""
    files = set()
    for name in sources.named(text):
        if name.split(".")[0] in sources.OURS:
            files |= _found(name)
        elif "test_" not in name:
            files |= _beside().get(name.split(".")[-1], set())
    for name in _bound(text):
        files |= _offered(name)
    return files


@cache
def _found(name: str) -> set[str]:
    """Return the files of a module and of the packages that it lies in."""
    parts = name.split(".")
    files = set()
    for count in range(1, len(parts) + 1):
        try:
            files.add(name_of(sources.file_of(".".join(parts[:count]))))
        except ModuleNotFoundError:
            break
    return files


def _bound(text: str) -> set[str]:
    """Return the modules of this project that a text may use as a whole, by one name."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in names if name.split(".")[0] in sources.OURS}


@cache
def _offered(name: str) -> set[str]:
    """Return the files of the modules from which a lazy package gives names."""
    try:
        stub = sources.file_of(name).with_suffix(".pyi")
    except ModuleNotFoundError:
        return set()
    if not stub.is_file():
        return set()
    lines = ast.parse(stub.read_text("utf-8")).body
    modules = {node.module for node in lines if isinstance(node, ast.ImportFrom) and node.module}
    return {file for module in modules for file in _found(f"{name}.{module}")}


@cache
def _beside() -> dict[str, set[str]]:
    """Return by name the modules beside the tests, which import each other without a package."""
    found = defaultdict(set)
    for path in (PROJECT / "tests").rglob("*.py"):
        found[path.stem].add(name_of(path))
    return found
