"""Results as small tables: aligned text for a terminal, HTML for a notebook.

>>> print(PrintedTable("Two machines", ["machine", "speed"], [["a", "5 /s"], ["bb", "12 /s"]]))
Two machines
machine  speed
a        5 /s
bb       12 /s
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from perfmodel.units import SPACE


@dataclass(frozen=True)
class PrintedTable:
    """A title, a head, rows of texts of the same length, and notes below."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = field(default=())

    def __str__(self) -> str:
        """Return the table as lines of text."""
        cells = [row for row in (self.head, *self.rows) if any(row)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in cells
        ]
        return "\n".join([self.title, *lines, *self.notes]).replace(SPACE, " ")

    def html(self) -> str:
        """Return the table as HTML that needs no script and no style sheet."""
        head = _row("th scope='col'", self.head) if any(self.head) else ""
        body = "".join(_row("td", row) for row in self.rows)
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        caption = f"<caption>{escape(self.title)}</caption>"
        return f"<table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table>{notes}"


def _row(tag: str, cells: Sequence[str]) -> str:
    ends = tag.partition(" ")[0]
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{ends}>" for cell in cells) + "</tr>"
