"""Find the submissions in a folder and read each as hostile text: code cells or a reason.

Folders as schools hand them out are understood: `STUDENT.ipynb`, `STUDENT/anything.ipynb` and
nbgrader's `STUDENT/TOPIC/TOPIC.ipynb`. Links are not followed, archives are not opened, and a file
is read only as far as a notebook can reasonably be long.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

MAX_FILE = 16 * 2**20
MAX_CODE = 3 * 2**17
"""Bytes of all code cells as JSON; leaves room for the rest of a message to the sandbox."""
MAX_BRACKETS = 500_000
"""Each could become an object of hundreds of bytes."""
MAX_CELLS = 2000
MAX_ENTRIES = 5000
"""Files and folders that are looked at to find the notebook in a student's folder."""
_IGNORED = (".", "__")
_CLUTTER = re.compile(
    r"\.DS_Store|__MACOSX|\.ipynb_checkpoints|__pycache__|\.git\w*|\.nbgrader\.log|Thumbs\.db"
    r"|desktop\.ini|\.Trash.*|\.fseventsd|\.Spotlight.*|\.directory|\.~lock\..*|\.nfs\w+|\._.*"
)
"""What systems leave in a folder by themselves; everything else there was handed in."""
_ARCHIVES = (".zip", ".gz", ".tgz", ".tar", ".7z", ".rar", ".xz", ".bz2")


class UnreadableError(ValueError):
    """The submission can't be read; the message says why and what to do."""


@dataclass(frozen=True)
class Submission:
    """One student's hand-in: its name within the folder, and the notebook, or why there is none."""

    name: str
    """Path within the folder; unique."""
    student: str
    path: Path | None
    problem: str = ""
    handed_in: datetime | None = None
    """When, with a time zone; None where nothing says so. Text without a zone, as platforms export
    it, is read in the time zone of the machine that grades; so is a due date to be read."""

    @property
    def key(self) -> str:
        """Return a short name for the submission that is safe in file names."""
        return hashlib.sha256(os.fsencode(self.name)).hexdigest()[:16]


def find(
    folder: Path,
    topic: str,
    students: dict[str, str] | None = None,
    aside: Collection[Path] = (),
) -> list[Submission]:
    """Return the submissions in a folder, in order of their names.

    Parameters
    ----------
    folder : Path
        What was collected.
    topic : str
        Of several notebooks in a student's folder, `TOPIC.ipynb` is the one.
    students : dict, optional
        Student ids by file or folder name, where the names themselves aren't the ids.
    aside : collection of Path
        What lies there and is nobody's: the table of students, the folder of results.
    """
    if not folder.is_dir():
        raise NotADirectoryError(f"submissions must be a folder, got {folder}")
    known = students or {}
    ours = {path.resolve() for path in aside}
    here = folder.resolve()
    return [
        _submission(entry, topic, known)
        for entry in sorted(folder.iterdir(), key=lambda path: os.fsencode(path.name))
        if not _CLUTTER.fullmatch(entry.name) and here / entry.name not in ours
    ]


def _submission(entry: Path, topic: str, students: dict[str, str]) -> Submission:
    mode = os.lstat(entry).st_mode
    name = entry.name
    stem = name if stat.S_ISDIR(mode) else entry.stem
    student = _text(students.get(name, students.get(stem, stem)))
    shown = _text(name.replace("\\", "\\\\"))
    if stat.S_ISDIR(mode):
        path, problem = _notebook_in(entry, topic)
        return Submission(shown, student, path, problem)
    return Submission(shown, student, entry)


def _text(name: str) -> str:
    """Return a name as text that can be written; names that differ stay different."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _notebook_in(folder: Path, topic: str) -> tuple[Path | None, str]:
    left = [MAX_ENTRIES]
    found = list(_notebooks(folder, 3, left))
    if left[0] <= 0:
        return None, f"The folder holds over {MAX_ENTRIES} files. Hand in the .ipynb file itself."
    named = [path for path in found if path.name == f"{topic}.ipynb"]
    if len(named) == 1 or len(found) == 1:
        return (named or found)[0], ""
    if not found:
        return None, "The folder holds no notebook. Hand in the .ipynb file itself."
    return None, f"The folder holds several notebooks. Keep one and name it {topic}.ipynb."


def _notebooks(folder: Path, depth: int, left: list[int]) -> Iterator[Path]:
    try:
        some = itertools.islice(os.scandir(folder), max(0, left[0]))
        entries = sorted(some, key=lambda entry: os.fsencode(entry.name))
    except OSError:
        return
    left[0] -= len(entries)
    for entry in entries:
        if entry.name.startswith(_IGNORED):
            continue
        if entry.is_dir(follow_symlinks=False):
            if depth > 1:
                yield from _notebooks(Path(entry.path), depth - 1, left)
        elif entry.name.endswith(".ipynb"):
            yield Path(entry.path)


def read(path: Path) -> bytes:
    """Return a file's bytes; refuses links, devices, and more than 16 MB.

    Raises
    ------
    UnreadableError
        With the reason, for the student.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        link = path.is_symlink()
        why = "is a link" if link else f"can't be opened ({error.strerror})"
        raise UnreadableError(f"The file {why}. Hand in the notebook itself.") from None
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise UnreadableError("This is not a file. Hand in the notebook itself.")
    with os.fdopen(handle, "rb") as file:
        if status.st_size > MAX_FILE:
            raise UnreadableError(
                f"The file has {status.st_size / 2**20:.0f} MB; {MAX_FILE // 2**20} is the most. "
                "Clear all outputs, save, and hand in again."
            )
        return file.read(MAX_FILE + 1)[:MAX_FILE]


@dataclass(frozen=True)
class Handin:
    """A submission with the bytes of its notebook, or with the reason why there are none."""

    name: str
    student: str
    data: bytes = b""
    file_name: str = ""
    problem: str = ""

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the bytes, empty where there is nothing to read."""
        return "" if self.problem else hashlib.sha256(self.data).hexdigest()


def opened(submission: Submission) -> Handin:
    """Read a submission's file; what goes wrong becomes the hand-in's problem."""
    who = submission.name, submission.student
    if submission.path is None:
        return Handin(*who, problem=submission.problem)
    try:
        return Handin(*who, read(submission.path), submission.path.name)
    except UnreadableError as error:
        return Handin(*who, problem=str(error))
    except OSError as error:
        return Handin(*who, problem=f"The file can't be read ({error.strerror}). Hand in again.")


def code_cells(data: bytes, name: str = "") -> list[str]:
    """Return the source of every code cell of a notebook (format 3 or 4).

    Raises
    ------
    UnreadableError
        With the reason, for the student.
    """
    notebook = _parsed(data, name)
    language = _language(notebook)
    if language not in ("", "python", "ipython", "python3"):
        raise UnreadableError(f"The notebook is for {language[:40]}. Choose a Python kernel.")
    cells = _cells(notebook)
    sources = [_source(cell) for cell in cells if _is_code(cell)]
    if len(cells) > MAX_CELLS or len(json.dumps(sources)) > MAX_CODE:
        raise UnreadableError("The notebook holds far more code than the exercise asks for.")
    if not any(source.strip() for source in sources):
        raise UnreadableError("The notebook holds no code. Did you hand in the right file?")
    return sources


def _parsed(data: bytes, name: str) -> dict[str, Any]:
    if name.lower().endswith(_ARCHIVES) or data[:4] in (b"PK\x03\x04", b"\x1f\x8b\x08\x00"):
        raise UnreadableError("This is an archive. Unpack it and hand in the notebook itself.")
    if not data.strip(b"\0 \r\n\t"):
        raise UnreadableError("The file is empty. Save the notebook and hand in again.")
    if data.count(b"{") + data.count(b"[") > MAX_BRACKETS:
        raise UnreadableError("The file holds far more than an exercise. Clear all outputs, save.")
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
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    return source.replace("\0", "") if isinstance(source, str) else ""
