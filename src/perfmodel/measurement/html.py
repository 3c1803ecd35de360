"""Results as HTML tables, for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape


def html_table(caption: str, rows: Mapping[str, str]) -> str:
    """Return a table with a `caption`; `rows` has the names and values.

    >>> html_table("a < b", {"x": "1 & 2"})
    '<table><caption>a &lt; b</caption><tr><th scope="row">x</th><td>1 &amp; 2</td></tr></table>'
    """
    cells = (
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>'
        for name, value in rows.items()
    )
    return f"<table><caption>{escape(caption)}</caption>{''.join(cells)}</table>"
