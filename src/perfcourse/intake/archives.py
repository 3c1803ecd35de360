"""Zip archives that strangers made, read entry by entry in memory; nothing is unpacked to disk.

Entries that are links, absolute, lead upwards, are encrypted, have a name twice or a compression
other than deflate make the whole archive refused. How long an entry is, is checked when it is read,
whatever the archive says about it. Names are UTF-8 where their bytes are, as many programs write
them without saying so; backslashes stand for slashes, as PowerShell 5 and older .NET write them.
"""

from __future__ import annotations

import functools
import io
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath

MAX_ENTRIES = 20_000
"""In an archive of a whole class."""
MAX_RATIO = 200
"""Times that an entry of over a megabyte may grow; notebooks grow 5 to 50 times."""
_LONG = 2**20
_DRIVE = re.compile(r"[A-Za-z]:")
"""What leads out of a folder on Windows."""
_IS_UTF8 = 0x800
"""The flag of an entry whose name is UTF-8."""
_DIRECTORY_ENTRY = b"PK\x01\x02"
"""What each entry of the directory starts with."""
_FIELD = struct.Struct("<HH")
_UNICODE_PATH = 0x7075
"""Field of a name in UTF-8, behind its version and a checksum (APPNOTE.TXT, 4.6.9)."""
_KNOWN_METHODS = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    IndexError,
    OverflowError,
)
"""What zipfile raises for archives that are no archives."""


class ArchiveError(ValueError):
    """The archive is refused; the message says why."""


@dataclass(frozen=True)
class Entry:
    """A file in an archive."""

    name: str
    """Its path within the archive, with slashes."""
    written: datetime | None
    """The time that the archive gives it, by this machine's clock; None where that is no time."""


def entries(archive: Path | bytes, most: int = MAX_ENTRIES) -> list[Entry]:
    """Return the files of an archive in its own order, or raise `ArchiveError`."""
    if isinstance(archive, bytes) and archive.count(_DIRECTORY_ENTRY) > most:
        raise ArchiveError(f"holds over {most} files")
    with _opened(archive) as opened:
        listed = opened.infolist()
        if len(listed) > most:
            raise ArchiveError(f"holds {len(listed)} files; {most} is the most")
        for info in listed:
            _check(info)
        files = [info for info in listed if not _name(info).endswith("/")]
        _refuse_twice(files)
        return [Entry(_name(info), _written(info)) for info in files]


def content(archive: Path | bytes, name: str, most: int) -> bytes:
    """Return the bytes of an entry, `most` or fewer; else an `ArchiveError`."""
    with _opened(archive) as opened:
        info = opened.by_name.get(name)
        if info is None:
            raise ArchiveError(f"holds no {name[:100]!r}")
        if info.file_size > most:
            raise ArchiveError(
                f"holds a file of {info.file_size / 2**20:.0f} MB; {most / 2**20:.0f} is the most"
            )
        if info.file_size > max(_LONG, MAX_RATIO * info.compress_size):
            raise ArchiveError(f"holds a file that grows more than {MAX_RATIO} times")
        with opened.open(info) as file:
            return file.read(most)  # with a limit, no more is decompressed than is returned


@contextmanager
def _opened(archive: Path | bytes) -> Iterator[_Archive]:
    try:
        if isinstance(archive, bytes):
            with _Archive(io.BytesIO(archive)) as file:
                yield file
        else:
            about = archive.stat()
            yield _kept_open(archive, (about.st_ino, about.st_size, about.st_mtime_ns))
    except ArchiveError:
        raise
    except _BROKEN as error:
        raise ArchiveError(f"is broken ({str(error)[:100] or type(error).__name__})") from None


@functools.lru_cache(maxsize=1)
def _kept_open(archive: Path, as_it_is: tuple[int, ...]) -> _Archive:
    """Return an archive on the disk, whose directory is read once for all of its entries."""
    return _Archive(archive)


class _Archive(zipfile.ZipFile):
    """An archive whose entries are known by the names that this module gives them."""

    @functools.cached_property
    def by_name(self) -> dict[str, zipfile.ZipInfo]:
        """The entries, by name."""
        return {_name(info): info for info in self.infolist()}


def _name(info: zipfile.ZipInfo) -> str:
    """Return an entry's path, with slashes."""
    name = info.filename
    if not info.flag_bits & _IS_UTF8:
        with suppress(UnicodeError):
            name = (_in_unicode(info.extra) or name.encode("cp437")).decode("utf-8")
    return unicodedata.normalize("NFC", name.replace("\\", "/"))


def _in_unicode(extra: bytes) -> bytes:
    """Return the name that Info-ZIP keeps besides one in another encoding; empty if it doesn't."""
    while len(extra) >= _FIELD.size:
        kind, length = _FIELD.unpack_from(extra)
        field, extra = extra[_FIELD.size : _FIELD.size + length], extra[_FIELD.size + length :]
        if kind == _UNICODE_PATH:
            return field[5:]
    return b""


def _check(info: zipfile.ZipInfo) -> None:
    """Refuse an entry that no learning platform writes."""
    path = PurePosixPath(_name(info))
    name = repr(info.filename[:100])
    if path.is_absolute() or ".." in path.parts or _DRIVE.match(str(path)) or not path.parts:
        raise ArchiveError(f"holds a path that leads out of it, {name}")
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise ArchiveError(f"holds {name}, which is a link or no file")
    if info.flag_bits & 0x1:
        raise ArchiveError(f"is encrypted ({name})")
    if info.compress_type not in _KNOWN_METHODS:
        raise ArchiveError(f"is compressed by another method than deflate ({name})")


def _refuse_twice(files: list[zipfile.ZipInfo]) -> None:
    """Refuse two files of one path, and a file whose path is another one's folder."""
    paths = [PurePosixPath(_name(info)) for info in files]
    folders = {folder for path in paths for folder in path.parents}
    seen: set[PurePosixPath] = set()
    for path in paths:
        if path in seen or path in folders:
            raise ArchiveError(f"holds {str(path)[:100]!r} twice")
        seen.add(path)


def _written(info: zipfile.ZipInfo) -> datetime | None:
    try:
        return datetime(*info.date_time).astimezone()
    except (ValueError, OverflowError):
        return None
