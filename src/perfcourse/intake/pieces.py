"""What was collected, piece by piece: the files and folders at the top of a folder or zip archive.

A piece knows its notebook. Folders hold what strangers made: links are not followed, and few
entries are looked at.
"""

from __future__ import annotations

import itertools
import os
import re
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from perfcourse.intake import archives
from perfcourse.intake.archives import ArchiveError, Entry
from perfcourse.intake.platforms import platform_of

MAX_LOOKED_AT = 5000
"""Files and folders that are looked at to find the notebook in a student's folder."""
_IGNORED = (".", "__")
_CLUTTER = re.compile(
    r"\.DS_Store|__MACOSX|\.ipynb_checkpoints|__pycache__|\.git\w*|\.nbgrader\.log|Thumbs\.db"
    r"|desktop\.ini|\.Trash.*|\.fseventsd|\.Spotlight.*|\.directory|\.~lock\..*|\.nfs\w+|\._.*"
)
"""What systems leave in a folder by themselves; everything else there was handed in."""


@dataclass(frozen=True)
class Piece:
    """A file or folder at the top of what was collected."""

    name: str
    path: Path
    """Of it, or of the archive that holds it."""
    folder: bool
    entries: tuple[Entry, ...] = ()
    """In an archive, its files."""

    def notebook(self, topic: str) -> tuple[Path | None, str, str]:
        """Return the file, its path within an archive, and why there is no notebook."""
        if not self.folder:
            return self.path, self.entries[0].name if self.entries else "", ""
        if not self.entries:
            path, problem = _notebook_in(self.path, topic)
            return path, "", problem
        inside = [entry.name for entry in self.entries if not _hidden(entry.name)]
        member, problem = _chosen(inside, topic)
        return (self.path, member, "") if member else (None, "", problem)

    def written(self, path: Path, member: str) -> datetime | None:
        """Return the time of a file of it, as the file system or the archive has it."""
        if member:
            return next(entry.written for entry in self.entries if entry.name == member)
        return datetime.fromtimestamp(os.lstat(path).st_mtime, UTC).astimezone()


def pieces(collected: Path, aside: Collection[Path] = ()) -> list[Piece]:
    """Return what was collected, in order of the names, without what is put aside.

    Raises
    ------
    ValueError
        It is neither a folder nor a zip archive, or the archive is refused.
    """
    if collected.is_dir():
        return [_on_disk(path) for path in _entries(collected, aside)]
    try:
        return _in_archive(collected, archives.entries(collected))
    except ArchiveError as error:
        raise ValueError(
            f"submissions must be a folder or a zip archive, but {collected} {error}"
        ) from None


def _entries(folder: Path, aside: Collection[Path]) -> list[Path]:
    ours = {path.resolve() for path in aside}
    here = folder.resolve()
    return [
        path
        for path in sorted(folder.iterdir(), key=lambda path: os.fsencode(path.name))
        if not _CLUTTER.fullmatch(path.name) and here / path.name not in ours
    ]


def _on_disk(path: Path) -> Piece:
    return Piece(path.name, path, stat.S_ISDIR(os.lstat(path).st_mode))


def _in_archive(path: Path, entries: list[Entry]) -> list[Piece]:
    kept = [entry for entry in entries if not _is_clutter(entry.name)]
    depth, tops = 0, _by_part(kept, 0)
    if len(tops) == 1 and all(len(PurePosixPath(entry.name).parts) > 1 for entry in kept):
        inner = _by_part(kept, 1)
        if platform_of(inner) or (path.stem in tops and not platform_of(tops)):
            depth, tops = 1, inner
    return [_archived(path, name, inside, depth) for name, inside in sorted(tops.items())]


def _by_part(entries: list[Entry], depth: int) -> dict[str, list[Entry]]:
    """Return entries by a part of their paths: with 1, a folder around everything is left out."""
    tops: dict[str, list[Entry]] = {}
    for entry in entries:
        tops.setdefault(PurePosixPath(entry.name).parts[depth], []).append(entry)
    return tops


def _archived(path: Path, name: str, entries: list[Entry], depth: int) -> Piece:
    folder = len(PurePosixPath(entries[0].name).parts) > depth + 1
    return Piece(name, path, folder, tuple(entries))


def _is_clutter(name: str) -> bool:
    return any(_CLUTTER.fullmatch(part) for part in PurePosixPath(name).parts)


def _hidden(name: str) -> bool:
    return any(part.startswith(_IGNORED) for part in PurePosixPath(name).parts[1:])


def _notebook_in(folder: Path, topic: str) -> tuple[Path | None, str]:
    left = [MAX_LOOKED_AT]
    paths = [str(path) for path in _files(folder, 3, left)]
    if left[0] <= 0:
        return None, f"The folder holds over {MAX_LOOKED_AT} files. Hand in the .ipynb file itself."
    name, problem = _chosen(paths, topic)
    return (Path(name) if name else None), problem


def _chosen(names: list[str], topic: str) -> tuple[str, str]:
    """Return the one notebook or the one of the topic's name, else the one archive or file."""
    notebooks = [name for name in names if name.endswith(".ipynb")]
    named = [name for name in notebooks if PurePosixPath(name).name == f"{topic}.ipynb"]
    zips = [name for name in names if name.lower().endswith(".zip")]
    for candidates in (named, notebooks) if notebooks else (zips, names):
        if len(candidates) == 1:
            return candidates[0], ""
    if notebooks:
        return "", f"The folder holds several notebooks. Keep one and name it {topic}.ipynb."
    return "", "The folder holds no notebook. Hand in the .ipynb file itself."


def _files(folder: Path, depth: int, left: list[int]) -> Iterator[Path]:
    try:
        first = itertools.islice(os.scandir(folder), max(0, left[0]))
        entries = sorted(first, key=lambda entry: os.fsencode(entry.name))
    except OSError:
        return
    left[0] -= len(entries)
    for entry in entries:
        if entry.name.startswith(_IGNORED):
            continue
        if entry.is_dir(follow_symlinks=False):
            if depth > 1:
                yield from _files(Path(entry.path), depth - 1, left)
        else:
            yield Path(entry.path)
