"""A submission and the bytes of its notebook: read as hostile, refused with a reason.

Links are not followed, a file is read only as far as a notebook can reasonably be long, and a
student's zip archive is opened in memory for the one notebook in it.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath

from perfcourse.intake import archives
from perfcourse.intake.archives import ArchiveError
from perfcourse.intake.cells import UnreadableError
from perfcourse.intake.file_names import is_hidden, is_notebook
from perfcourse.intake.file_types import zipped
from perfcourse.intake.platforms import Origin

MAX_FILE = 16 * 2**20
MAX_ZIPPED = 1000
"""Files in a student's zip archive."""


@dataclass(frozen=True)
class Submission:
    """One student's hand-in: its name within what was collected, and the notebook or why none."""

    name: str
    """Path within what was collected; unique."""
    student: str
    path: Path | None
    """The notebook's file, or the archive that holds it."""
    problem: str = ""
    """Why there is no notebook, for the student."""
    handed_in: datetime | None = None
    """When, with a time zone; None where nothing says so. Text without a zone, as platforms export
    it, is read in the time zone of the machine that grades; so is a due date to be read."""
    member: str = ""
    """The file's path within the archive, where `path` is one."""
    inside: str = ""
    """The notebook's path within the file, where that is the student's own archive."""
    file: str = ""
    """The file's path within what was collected, to be shown; empty where none is graded."""
    work: str = ""
    """Name of the hand-in that several students share; empty where it is this one's alone."""
    as_student: str = ""
    """The id whose personal parameters it is graded with, where that isn't the student's own."""
    named: str = ""
    """The id that the notebook's STUDENT holds."""
    code: str = ""
    """A short name for its code, which two notebooks of the same code share; empty where there is
    none."""
    origin: Origin | None = None
    """What its name in a platform's download says."""
    note: str = ""
    """What the instructor must know of who it is from; empty where that is clear."""
    listed: bool = True
    """Whether gradebook files have a row for it: the roster knows the student, or there is none."""

    @property
    def key(self) -> str:
        """Return a short name for the submission that is safe in file names."""
        return hashlib.sha256(os.fsencode(self.name)).hexdigest()[:16]


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
    """Read a submission's file; what goes wrong becomes the hand-in's problem.

    Those who share a hand-in get the same one.
    """
    who = submission.work or submission.name, submission.as_student or submission.student
    if submission.path is None:
        return Handin(*who, problem=submission.problem)
    try:
        data, name = content(submission.path, submission.member)
        if zipped(data):
            data, name = unpacked(data, submission.inside)
        return Handin(*who, data, name)
    except UnreadableError as error:
        return Handin(*who, problem=str(error))
    except OSError as error:
        return Handin(*who, problem=f"The file can't be read ({error.strerror}). Hand in again.")


def content(path: Path, member: str = "") -> tuple[bytes, str]:
    """Return the bytes of a file on disk or in an archive, and its name."""
    if not member:
        return read(path), path.name
    try:
        return archives.content(path, member, MAX_FILE), PurePosixPath(member).name
    except ArchiveError as error:
        raise UnreadableError(
            f"The file can't be taken from the download: it {error}. Clear all outputs, save, and "
            "hand in again."
        ) from None


def packed(data: bytes) -> tuple[list[str], list[str]]:
    """Return the notebooks in a student's zip archive, and its other files."""
    try:
        names = [entry.name for entry in archives.entries(data, MAX_ZIPPED)]
    except ArchiveError as error:
        raise UnreadableError(f"The archive {error}. Hand in the .ipynb file itself.") from None
    notebooks = [name for name in names if is_notebook(name) and not is_hidden(name)]
    return notebooks, [name for name in names if name not in notebooks]


def unpacked(data: bytes, inside: str = "") -> tuple[bytes, str]:
    """Return a notebook in a student's zip archive, the only one if none is named; its name."""
    notebooks = [inside] if inside else packed(data)[0]
    if len(notebooks) != 1:
        many = "several notebooks" if notebooks else "no notebook"
        raise UnreadableError(f"The archive holds {many}. Hand in the .ipynb file itself.")
    try:
        found = archives.content(data, notebooks[0], MAX_FILE)
    except ArchiveError as error:
        raise UnreadableError(f"The archive {error}. Hand in the .ipynb file itself.") from None
    return found, PurePosixPath(notebooks[0]).name


def read(path: Path) -> bytes:
    """Return a file's bytes; refuses links, devices, and more than 16 MB."""
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
