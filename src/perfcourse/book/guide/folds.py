"""Sections of a lab that a reader opens: what isn't on its main line.

The cell of text that begins such a section has the tag `fold`. JupyterLab shows it as a collapsed
heading, the book as one line that opens.
"""

from __future__ import annotations

import copy
import re
from html import escape
from typing import Any

import nbformat
from markdown_it import MarkdownIt
from sphinx.application import Sphinx

from perfcourse.book.guide import comparing

TAG = "fold"
"""The tag of a cell that begins with the heading of a folded section."""
COLLAPSED = "jp-MarkdownHeadingCollapsed"
"""What JupyterLab notes at a cell whose section it doesn't show."""

_HEADING = re.compile(r"(#{2,3}) +(.+)\n*")
_PLAIN = re.compile(r"[^`*_$\[\]<>]+")
_MARKDOWN = MarkdownIt("commonmark")


def is_folded(cell: Any) -> bool:
    """Return whether a folded section begins with `cell`."""
    return TAG in cell.metadata.get("tags", [])


def closed(notebook: Any) -> Any:
    """Return a copy of `notebook` in which each folded section stands in an HTML `details`.

    The section ends before the next heading, which begins a cell, or with the page. A `ValueError`
    says which folded cell doesn't begin with a plain heading of level 2 or 3 and have no other, or
    which later cell has its first heading further down, or one below the folded section's level.
    """
    notebook, depth = copy.deepcopy(notebook), 0
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            continue
        headings = [token for token in _MARKDOWN.parse(cell.source) if token.type == "heading_open"]
        own = [token for token in headings if not token.level]
        if own and depth:
            if own[0].map != [0, 1] or int(own[0].tag[1]) > depth:
                raise ValueError(f"a folded section doesn't end where {cell.source[:60]!r} begins")
            cell.source, depth = f"</details>\n\n{cell.source}", 0
        if is_folded(cell):
            source = cell.source.removeprefix("</details>\n\n")
            found = _HEADING.match(source)
            if not found or not _PLAIN.fullmatch(found[2]) or len(own) != 1:
                raise ValueError(f"a folded section needs one plain heading: {source[:60]!r}")
            ended = cell.source.removesuffix(source)
            cell.source = f"{ended}{_opening(found[2])}{source[found.end() :]}"
            depth = len(found[1])
    if depth:
        last = notebook.cells[-1]
        if last.cell_type != "markdown":
            raise ValueError("a folded section ends with the page, which ends with code")
        last.source += "\n\n</details>"
    return notebook


def close(app: Sphinx, page: str, source: list[str]) -> None:
    """Fold the sections of a notebook as Sphinx reads it; its file stays as JupyterLab needs it."""
    if app.env.doc2path(page).endswith(".ipynb"):
        source[0] = nbformat.writes(closed(nbformat.reads(source[0], as_version=4)))


def _opening(title: str) -> str:
    opening = f'<details class="derivation"><summary>{escape(title)}</summary>\n\n'
    if comparing.TITLES.search(title):
        opening += f"{{ref}}`{comparing.QUESTION} <{comparing.TARGET}>`\n\n"
    return opening
