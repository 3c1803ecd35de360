"""Tables that people fill in by hand: read line by line, and refused with file, line and value."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

FEW = 25
"""So many allowed values are all listed in a message."""


class SheetError(ValueError):
    """A line that can't be taken as it is; the message says where, what and what is allowed."""


@dataclass(frozen=True)
class Row:
    """A line of a table: its values by column, without spaces around them."""

    path: Path
    line: int
    values: dict[str, str]

    def __getitem__(self, column: str) -> str:
        """Return the value in a column, empty where there is none."""
        return self.values.get(column, "")

    def wrong(self, column: str, allowed: str) -> SheetError:
        """Return the error that this line's value in a column is not what is allowed."""
        return SheetError(
            f"{self.path}, line {self.line}: {column} must be {allowed}, got {self[column]!r}"
        )

    def known(self, column: str, names: Collection[str]) -> str:
        """Return the value in a column, which must be one of some names.

        Raises
        ------
        SheetError
            With all names where they are few, else with the nearest.
        """
        value = self[column]
        if value in names:
            return value
        few = len(names) <= FEW
        near = [] if few else get_close_matches(value, names, n=3, cutoff=0.5)
        more = "" if few else ", ..."
        raise self.wrong(column, f"one of {', '.join(near or sorted(names)[:FEW])}{more}")

    def number(self, column: str) -> float | None:
        """Return the number in a column, with a point or a comma; None where it is empty.

        Raises
        ------
        SheetError
            Something else stands there.
        """
        text = self[column]
        if not text:
            return None
        try:
            value = float(text.replace(",", "."))
        except ValueError:
            raise self.wrong(column, "a number or empty") from None
        if not abs(value) < 1e9:
            raise self.wrong(column, "a number or empty")
        return value


def read_sheet(path: Path, needed: Sequence[str], besides: Sequence[str] = ()) -> Iterator[Row]:
    """Read a CSV table with a header, as spreadsheets save it: with commas or semicolons.

    Parameters
    ----------
    path : Path
        The file; UTF-8.
    needed, besides : sequence of str
        Columns that must be there, and that may. In any order.

    Yields
    ------
    Row
        One for each line that isn't empty.

    Raises
    ------
    SheetError
        Not a table, not UTF-8, a column that is missing or not known, too many values.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise SheetError(f"{path} must be saved as CSV in UTF-8, and isn't") from None
    header = text.partition("\n")[0]
    delimiter = ";" if header.count(";") > header.count(",") else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    columns = [name.strip().lower() for name in next(reader, [])]
    _check_columns(path, columns, needed, besides)
    for values in _rows(path, reader):
        row = Row(path, reader.line_num, dict(zip(columns, map(str.strip, values), strict=False)))
        if len(values) > len(columns):
            raise SheetError(
                f"{path}, line {row.line}: must have {len(columns)} values, got {len(values)}; "
                "put a text with commas into quotation marks"
            )
        if any(row.values.values()):
            yield row


def _rows(path: Path, reader: Iterable[list[str]]) -> Iterator[list[str]]:
    try:
        yield from reader
    except csv.Error as error:
        raise SheetError(f"{path} must be a CSV table: {error}") from None


def _check_columns(
    path: Path, columns: Sequence[str], needed: Sequence[str], besides: Sequence[str]
) -> None:
    missing = [name for name in needed if name not in columns]
    unknown = [name for name in columns if name not in (*needed, *besides)]
    if missing or unknown or len(set(columns)) < len(columns):
        allowed = ", ".join((*needed, *(f"{name} (if wanted)" for name in besides)))
        raise SheetError(f"{path}, line 1: columns must be {allowed}; got {', '.join(columns)!r}")
