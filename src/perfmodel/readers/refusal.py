"""A file that can't be read: one sentence that names the file, the line and the cure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from math import isfinite, nan
from pathlib import Path
from typing import Any, TypeVar

_Read = TypeVar("_Read")


class UnreadableFileError(ValueError):
    """A file that can't be read.

    `line`: counted from 1, None if the whole file is meant. `what`: what is wrong, without a full
    stop. `cure`: what the reader can do, without a full stop.

    >>> print(UnreadableFileError("a.csv", 3, "'1,5' is no number", "write a decimal point"))
    a.csv, line 3: '1,5' is no number; write a decimal point
    """

    def __init__(self, path: Path | str, line: int | None, what: str, cure: str) -> None:
        self.path, self.line, self.what, self.cure = Path(path), line, what, cure
        place = f"{path}, line {line}" if line is not None else str(path)
        super().__init__(f"{place}: {what}; {cure}")


def text_of(path: Path | str, encoding: str = "utf-8-sig") -> str:
    r"""Return a file's text, with `\n` at the end of each line.

    Raises `UnreadableFileError` if there is no such file, it is empty, or it is no UTF-8 text.
    """
    path = Path(path)
    try:
        text = path.read_bytes().decode(encoding)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        cure = "save it as UTF-8, or give the tool's text output"
        raise UnreadableFileError(path, line, "the file is no UTF-8 text", cure) from None
    except OSError as error:
        cure = "name a file that can be read"
        raise UnreadableFileError(path, None, error.strerror or str(error), cure) from None
    if not text.strip():
        raise UnreadableFileError(path, None, "the file is empty", "run the tool again")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def number_of(
    path: Path | str, line: int | None, text: str, cure: str, comma: str = "write decimal points"
) -> float:
    """Return the finite number that a text is.

    Raises `UnreadableFileError` with the `cure`, or with `comma` if the text holds one.
    """
    try:
        value = float(text)
    except ValueError:
        value = nan
    if not isfinite(value):
        said = comma if "," in text else cure
        raise UnreadableFileError(path, line, f"{text!r} is no number", said)
    return value


def line_of(path: Path | str, error: Exception) -> int | None:
    """Return the first line that holds the text that an error shows in quotation marks.

    What a lookup didn't find stands in no line.
    """
    shown = re.search(r"'\s*([^']+?)\s*'", str(error))
    if shown is None or isinstance(error, LookupError):
        return None
    lines = text_of(path).splitlines()
    return next((i for i, line in enumerate(lines, 1) if shown[1] in line), None)


def refusing(path: Path | str, format: str, read: Callable[..., _Read], *given: Any) -> _Read:
    """Return `read(*given)`, or refuse the file if a field is missing or holds no number."""
    try:
        return read(*given)
    except UnreadableFileError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        what = f"the {format} lacks something or holds no number ({error})"
        cure = "write the file again with the tool, unchanged"
        raise UnreadableFileError(path, line_of(path, error), what, cure) from None


def json_of(path: Path | str) -> Any:
    """Return the content of a JSON file.

    Raises `UnreadableFileError` if it is no JSON, with the line where it breaks off.
    """
    try:
        return json.loads(text_of(path))
    except json.JSONDecodeError as error:
        cure = "the file may be truncated: write it again"
        raise UnreadableFileError(path, error.lineno, f"no JSON ({error.msg})", cure) from None


def json_lines_of(path: Path | str) -> list[tuple[int, Any]]:
    """Return the content of each line of a file of JSON lines, with the line's number.

    Raises `UnreadableFileError` if a line is no JSON.
    """
    rows = []
    for line, text in enumerate(text_of(path).splitlines(), 1):
        if text.strip():
            try:
                rows.append((line, json.loads(text)))
            except json.JSONDecodeError as error:
                cure = "the file may be truncated: delete the line"
                raise UnreadableFileError(path, line, f"no JSON ({error.msg})", cure) from None
    return rows
