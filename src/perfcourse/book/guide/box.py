"""The box under a page's title, and the way on along the core path at the page's end."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from docutils import nodes
from sphinx import addnodes

from perfcourse.book.about import About


def insert(doctree: nodes.document, page: str, about: About) -> None:
    """Put the box under the title of a page that Sphinx has read."""
    for title in list(doctree.findall(nodes.title))[:1]:
        section = title.parent
        section.insert(section.index(title) + 1, _box(page, about))


def _box(page: str, about: About) -> nodes.container:
    items = [nodes.list_item("", nodes.paragraph("", _curly(text))) for text in about.objectives]
    facts = nodes.paragraph(classes=["about-facts"])
    path = "Core path" if about.core else "Optional"
    level = " for level 1" if page.startswith("exercises/") else ""
    facts += nodes.Text(f"{path} · {about.minutes} minutes{level} · {about.difficulty}")
    for i, need in enumerate(about.needs):
        facts += nodes.Text(", " if i else " · needs ")
        facts += _link(page, need)
    return nodes.container(
        "",
        nodes.paragraph("", "You will be able to", classes=["about-lead"]),
        nodes.bullet_list("", *items),
        facts,
        classes=["about", "about-core"] if about.core else ["about"],
    )


def _curly(text: str) -> str:
    return text.replace("'", "’")


def _link(page: str, to: str) -> addnodes.pending_xref:
    """Return a link that gets the title of the page it leads to."""
    return addnodes.pending_xref(
        "",
        nodes.inline("", to, classes=["std", "std-doc"]),
        refdomain="std",
        reftype="doc",
        reftarget=f"/{to}",
        refdoc=page,
        refexplicit=False,
        refwarn=True,
    )


def following(page: str, contents: Mapping[str, About]) -> str | None:
    """Return the next page of the core path behind a page, None behind the last.

    >>> first, second = (About(("count", "bound"), (), 30, "easy", core) for core in (False, True))
    >>> following("a", {"a": first, "b": first, "c": second})
    'c'
    """
    behind = list(contents)[list(contents).index(page) + 1 :]
    return next((other for other in behind if contents[other].core), None)


def way_on(address: str, title: str) -> str:
    """Return the line at the end of a page that leads to the next one of the core path.

    >>> way_on("scaling.html", "Scaling")
    '<p class="way-on">Next on the core path: <a href="scaling.html">Scaling</a></p>'
    """
    link = f'<a href="{escape(address)}">{escape(title, quote=False)}</a>'
    return f'<p class="way-on">Next on the core path: {link}</p>'
