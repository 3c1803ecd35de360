"""Where a chapter can be read: at the book's address if one is configured, else its path."""

from __future__ import annotations

from pathlib import Path

import perfmodel
from perfmodel import publication

_NO_TOOL = ("CSV", "JSON", "Python")
PROJECT = Path(perfmodel.__file__).parents[2]
"""The checkout that holds the pages, where the package is installed from one."""


def tool_page(format: str) -> tuple[str, ...]:
    """Return a sentence with the page on the tool of a format, none if no page is on it.

    >>> tool_page("ab")
    ('What ab prints, and what it means: book/tools/load-testing.md',)
    >>> tool_page("CSV table")
    ()
    """
    from perfmodel.tool_outputs import behaviours

    tool = format.split()[0]
    rows = () if tool in _NO_TOOL else behaviours(tool=tool)
    if not rows:
        return ()
    page = address(f"book/tools/{rows[0].page}.md")
    return (f"What {tool} prints, and what it means: {page}",)


def address(page: str, project: Path = PROJECT) -> str:
    """Return where a page is read.

    `page`: its path in the project, such as `book/queueing.md`. `project`: the folder whose
    `_config.yml` holds the book's address.

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
