"""The code cells of a notebook that a stranger made, or the reason why there are none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from perfcourse.intake.file_types import AN_ARCHIVE, OTHER_ARCHIVE, kind
from perfcourse.isolation.untrusted import one_line
from perfcourse.kernel.plain import whole

MAX_CODE = 2**22
"""Characters of all code cells, whatever alphabet they are from."""
MAX_BRACKETS, MAX_WITH_OUTPUTS = 500_000, 2_000_000
"""Each that is not in a text could become an object of hundreds of bytes; outputs are cut out first
where there are more."""
MAX_CELLS = 10_000
_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_OPENS = re.compile(rb"\s*:\s*\[")
_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
_PYTHON = re.compile(r"i?python\W?\d*")
_CHECKER = re.compile(r"""\bchecker\(\s*['"](\w{1,40})['"]""")
_STUDENT = re.compile(r"""^STUDENT\s*=\s*(['"])(.*?)\1""", re.M)


class UnreadableError(ValueError):
    """The submission can't be read; the message says why and what to do."""


def code_cells(data: bytes, name: str = "") -> list[str]:
    """Return the source of every code cell of a notebook (format 3 or 4).

    An `UnreadableError` gives the reason, for the student.
    """
    notebook = _parsed(data, name)
    language = _language(notebook)
    if language and not _PYTHON.fullmatch(language):
        named = one_line(language[:40])
        raise UnreadableError(f"The notebook is for {named}. Choose a Python kernel.")
    cells = _cells(notebook)
    sources = [_source(cell) for cell in cells if _is_code(cell)]
    if len(sources) > MAX_CELLS or sum(map(len, sources)) > MAX_CODE:
        raise UnreadableError(
            "The notebook holds far more code than the exercise asks for. Remove what isn't "
            "needed, such as pasted data, and hand in again."
        )
    if not any(source.strip() for source in sources):
        raise UnreadableError("The notebook holds no code. Did you hand in the right file?")
    return sources


def topics(cells: Iterable[str]) -> list[str]:
    """Return the topics that the cells are an exercise of, as their checks name them.

    >>> topics(["check = checker('roofline', student=STUDENT)"])
    ['roofline']
    """
    return [name for cell in cells for name in _CHECKER.findall(cell)]


def other_topic(cells: list[str], topic: str) -> str:
    """Return the topic that the cells are an exercise of, where that isn't `topic`; else ''."""
    named = topics(cells)
    return named[0] if named and topic not in named else ""


def student_named(cells: Iterable[str]) -> str:
    """Return the id that the notebook's STUDENT holds, or ''.

    >>> student_named(['STUDENT = "ada"  # your id'])
    'ada'
    """
    return next((match[2] for cell in cells for match in _STUDENT.finditer(cell)), "").strip()


def not_run(data: bytes, answers: Iterable[str]) -> dict[str, str]:
    """Return the answers that stand in a cell of text, which isn't run, and the cell's kind."""
    kinds: dict[str, str] = {}
    names = list(answers)
    for cell in _cells(_parsed(data, "")):
        type = cell.get("cell_type") if isinstance(cell, dict) else ""
        if type in ("markdown", "raw"):
            kinds |= {name: str(type) for name in names if _sets(_source(cell), name)}
    return kinds


def _sets(text: str, name: str) -> bool:
    """Whether a text of code sets an answer, as the exercise's own cell does."""
    return bool(
        re.search(rf"(?m)^(?:def {name}\(|class {name}\b|{name}\s*(?:\[.*\]\s*)?=[^=])", text)
    )


def _parsed(data: bytes, name: str) -> dict[str, Any]:
    what = kind(data, name)
    if what in (AN_ARCHIVE, OTHER_ARCHIVE):
        raise UnreadableError(f"This is {what}. Unpack it and hand in the notebook itself.")
    if what:
        raise UnreadableError(f"This is {what}, not a notebook. Hand in the .ipynb file itself.")
    if not data.strip(b"\0 \r\n\t"):
        raise UnreadableError("The file is empty. Save the notebook and hand in again.")
    if _brackets(data) > MAX_BRACKETS:
        data = _small(data)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableError(
            "The file isn't UTF-8 text, so not a notebook as Jupyter saves it. Open it in "
            "JupyterLab, save, and hand in again."
        ) from None
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError, MemoryError):
        raise UnreadableError(
            "The file isn't a notebook (broken JSON). Open it in JupyterLab, save, "
            "and hand in again."
        ) from None
    if not isinstance(notebook, dict):
        raise UnreadableError("The file is JSON but not a notebook. Hand in the .ipynb file.")
    return notebook


def _small(data: bytes) -> bytes:
    """Return a notebook's bytes, without outputs if they hold more than is read at once."""
    brackets = _brackets(_TEXT.sub(b"", data))
    if MAX_BRACKETS < brackets <= MAX_WITH_OUTPUTS:
        data = b"".join(_without_outputs(data))
        brackets = _brackets(_TEXT.sub(b"", data))
    if brackets > MAX_BRACKETS:
        raise UnreadableError(
            "The file holds far more than an exercise. Clear all outputs, save, and hand in again."
        )
    return data


def _without_outputs(data: bytes) -> Iterator[bytes]:
    r"""Yield the parts of a notebook between the lists of its outputs, each of which is then empty.

    >>> b"".join(_without_outputs(b'{"outputs" : [[1], {"a": "]"}], "source": ["[x]"]}'))
    b'{"outputs" : [], "source": ["[x]"]}'
    """
    kept = depth = 0
    within = False
    for match in _BRACKET.finditer(data):
        sign = match[0]
        if within:
            depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(sign, 0)
            if depth == 0:
                kept, within = match.start(), False
        elif sign == b'"outputs"' and (opens := _OPENS.match(data, match.end())):
            yield data[kept : opens.end()]
            within = True
    yield data[kept:]


def _brackets(data: bytes) -> int:
    return data.count(b"{") + data.count(b"[")


def _language(notebook: dict[str, Any]) -> str:
    metadata = notebook.get("metadata")
    for name, key in (("kernelspec", "language"), ("language_info", "name")):
        part = metadata.get(name) if isinstance(metadata, dict) else None
        if isinstance(part, dict) and isinstance(part.get(key), str):
            return str(part[key]).lower()
    return ""


def _cells(notebook: dict[str, Any]) -> list[Any]:
    cells = notebook.get("cells")
    sheets = notebook.get("worksheets")
    if cells is None and isinstance(sheets, list):
        cells = [
            cell
            for sheet in sheets
            if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list)
            for cell in sheet["cells"]
        ]
    if not isinstance(cells, list):
        raise UnreadableError("The file is JSON but not a notebook. Hand in the .ipynb file.")
    return cells


def _is_code(cell: Any) -> bool:
    return isinstance(cell, dict) and cell.get("cell_type") == "code"


def _source(cell: dict[str, Any]) -> str:
    """Return a cell's text, with ends of lines as JupyterLab hands them to the kernel."""
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    if not isinstance(source, str):
        return ""
    return whole(source.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n"))
