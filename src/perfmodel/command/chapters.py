"""Where a chapter can be read: at the book's address if one is configured, else its path."""

from __future__ import annotations

from pathlib import Path

import perfmodel
from perfmodel import publication

PROJECT = Path(perfmodel.__file__).parents[2]
"""The checkout that holds the pages, where the package is installed from one."""


def address(page: str, project: Path = PROJECT) -> str:
    """Return where a page is read.

    Parameters
    ----------
    page : str
        Its path in the project, such as `book/queueing.md`.
    project : path
        The folder whose `_config.yml` holds the book's address.

    Examples
    --------
    >>> address("book/queueing.md", Path("nowhere"))
    'book/queueing.md'
    """
    config = project / "_config.yml"
    try:
        import yaml

        found = publication.book(yaml.safe_load(config.read_text("utf-8")) or {})
    except (ImportError, OSError):
        return page
    return f"{found}/{page.rpartition('.')[0]}.html" if found else page
