"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


def write(path: Path, text: str | Iterable[str]) -> None:
    """Write a text file, which may come in pieces, whole or not at all."""
    if isinstance(text, str):
        write_bytes(path, text.encode("utf-8", "replace"))
    else:
        write_bytes(path, (piece.encode("utf-8", "replace") for piece in text))


def write_bytes(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a file whole or not at all; one that holds the same already stays untouched.

    An OSError gives the file's name; what there was of it stays as it was.
    """
    part = f"{path}.part"
    with named(path):
        if isinstance(data, bytes) and _holds(path, data):
            return
        try:
            with _opened(part) as file:
                file.writelines([data] if isinstance(data, bytes) else data)
            os.replace(part, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(part)
            raise


def append(path: Path, text: str) -> None:
    """Add to a text file, all of it or nothing; an OSError gives the file's name."""
    with named(path), path.open("ab", buffering=0) as file:
        before = file.seek(0, os.SEEK_END)
        rest = memoryview(text.encode("utf-8", "replace"))
        try:
            while rest:
                rest = rest[file.write(rest) :]
        except OSError:
            with suppress(OSError):
                file.truncate(before)
            raise


def _holds(path: Path, data: bytes) -> bool:
    """Whether a file is there and holds this; to replace it would make the disk wait."""
    try:
        about = os.lstat(path)
        same_size = stat.S_ISREG(about.st_mode) and about.st_size == len(data)
        return same_size and path.read_bytes() == data
    except OSError:
        return False


def _opened(path: str) -> BinaryIO:
    """Open a file to write, in a folder that may not be there yet."""
    try:
        return open(path, "wb")
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return open(path, "wb")


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Give an OSError the name of the file, which that of a full disk lacks."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise
