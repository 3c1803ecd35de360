"""Pages of the book that nobody writes: `api` from the topics' faces, `tools` from a table.

Both return the pages that `_toc.yml` names and that have no file, so that one written by hand is
left alone.
"""

from __future__ import annotations

from pathlib import Path

from perfcourse.book.made import api, tools


def pages(project: Path) -> dict[str, str]:
    """Return the text of all pages that are made, by page."""
    return api.pages(project) | tools.pages(project)


def source(page: str) -> str:
    """Return the path below the project's folder of the file that such a page is made from.

    >>> source("book/tools/serving")
    'src/perfmodel/tool_outputs/outputs.csv'
    """
    return tools.SOURCE if page.startswith(f"{tools.FOLDER}/") else api.source(page)
