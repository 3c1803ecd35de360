"""A digest of all that the built book is made of."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

from perfcourse.book import sources

MADE_OF = (*sources.SOURCES, "solutions", "src", "pyproject.toml", "requirements.txt")
"""Files and folders below the project's folder; the package is in it, which writes the pages."""
MADE = {"__pycache__", ".ipynb_checkpoints"}


def digest(project: Path) -> str:
    """Return a digest of the contents and names of these files, and of Python's version."""
    whole = hashlib.sha256(sys.version.encode())
    for name in MADE_OF:
        for path in _files(project / name):
            content = path.read_bytes()
            whole.update(f"{path.relative_to(project)} {len(content)}\n".encode())
            whole.update(content)
    return whole.hexdigest()


def _files(start: Path) -> Iterator[Path]:
    if start.is_file():
        yield start
    elif start.is_dir():
        for path in sorted(start.iterdir()):
            if path.name not in MADE and not _written_for_jupyterlab(path):
                yield from _files(path)


def _written_for_jupyterlab(path: Path) -> bool:
    """Return whether `make lab` makes this notebook: the map, or a chapter beside its Markdown."""
    return path.suffix == ".ipynb" and (
        path.name == "start.ipynb" or path.with_suffix(".md").is_file()
    )
