"""Start a lab: its modules, a test, its notebook and its place in the book, all of which work."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from pathlib import Path
from string import Template

import nbformat
from myst_nb.core.read import read_myst_markdown_notebook

import perfmodel
from perfcourse.book import jupyter

TEMPLATES = Path(__file__).parent / "templates"
LONGEST = 22
"""Letters of a page's name: with more, an import of the lab's modules fits no line of code."""


def new_lab(project: Path, topic: str, page: str, title: str) -> list[Path]:
    """Write a running example lab named `page` to `topic` and return the files made or changed.

    `page` has lower-case words with hyphens, at most `LONGEST` letters: the name of the notebook
    and, with underscores, of the folders. It must be new in all topics.
    """
    _check(topic, page, title)
    module = page.replace("-", "_")
    places = _places(project, topic, page)
    namesakes = (project / "src" / "perfmodel" / "labs").glob(f"*/{module}")
    for path in [*places.values(), *namesakes]:
        if path.exists():
            raise ValueError(f"page must be new, got {page!r}: {path} exists")
    names = {"topic": topic, "page": page, "module": module, "title": title}
    for template, path in places.items():
        text = Template((TEMPLATES / template).read_text("utf-8")).substitute(names)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_as_notebook(text) if template == "notebook.txt" else text, "utf-8")
    packages = _packages(places, topic)
    for package, text in packages.items():
        package.write_text(text, "utf-8")
    toc = project / "_toc.yml"
    toc.write_text(_entered(toc.read_text("utf-8"), topic, page), "utf-8")
    return [*places.values(), *packages, toc]


def _check(topic: str, page: str, title: str) -> None:
    if topic not in perfmodel.TOPICS:
        known = ", ".join(perfmodel.TOPICS)
        raise ValueError(f"topic must be one of {known}, got {topic!r}")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", page):
        raise ValueError(f"page must be lower-case words with hyphens, got {page!r}")
    if len(page) > LONGEST:
        raise ValueError(f"page must have at most {LONGEST} letters, got {len(page)}: {page!r}")
    if keyword.iskeyword(page):
        raise ValueError(f"page must be no word of Python's own, got {page!r}")
    if not title.strip() or "\n" in title:
        raise ValueError(f"title must be one line of text, got {title!r}")


def _places(project: Path, topic: str, page: str) -> dict[str, Path]:
    """Return where the text of each template goes."""
    module = page.replace("-", "_")
    lab = project / "src" / "perfmodel" / "labs" / topic / module
    return {
        "lab.txt": lab / "__init__.py",
        "link.txt": lab / "link.py",
        "inputs.txt": lab / "inputs.py",
        "claims.txt": lab / "claims.py",
        "tasks.txt": lab / "tasks.py",
        "test.txt": project / "tests" / "labs" / topic / f"test_{module}.py",
        "notebook.txt": project / "notebooks" / topic / f"{page}.ipynb",
    }


def _packages(places: Mapping[str, Path], topic: str) -> dict[Path, str]:
    """Return what makes packages of the folders around a lab and its test, where they are new."""
    labs, tests = places["lab.txt"].parents[1], places["test.txt"].parent
    texts = {labs / "__init__.py": f'"""Labs of the topic {topic}."""\n', tests / "__init__.py": ""}
    return {package: text for package, text in texts.items() if not package.exists()}


def _as_notebook(text: str) -> str:
    notebook = read_myst_markdown_notebook(text, add_source_map=False)
    for i, cell in enumerate(notebook.cells, 1):
        cell["id"] = f"c{i:02}"
    kept = ("course", "kernelspec")
    notebook.metadata = nbformat.from_dict({name: notebook.metadata[name] for name in kept})
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    jupyter.tidy(notebook, {})
    return str(nbformat.writes(notebook)) + "\n"


def _entered(toc: str, topic: str, page: str) -> str:
    """Return the table of contents with the lab behind the other labs of its chapter."""
    lines = toc.split("\n")
    labs = [i for i, line in enumerate(lines) if f"file: notebooks/{topic}/" in line]
    if labs:
        indent = lines[labs[-1]].partition("-")[0]
        lines.insert(labs[-1] + 1, f"{indent}- file: notebooks/{topic}/{page}")
        return "\n".join(lines)
    chapter = next(i for i, line in enumerate(lines) if line.endswith(f"file: book/{topic}"))
    indent = lines[chapter].partition("-")[0] + "  "
    lines[chapter + 1 : chapter + 1] = [
        f"{indent}sections:",
        f"{indent}  - file: notebooks/{topic}/{page}",
    ]
    return "\n".join(lines)
