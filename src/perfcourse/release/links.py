"""Links of an exercise that leaves the project's folder: to the published book, or plain words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

_LINK = re.compile(r"\[([^\]]*)\]\((?:\.\./)+([\w/-]+)\.(?:md|ipynb)(#[^)\s]*)?\)")


def book_address(root: Path) -> str:
    """Return where the book is published, as `_config.yml` says in `html: baseurl`, or nothing."""
    path = root / "_config.yml"
    config = yaml.safe_load(path.read_text("utf-8")) if path.is_file() else {}
    return str(config.get("html", {}).get("baseurl") or "").rstrip("/")


def leaving(notebook: dict[str, Any], address: str) -> dict[str, Any]:
    """Return `notebook` with its links into the project's folder made good; it is changed in place.

    Parameters
    ----------
    notebook : notebook
        An edition for students.
    address : str
        Of the published book. Where it is empty, only a link's words stay.
    """
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = _mended(cell["source"], address)
    return notebook


def _mended(text: str, address: str) -> str:
    """Return text with its links led to the book.

    >>> _mended("See [Scaling](../book/scaling.md#laws).", "https://example.org")
    'See [Scaling](https://example.org/book/scaling.html#laws).'
    >>> _mended("See [Scaling](../book/scaling.md#laws).", "")
    'See Scaling.'
    """

    def led(link: re.Match[str]) -> str:
        words = link[1] or link[2].rpartition("/")[2]
        return f"[{words}]({address}/{link[2]}.html{link[3] or ''})" if address else words

    return _LINK.sub(led, text)
