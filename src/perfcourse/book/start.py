"""The notebook that JupyterLab opens on: the map of the course, where to begin, how far you are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from IPython.display import Markdown
from nbformat.sign import NotebookNotary

from perfcourse.book import about, jupyter, sources
from perfmodel import tasks

PLACE = Path("notebooks/start.ipynb")
"""Where it is written when JupyterLab starts; it is made each time, and not kept by git."""
_WELCOME = """\
# Performance models, by doing

This is the map of the course. The links open chapters, labs and exercises beside it. In a lab, run
one cell at a time (<kbd>Shift</kbd>+<kbd>Enter</kbd>), answer each prompt before you read on, and
fill in the lines marked `...` until the check below them is content. What you measure, answer and
finish stays on this machine."""
_CODE = "from perfcourse.book.start import overview\n\noverview()"
_PREDICTIONS = "from perfmodel import live\n\nlive.predictions()"


def trust(project: Path) -> None:
    """Sign the course's labs as they stand, so that JupyterLab shows their stored figures.

    Of a notebook that nobody signed on this machine it shows no SVG until its cells are run.
    """
    notary = NotebookNotary()
    for page in sources.pages(project):
        if page.startswith("notebooks/"):
            notary.sign(nbformat.read(project / f"{page}.ipynb", as_version=4))


def prepare(project: Path) -> None:
    """Make what is not kept by git and JupyterLab opens: the map, and the chapters as notebooks."""
    jupyter.chapters(project)
    trust(project)
    nbformat.write(notebook(project), project / PLACE)


@dataclass(frozen=True)
class Page:
    """A chapter, a lab or an exercise as the map lists it."""

    name: str
    """Its place below the project's folder, without ending."""
    path: Path
    title: str
    course: about.About | None
    """What it says about itself, if anything."""

    @property
    def link(self) -> str:
        """A link to it from the folder of labs."""
        target = f"../{self.name}.ipynb".replace("../notebooks/", "")
        return f"[{self.title}]({target})"


def overview(project: Path | None = None) -> Markdown:
    """Return the map of the course: where to go next, each topic's pages, your progress."""
    project = project or sources.root()
    pages = list(_pages(project))
    done = {lab.page: (lab.done, lab.total) for lab in tasks.progress()}
    parts = [_next(pages, done)]
    for chapter in pages:
        if chapter.name.startswith("book/") and chapter.course:
            below = [page for page in pages if chapter.path.stem in page.name.split("/")[1:]]
            parts.append(_topic(chapter, [page for page in below if page != chapter], done))
    return Markdown("\n\n".join(parts))  # type: ignore[no-untyped-call]


def notebook(project: Path) -> Any:
    """Return the notebook with the map already in it, so that nothing has to be run first."""
    new = nbformat.v4
    shown = new.new_output("display_data", {"text/markdown": overview(project).data})
    cells = [
        new.new_markdown_cell(_WELCOME, id="welcome"),
        new.new_code_cell(_CODE, id="map", outputs=[shown]),
        new.new_markdown_cell("## Your predictions\n\nRun the cell below to list them.", id="own"),
        new.new_code_cell(_PREDICTIONS, id="predictions"),
    ]
    for cell in cells[1::2]:
        cell.metadata["jupyter"] = {"source_hidden": True}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return new.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def _pages(project: Path) -> Iterator[Page]:
    """Yield the notebooks among the book's pages; a chapter is one, written in Markdown."""
    described = about.contents(project)
    for name in sources.pages(project):
        path = sources.path(project, name)
        if path is not None and (read := sources.read(path)) is not None:
            title = re.search(r"^# (.+)$", "\n".join(c.source for c in read.cells), re.M)
            yield Page(name, path, title[1] if title else path.stem, described.get(name))


def _next(pages: list[Page], done: dict[str, tuple[int, int]]) -> str:
    """Return where to begin, or which lab of the core path has tasks that are left."""
    if not any(count for count, _ in done.values()):
        first = {page.name: page.link for page in pages}
        return (
            f"**Begin here:** read {first['book/measurement']}, then do the lab "
            f"{first['notebooks/measurement/stream-on-your-machine']}."
        )
    finished, total = (sum(part) for part in zip(*done.values(), strict=True))
    said = f"**Your progress:** {finished} of {total} tasks done."
    for page in pages:
        count, of = done.get(page.name, (0, 0))
        if page.course and page.course.core and count < of:
            return f"{said} **Next on the core path:** {page.link}."
    return f"{said} You have finished the core path."


def _topic(chapter: Page, pages: list[Page], done: dict[str, tuple[int, int]]) -> str:
    head = (
        "| page | minutes | difficulty | core path | your tasks |\n| --- | --- | --- | --- | --- |"
    )
    rows = [_row(page, done) for page in [chapter, *pages]]
    return "\n".join([f"## {chapter.title.partition(':')[0]}", "", head, *rows])


def _row(page: Page, done: dict[str, tuple[int, int]]) -> str:
    kind = "Chapter: " if page.name.startswith("book/") else ""
    count, of = done.get(page.name, (0, 0))
    said = page.course
    cells = (
        kind + page.link,
        *((said.minutes, said.difficulty, "core" if said.core else "") if said else ("", "", "")),
        f"{count} of {of}" + (" ✓" if count == of else "") if of else "",
    )
    return f"| {' | '.join(map(str, cells))} |"
