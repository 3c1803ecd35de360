"""Start a lab: its modules, a test, its notebook and its place in the book, all of which work."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template

import nbformat
from myst_nb.core.read import read_myst_markdown_notebook

from perfcourse.book import jupyter

TEMPLATES = Path(__file__).parent / "templates"


def new_lab(project: Path, topic: str, page: str, title: str) -> list[Path]:
    """Write a running example lab named `page` to `topic` and return the files made or changed.

    Raises
    ------
    ValueError
        If the names break the project's rules, the topic has no chapter, or the lab exists.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", page):
        raise ValueError(f"page must be lower-case words with hyphens, got {page!r}")
    if not (project / "book" / f"{topic}.md").is_file():
        raise ValueError(f"topic must be a chapter of the book, got {topic!r}")
    module = page.replace("-", "_")
    lab = project / "src" / "perfmodel" / "labs" / topic / module
    tests = project / "tests" / "labs" / topic / module
    places = {
        "lab.txt": lab / "__init__.py",
        "link.txt": lab / "link.py",
        "inputs.txt": lab / "inputs.py",
        "claims.txt": lab / "claims.py",
        "tasks.txt": lab / "tasks.py",
        "test.txt": tests / "test_link.py",
        "notebook.txt": project / "notebooks" / topic / f"{page}.ipynb",
    }
    for place in places.values():
        if place.exists():
            raise ValueError(f"page must be new, got {page!r}: {place} exists")
    names = {"topic": topic, "page": page, "module": module, "title": title}
    for template, place in places.items():
        text = Template((TEMPLATES / template).read_text("utf-8")).substitute(names)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(_as_notebook(text) if template == "notebook.txt" else text, "utf-8")
    packages = {lab.parent / "__init__.py": f'"""Labs of the topic {topic}."""\n'}
    packages |= {folder / "__init__.py": "" for folder in (tests, tests.parent)}
    for package, text in packages.items():
        if not package.exists():
            package.write_text(text, "utf-8")
    toc = project / "_toc.yml"
    toc.write_text(_entered(toc.read_text("utf-8"), topic, page), "utf-8")
    return [*places.values(), toc]


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
