"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


def write(path: Path, text: str | Iterable[str]) -> None:
    """Write a text file, which may come in pieces, whole or not at all."""
    pieces = [text] if isinstance(text, str) else text
    write_bytes(path, (piece.encode("utf-8", "replace") for piece in pieces))


def write_bytes(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a file whole or not at all.

    Raises
    ------
    OSError
        With the file's name; what there was of it stays as it was.
    """
    part = f"{path}.part"
    with named(path):
        try:
            with _opened(part) as file:
                file.writelines([data] if isinstance(data, bytes) else data)
            os.replace(part, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(part)
            raise


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
