"""The pages of the book that list what each topic offers, made from the topics' faces.

A topic's `__all__` says what is public; Sphinx's autodoc writes each name's signature, units,
errors and example from its docstring. What the course itself adds is which pages use a name.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import types
from collections import defaultdict
from pathlib import Path
from typing import Any

from sphinx.pycode import ModuleAnalyzer

from perfcourse.book import sources

FOLDER = "book/api"


def pages(project: Path) -> dict[str, str]:
    """Return the text of the pages below `FOLDER` that `_toc.yml` names and nobody wrote."""
    listed = [page for page in sources.pages(project) if page.startswith(f"{FOLDER}/")]
    wanted = [page for page in listed if not (project / f"{page}.md").is_file()]
    used = _uses(project) if wanted else {}
    return {page: _page(page.rpartition("/")[2], used) for page in wanted}


def source(page: str) -> str:
    """Return the path below the project's folder of the file that such a page is made from.

    >>> source("book/api/scaling")
    'src/perfmodel/scaling/__init__.pyi'
    """
    return f"src/perfmodel/{page.rpartition('/')[2]}/__init__.pyi"


def _page(topic: str, used: dict[str, list[str]]) -> str:
    face = importlib.import_module(f"perfmodel.{topic}")
    summary = (inspect.getdoc(face) or "").partition("\n")[0]
    lines = [f"# perfmodel.{topic}", "", summary, ""]
    lines += [f"What stands here can be imported from `perfmodel.{topic}`.", ""]
    for module, names in _by_module(face).items():
        doc = inspect.getdoc(importlib.import_module(module)) or ""
        lines += [
            f"## {module.removeprefix(f'perfmodel.{topic}.')}",
            "",
            doc.partition("\n")[0],
            "",
        ]
        constants = [name for name in names if not callable(getattr(face, name))]
        notes = ModuleAnalyzer.for_module(module).find_attr_docs() if constants else {}
        for name in names:
            lines += _entry(face, name, notes.get(("", name), []))
            if users := used.get(f"{face.__name__}.{name}"):
                lines += [f"Used in {', '.join(f'{{doc}}`/{page}`' for page in users)}.", ""]
    return "\n".join(lines) + "\n"


def _by_module(face: types.ModuleType) -> dict[str, list[str]]:
    """Return the names of a face by the module that each comes from, as its stub says."""
    groups: dict[str, list[str]] = defaultdict(list)
    stub = Path(str(face.__file__)).with_suffix(".pyi")
    for node in ast.parse(stub.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            module = f"{face.__name__}.{node.module}"
            groups[module] += [alias.name for alias in node.names if alias.name in face.__all__]
    return {module: sorted(groups[module], key=str.lower) for module in sorted(groups)}


def _entry(face: types.ModuleType, name: str, note: list[str]) -> list[str]:
    """Return one name's entry; `note` is what stands below a constant in its module."""
    thing: Any = getattr(face, name)
    full_name = f"{face.__name__}.{name}"
    if inspect.isclass(thing):
        lines = [f".. autoclass:: {full_name}", "   :members:"]
    elif callable(thing):
        lines = [f".. autofunction:: {full_name}"]
    else:
        lines = [f".. py:data:: {full_name}", "", *(f"   {line}" for line in note)]
    return ["```{eval-rst}", *lines, "```", ""]


def _uses(project: Path) -> dict[str, list[str]]:
    """Return the pages whose code imports a public name, by the name's place on its face."""
    users: dict[str, list[str]] = defaultdict(list)
    for page in sources.pages(project):
        path = sources.path(project, page)
        if path is None or page.startswith("exercises/"):
            continue
        if (notebook := sources.read(path)) is None:
            continue
        code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        for name in sorted({name for source in code for name in _imported(source)}):
            users[name].append(page)
    return users


def _imported(source: str) -> set[str]:
    """Return what code takes from a topic, each as `perfmodel.TOPIC.name`.

    A name counts whether it is imported itself or read from its module.
    """
    tree = ast.parse(sources.plain(source))
    topics: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("perfmodel."):
            topic = ".".join(str(node.module).split(".")[:2])
            topics |= {alias.asname or alias.name: topic for alias in node.names}
    names = {f"{topic}.{name}" for name, topic in topics.items()}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names.add(f"{topics.get(node.value.id, '')}.{node.attr}")
    return names
