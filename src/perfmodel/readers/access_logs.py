"""Access logs of nginx and Apache, in the common or combined format with fields added at the end.

>>> line = '10.0.0.7 - - [28/Nov/2026:10:00:01 +0000] "GET / HTTP/1.1" 200 512 "-" "curl" 0.083'
>>> access_log_rows("access.log", line)[0][-1]
'added1'
"""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

from perfmodel.readers.refusal import UnreadableFileError

_QUOTED = r'"((?:[^"\\]|\\.)*)"'
_LINE = re.compile(
    r"(\S+) \S+ .*?\[(\d{1,2}/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [-+]\d{4})\] "
    + _QUOTED
    + r" (\d{3}|-) (\d+|-)(.*)"
)
_FIELD = re.compile(_QUOTED + r"|(\S+)")
_NAMED = re.compile(r"([A-Za-z_]\w*)=(\S+)")
HEADER = ("host", "time", "request", "status", "bytes")
"""The fields of the common format; `time` becomes an ISO date."""


def is_access_log(text: str) -> bool:
    """Return whether a text's first line is one of an access log."""
    return _LINE.fullmatch(text.lstrip().partition("\n")[0].strip()) is not None


def access_log_rows(
    path: Path | str, text: str
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...], tuple[int, ...]]:
    """Return header, rows and line numbers.

    Fields after the common format are `referer`, `agent` (the first two with quotation marks),
    those written as `name=value` by their name, and `added1`, `added2`, ...
    """
    header: tuple[str, ...] = ()
    rows, lines = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        found = _LINE.fullmatch(line.strip())
        if found is None:
            cure = "the log may be truncated or of another format: delete the line"
            raise UnreadableFileError(path, number, "the line is none of an access log", cure)
        host, when, request, status, size, rest = found.groups()
        try:
            date = datetime.strptime(when, "%d/%b/%Y:%H:%M:%S %z").isoformat()
        except ValueError:
            cure = "write days and English names of months, as in 28/Nov/2026, or delete the line"
            raise UnreadableFileError(path, number, f"{when!r} is no date", cure) from None
        added = _added(rest)
        names = (*HEADER, *added)
        if header and names != header:
            what = f"the line has the fields {', '.join(added) or 'of the common format'}"
            raise UnreadableFileError(path, number, what, "keep lines of one format")
        header = names
        rows.append((host, date, request, status, size, *added.values()))
        lines.append(number)
    return header, tuple(rows), tuple(lines)


def _added(rest: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    for found in _FIELD.finditer(rest):
        quoted, plain = found.groups()
        named = _NAMED.fullmatch(plain or "")
        if named:
            fields[named[1]] = named[2].strip('"')
        elif plain is None and "agent" not in fields:
            fields["agent" if "referer" in fields else "referer"] = quoted
        else:
            count = sum(name.startswith("added") for name in fields)
            fields[f"added{count + 1}"] = quoted if plain is None else plain
    return fields
