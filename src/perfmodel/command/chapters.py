"""Where a chapter can be read: at the book's address if one is configured, else its path."""

from __future__ import annotations


def address(page: str) -> str:
    """Return where a page is read.

    >>> address("book/queueing.md")
    'book/queueing.md'
    """
    return page
