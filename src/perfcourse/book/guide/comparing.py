"""Where a page compares the reader's number with the book's: a link that says why they differ."""

from __future__ import annotations

import re

from docutils import nodes
from sphinx import addnodes

TARGET = "why-different"
"""The label of the answer, in book/how-to-use.md."""
QUESTION = "Why is my number different?"
"""What the link says."""
TITLES = re.compile(r"\byour( own)? machine\b|\bthen measure\b|^measure it\b", re.IGNORECASE)
"""Titles of sections in which the reader measures."""


def link(doctree: nodes.document, page: str) -> None:
    """End each section that measures with the link, before the sections that it holds."""
    for section in doctree.findall(nodes.section):
        title = section.next_node(nodes.title)
        if section.parent is doctree or title is None or not TITLES.search(title.astext()):
            continue
        inner = section.next_node(nodes.section)
        paragraph = nodes.paragraph("", "", _link(page), classes=["why-different"])
        section.insert(len(section) if inner is None else section.index(inner), paragraph)


def _link(page: str) -> addnodes.pending_xref:
    return addnodes.pending_xref(
        "",
        nodes.inline("", QUESTION, classes=["std", "std-ref"]),
        refdomain="std",
        reftype="ref",
        reftarget=TARGET,
        refdoc=page,
        refexplicit=True,
        refwarn=True,
    )
