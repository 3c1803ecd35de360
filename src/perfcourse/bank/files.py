"""A data file that comes with an assignment: what students see, and what is graded with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from perfcourse.bank.errors import require

MAX_BYTES = 16 * 2**20
_NAME = re.compile(r"[A-Za-z0-9_][\w.-]{0,40}(/[A-Za-z0-9_][\w.-]{0,40}){0,1}\.\w{1,8}", re.ASCII)
"""With an ending, as `perfcourse.grading.cache_key` looks for, so that a change is noticed."""
_OURS = (".py", ".ipynb")


@dataclass(frozen=True)
class DataFile:
    """A file beside the bank, by its name from there; students find it beside their notebook.

    `hidden` names another file beside the bank: its content stands under `name` when a
    submission is graded, so that only an answer that is computed from the file is right.

    >>> DataFile("../grades.csv")
    Traceback (most recent call last):
        ...
    ValueError: file must be a name like data/times.csv, below the bank, got '../grades.csv'
    """

    name: str
    hidden: str = ""
    folder: Path = Path()
    """Where the bank lies."""

    def __post_init__(self) -> None:
        """Refuse a path that leaves the folder, is hidden, or is a bank or notebook."""
        for name in (self.name, *([self.hidden] if self.hidden else [])):
            fine = _NAME.fullmatch(name) and not name.endswith(_OURS)
            require(fine, "file", name, "a name like data/times.csv, below the bank")
        require(self.name != self.hidden, "hidden", self.hidden, "another file than the one shown")

    def path(self, hidden: bool = False) -> Path:
        """Return where the content lies: of what is `hidden`, or of what students have."""
        return self.folder / (self.hidden if hidden and self.hidden else self.name)

    def problem(self) -> str:
        """Return what is wrong with the files themselves, or ''."""
        for name in filter(None, (self.name, self.hidden)):
            path = self.folder / name
            if not path.is_file():
                return f"file {name!r} must lie beside the bank: {path} isn't there"
            if not path.resolve().is_relative_to(self.folder.resolve()):
                return f"file {name!r} must lie below {self.folder}: {path} leads out of it"
            if path.stat().st_size > MAX_BYTES:
                return f"file {name!r} must have {MAX_BYTES >> 20} MiB at most"
        return ""


def as_file(file: DataFile | str | None) -> DataFile | None:
    """Return a data file, given by its name where nothing of it is hidden."""
    return DataFile(file) if isinstance(file, str) else file
