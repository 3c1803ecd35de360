"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


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
    part = path.with_name(path.name + ".part")
    with named(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with part.open("wb") as file:
                file.writelines([data] if isinstance(data, bytes) else data)
            os.replace(part, path)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Have what goes wrong with a file told with its name, as on a disk that is full."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise
