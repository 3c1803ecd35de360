"""Tables that people fill in by hand, line by line; what is wrong names file, line and value."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from perfcourse.intake.people.sheets import plain, read_sheet, refuse_columns_twice

FEW = 25
"""So many allowed values are all listed in a message."""


@dataclass(frozen=True)
class Line:
    """A line of a table: its values by column, without spaces around them."""

    path: Path
    number: int
    values: dict[str, str]

    def __getitem__(self, column: str) -> str:
        """Return the value in a column, empty where there is none."""
        return self.values.get(column, "")

    def wrong(self, column: str, allowed: str) -> ValueError:
        """Return the error that this line's value in a column is not what is allowed."""
        return ValueError(
            f"{self.path} line {self.number}: {column} must be {allowed}, got {self[column]!r}"
        )

    def known(self, column: str, names: Collection[str]) -> str:
        """Return the value in a column, which must be one of some names, named in the error."""
        value = self[column]
        if value in names:
            return value
        few = len(names) <= FEW
        near = [] if few else get_close_matches(value, names, n=3, cutoff=0.5)
        more = "" if few else ", ..."
        raise self.wrong(column, f"one of {', '.join(near or sorted(names)[:FEW])}{more}")

    def amount(self, column: str) -> float | None:
        """Return the number in a column, with a point or a comma; None where it is empty."""
        text = self[column]
        try:
            value = float(text.replace(",", ".")) if text else 0.0
        except ValueError:
            raise self.wrong(column, "a number or empty") from None
        if not abs(value) < 1e9:
            raise self.wrong(column, "a number or empty")
        return value if text else None


def read_lines(path: Path, needed: Sequence[str], besides: Sequence[str] = ()) -> Iterator[Line]:
    """Yield the lines that aren't empty of a table with a header, as spreadsheets save it.

    The columns `needed` must be there, those in `besides` may, in any order.
    """
    sheet = read_sheet(path)
    refuse_columns_twice(sheet)
    columns = [plain(name) for name in sheet.header]
    missing = set(needed) - set(columns)
    unknown = set(columns) - {*needed, *besides}
    if missing or unknown:
        allowed = ", ".join((*needed, *(f"{name} (if wanted)" for name in besides)))
        raise ValueError(f"{path} must have the columns {allowed}; got {', '.join(sheet.header)}")
    for number, cells in zip(sheet.lines, sheet.rows, strict=True):
        yield Line(path, number, dict(zip(columns, map(str.strip, cells), strict=True)))
