"""Tables that schools' systems export: CSV by comma, semicolon or tab, with a header.

They are UTF-8, or UTF-16 as Blackboard writes it, with the mark that says so.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from perfcourse.intake.file_types import kind

_DELIMITERS = (",", ";", "\t")
_BOM = "\ufeff"
_EXCEL_SAYS = re.compile(r"\Asep=.\r?\n")
"""A line by which Excel knows the delimiter."""
_SAKAI = re.compile(r'"?(?:Display ID|Group)"?[,;\t]"?ID"?[,;\t]')
"""How the header of Sakai's `grades.csv` begins."""


@dataclass(frozen=True)
class Sheet:
    """A table as it was read, so that it can be written the same way."""

    path: Path
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """Cells as they are, as many as the header has."""
    lines: tuple[int, ...]
    """The line in the file where each row ends."""
    delimiter: str = ","
    bom: bool = False
    encoding: str = "utf-8"
    names: tuple[str, ...] = ()
    """What the columns are looked up by, where that isn't the header."""
    before: tuple[tuple[str, ...], ...] = ()
    """Lines before the header, as Sakai has them: the assignment's title, and an empty one."""

    def column(self, name: str) -> list[str]:
        """Return the cells of a column, without spaces around them."""
        index = self.place(name)
        return [row[index].strip() for row in self.rows]

    def place(self, name: str) -> int:
        """Return where a column is, whatever its case; -1 where there is none."""
        columns = [plain(column) for column in self.names or self.header]
        if columns.count(plain(name)) > 1:
            raise ValueError(f"{self.path} has the column {name!r} twice")
        return columns.index(plain(name)) if plain(name) in columns else -1

    def has(self, *names: str) -> bool:
        """Whether there are all of these columns."""
        return all(self.place(name) >= 0 for name in names)


def plain(column: str) -> str:
    """Return a column's name as it is compared.

    >>> plain(" Email  address ")
    'email address'
    """
    return " ".join(column.split()).casefold()


def read_sheet(path: Path) -> Sheet:
    """Read a table; an error names the file and a line that is longer than the header."""
    data = path.read_bytes()
    what = kind(data, "")
    if what:
        raise ValueError(f"{path} is {what}, not a table: export it as CSV")
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        raise ValueError(f"{path} isn't UTF-8 text: save it as 'CSV UTF-8'") from None
    bom, text = text.startswith(_BOM), text.removeprefix(_BOM)
    if not text.strip():
        raise ValueError(f"{path} is empty; it must hold a header and a line for each student")
    if "\0" in text:
        raise ValueError(f"{path} isn't UTF-8 text: save it as 'CSV UTF-8'")
    text = _EXCEL_SAYS.sub("", text)
    lines = text.lstrip().splitlines()
    delimiter = max(_DELIMITERS, key=next(filter(_SAKAI.match, lines[:3]), lines[0]).count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        numbered = [(row, reader.line_num) for row in reader if any(map(str.strip, row))]
    except csv.Error as error:
        raise ValueError(f"{path} line {reader.line_num} can't be read: {error}") from None
    return _sheet(path, numbered, delimiter, bom, encoding)


def _sheet(
    path: Path, numbered: list[tuple[list[str], int]], delimiter: str, bom: bool, encoding: str
) -> Sheet:
    before = tuple(tuple(row) for row, _ in numbered[:1] if len(numbered) > 1)
    sakai = before and _SAKAI.match(",".join(numbered[1][0]))
    numbered = numbered[1:] if sakai else numbered
    header = tuple(numbered[0][0])
    for row, line in numbered[1:]:
        if len(row) > len(header) and any(map(str.strip, row[len(header) :])):
            raise ValueError(
                f"{path} line {line} has {len(row)} cells, but the header has {len(header)}"
            )
    rows = (tuple(row[: len(header)]) + ("",) * (len(header) - len(row)) for row, _ in numbered[1:])
    lines = tuple(n for _, n in numbered[1:])
    sheet = Sheet(path, header, tuple(rows), lines, delimiter, bom, encoding)
    return replace(sheet, before=(*before, ("",))) if sakai else sheet


def refuse_columns_twice(sheet: Sheet) -> None:
    """Refuse a table of one's own in which two columns have one name."""
    for name in sheet.header:
        if name.strip():
            sheet.place(name)


def written(sheet: Sheet, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as text, with the delimiter and the first mark of the one that was read.

    Cells are written as they are: what a platform exported must come back to it unchanged.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=sheet.delimiter, lineterminator="\n")
    writer.writerows([*sheet.before, header, *rows])
    return (_BOM if sheet.bom else "") + stream.getvalue()
