"""Sphinx extension: what guides a reader through the book.

Each page gets a box that says what it is for, a link from each term of art to the glossary and from
each mention of an equation to it; where the reader measures, one to why their numbers differ. The
core path is marked at the side and followed at the end.
"""

from __future__ import annotations

import textwrap
from functools import lru_cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from perfcourse.book import about
from perfcourse.book.guide import box, comparing, equations, folds, sidebar
from perfcourse.book.guide.terms import Linker

GLOSSARY = "book/glossary"
UNLINKED = (GLOSSARY, "book/references", "book/ledger", "book/api/", "book/machines", "book/tools/")
"""Pages, and folders, whose text isn't searched for terms: lists, and what is generated."""

VERSION = 6
"""Raised by one when what `_guide` makes of a page changes, so that all pages are read again."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the hooks below; called by Sphinx."""
    app.connect("source-read", folds.close)
    app.connect("doctree-read", _guide)
    app.connect("doctree-resolved", _explain)
    app.connect("html-page-context", _list, priority=100)
    app.connect("html-page-context", _lead, priority=890)
    return {
        "version": "1",
        "env_version": VERSION,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }


@lru_cache
def _contents(source: Path) -> dict[str, about.About]:
    """Return what the pages in a folder of sources say of themselves, read once a build."""
    return about.contents(source)


@lru_cache
def _linker(source: Path) -> Linker:
    return Linker((source / f"{GLOSSARY}.md").read_text("utf-8"))


def _guide(app: Sphinx, doctree: nodes.document) -> None:
    """Complete a page that was read: links to terms and equations, and the box."""
    page, source = app.env.docname, Path(app.srcdir)
    equations.link(doctree)
    comparing.link(doctree, page)
    if not page.startswith(UNLINKED):
        app.env.note_dependency(f"{source / GLOSSARY}.md")
        _linker(source).link(doctree, page)
    if page in _contents(source):
        box.insert(doctree, page, _contents(source)[page])
        _describe(app, doctree, _contents(source)[page].sentence)


def _describe(app: Sphinx, doctree: nodes.document, sentence: str) -> None:
    """Have search engines and other sites say of a page what it is for."""
    text = textwrap.shorten(sentence, 155, placeholder=" …")
    doctree.insert(0, nodes.meta("", name="description", content=text))
    app.env.metadata[app.env.docname]["og:description"] = text


def _explain(app: Sphinx, doctree: nodes.document, page: str) -> None:
    listed = app.env.get_domain("std").objects.items()  # type: ignore[attr-defined]
    anchors = {anchor: name for (kind, name), (_, anchor) in listed if kind == "term"}
    _linker(Path(app.srcdir)).explain(doctree, anchors)


def _list(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Give the theme, which comes next, the list of pages as fast as it can be had."""
    context["toctree"] = lambda **how: sidebar.toctree(app, pagename, **how)


def _lead(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Mark the core path at the side, and lead along it at the end of its pages."""
    contents = _contents(Path(app.srcdir))
    core = {page for page, said in contents.items() if said.core}
    if listed := context.get("generate_toctree_html"):
        context["generate_toctree_html"] = lambda **how: sidebar.mark(listed(**how), pagename, core)
    if pagename in contents and (on := box.following(pagename, contents)):
        address, title = context["pathto"](on), app.env.titles[on].astext()
        context["body"] += box.way_on(address, title)
