"""The list of pages at the side: the core path marked, the other labs of a chapter folded."""

from __future__ import annotations

import posixpath
from collections.abc import Container
from typing import Any

FOLD = "More labs"
CORE = "core path"


def mark(soup: Any, page: str, core: Container[str]) -> Any:
    """Mark the pages of the core path in the theme's list, fold the other labs, and return it.

    Parameters
    ----------
    soup : bs4.BeautifulSoup
        The list as the theme makes it; it is changed.
    page : str
        The page that it stands on, to which its links are relative.
    core : container of str
        The pages to mark.
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
