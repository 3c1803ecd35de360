"""Any table of columns: CSV with commas, semicolons or tabs, or a JSON list of rows.

The user maps columns: `NAME` or `NAME:UNIT`. A unit is taken from the map or from the header
(`wait [ms]`, `wait (ms)`, `wait_ms`), and never guessed.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from math import isfinite
from pathlib import Path

import numpy as np

from perfmodel.readers.access_logs import access_log_rows, is_access_log
from perfmodel.readers.headers import example_unit, scale_of, split_header
from perfmodel.readers.refusal import UnreadableFileError, json_lines_of, json_of, text_of
from perfmodel.validation import Floats

_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_COMMA = re.compile(r"[-+]?\d+,\d+")
_PLAIN = re.compile(r"[-+]?\d+")
_GERMAN = re.compile(r"[-+]?(\d+|\d{1,3}(\.\d{3})+),\d+([eE][-+]?\d+)?")
_GROUPED = re.compile(r"[-+]?[1-9]\d{0,2}(\.\d{3})+")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")
ISO = "iso"
"""The unit of a column of dates such as 2026-01-05T10:00:00.250Z, read as seconds since 1970."""


def _is_csv(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) > 1 and any(
        lines[0].count(mark) and lines[1].count(mark) for mark in _DELIMITERS
    )


def _is_column(text: str) -> bool:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return len(lines) > 2 and all(re.fullmatch(r"[-+.\deE]+", line) for line in lines[1:])


def _is_json_rows(text: str) -> bool:
    first = text.strip().splitlines()[0]
    if first[:1] == "{":
        return first[-1:] == "}" and "\n" in text.strip()
    return first[:1] == "[" and "{" in text[:1000]


FORMATS = {
    "JSON list of rows": _is_json_rows,
    "CSV table": lambda text: _is_csv(text) or _is_column(text),
}


@dataclass(frozen=True, eq=False)
class Table:
    """A table's cells as texts, with the line of each row."""

    path: Path
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int | None, ...]
    decimal_comma: bool
    """Whether 0,5 is a half."""

    def column(self, name: str) -> str:
        """Return the header that is called `name`, unit or not; near names if none is."""
        called = {header: header for header in self.header}
        called |= {split_header(header)[0]: header for header in self.header}
        if name in called:
            return called[name]
        near = get_close_matches(name, list(called), 3, 0.5)
        cure = f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(self.header)}"
        raise UnreadableFileError(self.path, 1, f"there is no column {name!r}", cure)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a column's cells as they stand."""
        place = self.header.index(self.column(name))
        return tuple(row[place] for row in self.rows)

    def numbers(self, spec: str, kind: str = "") -> tuple[Floats, str]:
        """Return a column's numbers in SI units, and where its unit was stated.

        The column is `NAME` or `NAME:UNIT`; the unit `iso` reads dates, `1` a count. `kind` is the
        SI unit that it must have, such as `s`; empty for a plain number. The second result ends a
        sentence, such as "in ms by the header took_ms". A refusal names the line.
        """
        name, unit, stated = self._unit(spec, kind)
        place = self.header.index(name)
        if unit == ISO:
            return self._dates(place), stated
        scale, si = scale_of(unit)
        if kind and si != kind:
            what = f"column {name!r} is in {unit}, which is no unit of {kind}"
            raise UnreadableFileError(self.path, 1, what, f"name a column in {example_unit(kind)}")
        return scale * self._floats(place), stated

    def _unit(self, spec: str, kind: str) -> tuple[str, str, str]:
        name, colon, unit = spec.rpartition(":")
        if spec in self.header or not colon:
            name, unit = spec, ""
        header = self.column(name)
        if unit:
            return header, unit, f"in {unit} as given"
        found = split_header(header)[1]
        if found:
            return header, found, f"in {found} by the header {header!r}"
        if not kind:
            return header, "1", "a plain number"
        cure = f"write {name}:UNIT, for example {name}:{example_unit(kind)}"
        raise UnreadableFileError(self.path, 1, f"column {header!r} states no unit", cure)

    def _floats(self, place: int) -> Floats:
        values = np.empty(len(self.rows))
        for i, (row, line) in enumerate(zip(self.rows, self.lines, strict=True)):
            values[i] = self._number(row[place], line, self.header[place])
        return values

    def _number(self, cell: str, line: int | None, column: str) -> float:
        text = cell.strip()
        if self.decimal_comma:
            if _GROUPED.fullmatch(text) or ("," in text and not _GERMAN.fullmatch(text)):
                what = f"{text!r} can be read in two ways next to decimal commas"
                cure = "write the numbers without marks between thousands"
                raise UnreadableFileError(self.path, line, what, cure)
            text = text.replace(".", "").replace(",", ".") if "," in text else text
        try:
            value = float(text) if "_" not in text else float("nan")
        except ValueError:
            value = float("nan")
        if isfinite(value):
            return value
        what = f"column {column!r} holds {cell.strip()!r}, which is no number"
        cure = "correct or delete the row" if text else "fill the cell or delete the row"
        raise UnreadableFileError(self.path, line, what, cure)

    def _dates(self, place: int) -> Floats:
        values = np.empty(len(self.rows))
        for i, (row, line) in enumerate(zip(self.rows, self.lines, strict=True)):
            try:
                when = datetime.fromisoformat(row[place].strip())
            except ValueError:
                what = f"column {self.header[place]!r} holds {row[place]!r}, which is no ISO date"
                cure = "write dates as 2026-01-05T10:00:00.250, or name the column's unit"
                raise UnreadableFileError(self.path, line, what, cure) from None
            when = when if when.tzinfo else when.replace(tzinfo=UTC)
            values[i] = when.timestamp()
        return values


def read_table(path: Path | str) -> Table:
    r"""Return a file's table: a CSV with header, rows of JSON, or the access log of a web server.

    A CSV has commas, semicolons or tabs; its lines that start with `#` are left out. Refused are
    rows of other lengths, two columns of one name, and decimal commas that can't be told from
    thousands.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "waits.csv"
    >>> _ = file.write_text("job;wait [ms]\n1;2,5\n2;3,5\n")
    >>> read_table(file).numbers("wait", "s")[0].tolist()
    [0.0025, 0.0035]
    """
    path = Path(path)
    text = text_of(path)
    if text.lstrip()[:1] in "[{":
        return _from_json(path)
    if is_access_log(text):
        return Table(path, *access_log_rows(path, text), False)
    lines = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip()]
    lines = [(i, line) for i, line in lines if not line.startswith("#")]
    if len(lines) < 2:
        cure = "give a header and one row or more"
        raise UnreadableFileError(path, 1, "the table has no rows", cure)
    mark = max(_DELIMITERS, key=lambda one: _fit(one, lines))
    cells = [next(csv.reader([line], delimiter=mark)) for _, line in lines]
    header = tuple(cell.strip() for cell in cells[0])
    for (i, _), row in zip(lines, cells, strict=True):
        if len(row) != len(header):
            what = f"the row has {len(row)} cells below {len(header)} headers"
            cure = "write decimal points, or semicolons between the columns"
            if mark != "," or len(row) < len(header):
                cure = "the file may be truncated: write it again, or delete the row"
            raise UnreadableFileError(path, i, what, cure)
    _check_header(path, header, lines[0][0])
    if cells[0] in cells[1:]:
        what = "the header stands there again"
        line = lines[cells.index(cells[0], 1)][0]
        raise UnreadableFileError(path, line, what, "keep one table in the file")
    rows = tuple(tuple(row) for row in cells[1:])
    numbers = tuple(i for i, _ in lines[1:])
    return Table(path, header, rows, numbers, mark != "," and _commas(path, rows, numbers))


def _fit(mark: str, lines: list[tuple[int, str]]) -> tuple[bool, int]:
    """Return whether a mark splits header and rows equally, and into how many cells."""
    widths = {len(next(csv.reader([line], delimiter=mark))) for _, line in lines[:20]}
    most = len(next(csv.reader([lines[0][1]], delimiter=mark)))
    return most > 1 and len(widths) == 1, most


def _commas(path: Path, rows: tuple[tuple[str, ...], ...], lines: tuple[int, ...]) -> bool:
    """Return whether the numbers of a table without commas between cells have decimal commas."""
    doubtful = None
    for row, line in zip(rows, lines, strict=True):
        for cell in (cell.strip() for cell in row):
            if not _COMMA.fullmatch(cell):
                continue
            if not _THOUSANDS.fullmatch(cell):
                return True
            doubtful = doubtful or (line, cell)
    if doubtful:
        what = f"{doubtful[1]!r} can be a decimal comma or thousands"
        raise UnreadableFileError(path, doubtful[0], what, "write the numbers with points")
    return False


def _check_header(path: Path, header: tuple[str, ...], line: int) -> None:
    if all(_PLAIN.fullmatch(cell) or _is_number(cell) for cell in header):
        cure = "write the columns' names into the first line"
        raise UnreadableFileError(path, line, "the first line holds numbers, no names", cure)
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice is not None:
        what = f"two columns are called {twice!r}"
        raise UnreadableFileError(path, line, what, "give each a name of its own")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _from_json(path: Path) -> Table:
    text = text_of(path).strip()
    lines: tuple[int | None, ...] = ()
    if text[0] == "{" and "\n" in text:
        rows = json_lines_of(path)
        lines = tuple(line for line, _ in rows)
        rows = [row for _, row in rows]
    else:
        rows = json_of(path)
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        cure = "give a JSON list of objects, or a CSV file"
        raise UnreadableFileError(path, 1, "the JSON is no list of rows", cure)
    header = tuple(rows[0])
    for i, row in enumerate(rows, 1):
        if tuple(row) != header and set(row) != set(header):
            what = f"row {i} has other names than row 1"
            raise UnreadableFileError(path, None, what, "give every row the same names")
    cells = tuple(tuple(str(row[name]) for name in header) for row in rows)
    return Table(path, header, cells, lines or (None,) * len(rows), False)
