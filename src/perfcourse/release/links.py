"""Links of a notebook that leaves the project's folder: to the published book, or plain words."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import yaml

from perfcourse.release import address as published

_LINK = re.compile(r"\[([^\]]*)\]\(((?:\.\./)*[\w/-]+)\.(md|ipynb|bib)(#[^)\s]*)?\)")


def book_address(root: Path) -> str:
    """Return where the book is published, as `_config.yml` says, or nothing."""
    path = root / "_config.yml"
    return published.book(yaml.safe_load(path.read_text("utf-8")) if path.is_file() else {})


def leaving(notebook: dict[str, Any], address: str, folder: str = "exercises") -> dict[str, Any]:
    """Return `notebook` with its links into the project's folder made good; it is changed in place.

    `address` is the published book's; where it is empty, only a link's words stay. Links start from
    the `folder` below the project's.
    """
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = _mended(cell["source"], address, folder)
    return notebook


def _mended(text: str, address: str, folder: str = "exercises") -> str:
    """Return text with its links led to the book.

    >>> _mended("See [Scaling](../book/scaling.md#laws).", "https://example.org")
    'See [Scaling](https://example.org/book/scaling.html#laws).'
    >>> _mended("See [Scaling](../book/scaling.md#laws).", "")
    'See Scaling.'
    """

    def led(link: re.Match[str]) -> str:
        page = posixpath.normpath(posixpath.join(folder, link[2]))
        words = link[1] or page.rpartition("/")[2]
        return f"[{words}]({address}/{page}.html{_anchor(page, link)})" if address else words

    return _LINK.sub(led, text)


def _anchor(page: str, link: re.Match[str]) -> str:
    """Return where on its page a link leads: works have no lasting anchors, terms Sphinx's own."""
    if link[3] == "bib" or not link[4]:
        return ""
    if page == "book/glossary":
        return f"#term-{re.sub(r'[^A-Za-z0-9._]+', '-', unquote(link[4][1:])).strip('-._')}"
    return link[4]
