"""The table of contents: which pages the book has, in which order, and where each is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml


def root(start: Path | None = None) -> Path:
    """Return the project's folder: the nearest one upwards from `start` with a `_toc.yml`."""
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        if (folder / "_toc.yml").is_file():
            return folder
    raise FileNotFoundError(f"no _toc.yml in {start} or above: run this inside the course's folder")


def pages(project: Path) -> list[str]:
    """Return the pages that `_toc.yml` names, without their endings, in reading order."""
    return list(_files(yaml.safe_load((project / "_toc.yml").read_text("utf-8"))))


def path(project: Path, page: str) -> Path | None:
    """Return the file that a page is written in, or None for one that the build makes.

    Where a chapter's Markdown stands, a notebook beside it was only made of it for JupyterLab.
    """
    files = (project / f"{page}{ending}" for ending in (".md", ".ipynb"))
    return next((file for file in files if file.is_file()), None)


def _files(entry: Any) -> Iterator[str]:
    if isinstance(entry, dict):
        for key in ("root", "file"):
            if key in entry:
                yield entry[key]
        for key in ("parts", "chapters", "sections"):
            yield from _files(entry.get(key, []))
    elif isinstance(entry, list):
        for item in entry:
            yield from _files(item)
