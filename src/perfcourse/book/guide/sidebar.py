"""The list of pages at the side: the core path marked, the other labs of a chapter folded."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container
from functools import lru_cache
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.osutil import relative_uri

FOLD = "More labs"
CORE = "core path"
LINK = r'<a class="reference internal" href="(?P<href>[^"]*)"'
"""A link of Sphinx's list."""


def toctree(app: Sphinx, page: str, **how: Any) -> str:
    """Return the list of all pages as it stands on `page`: what Sphinx's `toctree()` gives.

    Sphinx resolves the list again for each page, which is a third of a build. It is the same on all
    but for what is relative to the page: the links, and the marks of the page and what it is below.
    `how` is passed on.
    """
    listed = _unmarked(app, tuple(sorted(how.items())))
    own = app.builder.get_target_uri(page)
    opened: list[int] = []
    """Where each list and item begins that isn't closed yet."""
    current: set[int] = set()
    for tag in re.finditer(rf"<(/?)(?:ul|li)\b|{LINK}", listed):
        if tag["href"] is not None:
            if tag["href"] == own:
                current |= {*opened, tag.start()}
        elif tag[1]:
            opened.pop()
        else:
            opened.append(tag.start())

    def moved(tag: re.Match[str]) -> str:
        here = tag.start() in current
        if tag["href"] is not None:
            mark, address = "current " * here, relative_uri(own, tag["href"]) or "#"
            return f'<a class="{mark}reference internal" href="{address}"'
        if tag["item"] is not None:
            return f'<li class="{tag["item"]}{" current" * here}"'
        return '<ul class="current"' if here else "<ul"

    return re.sub(rf'{LINK}|<li class="(?P<item>[^"]*)"|<ul\b', moved, listed)


@lru_cache
def _unmarked(app: Sphinx, how: tuple[tuple[str, Any], ...]) -> str:
    """Return the list as it stands on a page at the top that is not in it."""
    return str(app.builder._get_local_toctree("search", **dict(how)))  # type: ignore[attr-defined]


def mark(soup: Any, page: str, core: Container[str]) -> Any:
    """Mark the pages `core` in the theme's list `soup`, fold the other labs, and return it.

    It is changed in place; its links are relative to `page`.
    """
    for link in soup.select("li > a.reference"):
        if _target(link["href"], page) in core:
            link.insert(0, soup.new_tag("span", attrs={"class": "core-dot", "title": CORE}))
            link.append(_tag(soup, "span", f" ({CORE})", "visually-hidden"))
    for chapter in soup.select("li.toctree-l1 ul"):
        labs = [item for item in chapter.find_all("li", recursive=False) if _optional(item, page)]
        labs = [item for item in labs if _target(item.a["href"], page) not in core]
        if labs:
            chapter.append(_folded(soup, labs))
    return soup


def _target(href: str, page: str) -> str:
    """Return the page that a link of a page leads to."""
    if href == "#":
        return page
    joined = posixpath.join(posixpath.dirname(page), href)
    return posixpath.normpath(joined).removesuffix(".html")


def _optional(item: Any, page: str) -> bool:
    return _target(item.a["href"], page).startswith("notebooks/")


def _folded(soup: Any, labs: list[Any]) -> Any:
    """Return an item that unfolds to `labs`, open where one of them is being read."""
    item, details = _tag(soup, "li", "", "more-labs"), soup.new_tag("details")
    if any("current" in lab.get("class", []) for lab in labs):
        details["open"] = "open"
    inner = soup.new_tag("ul")
    inner.extend(lab.extract() for lab in labs)
    details.extend([_tag(soup, "summary", FOLD, "more-labs-title"), inner])
    item.append(details)
    return item


def _tag(soup: Any, name: str, text: str, kind: str) -> Any:
    tag = soup.new_tag(name, attrs={"class": kind})
    tag.string = text
    return tag
