"""Which files make the book, and what each of its notebooks depends on."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from myst_nb.core.read import read_myst_markdown_notebook

from perfcourse.book import about, pins
from perfcourse.book.toc import pages as pages, path as path, root as root

SOURCES = ("_config.yml", "_toc.yml", "book", "notebooks", "exercises")
"""What the built book is made of, below the project's folder."""
RUN = ("book", "notebooks", "solutions")
"""The folders whose notebooks are run; exercises are shown as the student gets them."""
RECORDED = "recorded"
"""The folder beside a chapter's Markdown that holds its cells with their outputs."""

OURS = ("perfmodel", "perfcourse")
"""The packages of this project."""
DATA = (".css", ".mjs", ".csv", ".json")
"""Endings of files that lie beside a module and belong to it."""


def read(path: Path) -> Any:
    """Return the notebook in `path`, an `.ipynb` or a MyST Markdown page with code cells.

    A Markdown page without code cells is no notebook: for it the answer is None.
    """
    if path.suffix == ".ipynb":
        return nbformat.read(path, as_version=4)
    text = path.read_text("utf-8")
    if "{code-cell}" not in text:
        return None
    notebook = read_myst_markdown_notebook(text, add_source_map=False, path=str(path))
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"  # a random one would make the page new in each build
    return notebook


def recording(path: Path) -> Path:
    """Return the notebook that stores the outputs of `path`: itself, or one beside its Markdown."""
    if path.suffix == ".ipynb":
        return path
    return path.parent / RECORDED / f"{path.stem}.ipynb"


def executable(project: Path) -> list[Path]:
    """Return what is run and stored in `project`: labs, solutions, and chapters that have code."""
    named = [path(project, page) for page in pages(project)]
    chapters = [file for file in named if file and file.suffix == ".md" and read(file) is not None]
    labs = [file for file in named if file and file.relative_to(project).parts[0] == "notebooks"]
    return [*chapters, *labs, *sorted((project / "solutions").glob("*.ipynb"))]


def key(notebook: Any, path: Path | None = None) -> str:
    """Return a digest of all that the outputs of `notebook` depend on.

    That is its code, the modules of this project that it imports (and those that they import),
    and the locked versions of what the package needs. Python's own version doesn't count: the
    course prints the same on each that it supports. A notebook that depends on more says so in its
    metadata: `depends: [perfmodel]` names packages of which every module
    counts. Beside an exercise's solution at `path` lies its question bank, which counts as well. A
    notebook that imports `perfcourse.book.about` depends on what all pages say about themselves.

    A cache such as jupyter-cache keeps outputs by their code alone; what is imported counts here.
    """
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    packages = notebook.metadata.get("depends", [])
    digest = hashlib.sha256(json.dumps(code).encode())
    seen: set[str] = set()
    for source in code:
        _imports(plain(source), seen)
    for package in packages:
        for module in sorted(_folder(package).rglob("*.py")):
            digest.update(module.read_bytes())
    for name in sorted(seen):
        digest.update(_content(name))
    if path is not None and path.with_suffix(".py").is_file():
        digest.update(path.with_suffix(".py").read_bytes())
    if "perfcourse.book.about" in seen:
        digest.update(_told(root(Path(__file__))).encode())
    digest.update("\n".join(pins.of(root(Path(__file__)))).encode())
    return digest.hexdigest()


def _told(project: Path) -> str:
    """Return what pages say about themselves, and the course plans, which are made of them."""
    plans = sorted((project / "book" / "instructors").glob("*.md"))
    return "\n".join([repr(about.contents(project)), *(plan.read_text("utf-8") for plan in plans)])


def plain(source: str) -> str:
    """Return cell source without IPython's own lines, so that `ast` can read it."""
    return "\n".join("" if line.lstrip()[:1] in "%!?" else line for line in source.split("\n"))


def imported_by(module: str) -> set[str]:
    """Return the modules of this project that a module imports, directly or not, and itself."""
    seen: set[str] = set()
    _follow(module, seen)
    return seen


def file_of(module: str) -> Path:
    """Return the file of a module of this project, or raise ModuleNotFoundError."""
    if (path := _origin(module)) is None:
        raise ModuleNotFoundError(f"no module named {module!r}")
    return path


def _imports(source: str, seen: set[str]) -> None:
    """Add to `seen` the modules of this project that `source` imports, directly or not.

    grimp would follow imports too, but it reads no stubs, through which topics give their names.
    """
    for name in named(source):
        _follow(name, seen)


IMPORT = re.compile(
    r"^[ \t]*((?:from[ \t]+[\w.]+[ \t]+import[ \t]+(?:\([^)]*\)|[^\n]+))|import[ \t]+[^\n]+)",
    re.MULTILINE,
)
"""A statement that imports, alone on its lines; also one in a docstring, which does no harm."""


@cache
def named(source: str) -> tuple[str, ...]:
    """Return the names in `source` that are imported modules, or may be; read once a process.

    >>> named("import numpy as np; x = 1")
    ('numpy',)
    >>> named("    from perfmodel import units, live")
    ('perfmodel', 'perfmodel.units', 'perfmodel.live')
    """
    names: list[str] = []
    for statement in IMPORT.findall(source):
        try:
            node = ast.parse(statement).body[0]
        except SyntaxError:  # a sentence of a docstring
            continue
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [node.module, *(_home(node.module, alias.name) for alias in node.names)]
    return tuple(names)


def _home(package: str, name: str) -> str:
    """Return the module that `from package import name` gets its name from.

    A package that imports its names only when they are asked for lists them in a stub.
    """
    origin = _origin(package)
    if origin is not None and (stub := origin.with_suffix(".pyi")).is_file():
        for node in ast.parse(stub.read_text("utf-8")).body:
            if isinstance(node, ast.ImportFrom) and name in {alias.name for alias in node.names}:
                return f"{package}.{node.module}"
    return f"{package}.{name}"


@cache
def _origin(name: str) -> Path | None:
    """Return the file of a module of this project, if there is one; nothing is imported for it."""
    package, *parts = name.split(".")
    if package not in OURS:
        return None
    path = _folder(package).joinpath(*parts)
    files = (path / "__init__.py", path.with_name(f"{path.name}.py"))
    return next((file for file in files if file.is_file()), None)


@cache
def _folder(package: str) -> Path:
    return Path(str(importlib.util.find_spec(package).origin)).parent  # type: ignore[union-attr]


def _follow(name: str, seen: set[str]) -> None:
    if name not in seen and _is_ours(name):
        seen.add(name)
        for needed in _needs(name):
            _follow(needed, seen)


@cache
def _is_ours(name: str) -> bool:
    return _origin(name) is not None


@cache
def _needs(name: str) -> tuple[str, ...]:
    """Return the modules of this project that a module imports itself, and its package."""
    names = {*named(file_of(name).read_text("utf-8")), name.rpartition(".")[0]}
    return tuple(sorted(needed for needed in names if _is_ours(needed)))


@cache
def _content(name: str) -> bytes:
    """Return a digest of a module's file and of the data beside it."""
    file = file_of(name)
    data = sorted(path for path in file.parent.iterdir() if path.suffix in DATA)
    digests = (hashlib.sha256(path.read_bytes()).digest() for path in (file, *data))
    return b"".join(digests)
