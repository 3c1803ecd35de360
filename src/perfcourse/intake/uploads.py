"""What was collected, piece by piece: the files and folders at the top of a folder or zip archive.

A folder around everything is left out, however deep. Folders hold what strangers made: links are
not followed, and few entries are looked at.
"""

from __future__ import annotations

import itertools
import os
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from perfcourse.intake import archives
from perfcourse.intake.archives import ArchiveError
from perfcourse.intake.file_names import (
    bases,
    is_archive,
    is_hidden,
    is_notebook,
    may_hold,
    original,
    stem,
)
from perfcourse.intake.file_types import AN_ARCHIVE, kind
from perfcourse.intake.people.gradescope import METADATA
from perfcourse.intake.platforms import RETURNED, platform_of

MAX_LOOKED_AT = archives.MAX_ENTRIES
"""Files and folders that are looked at in a folder at the top."""
_CLUTTER = re.compile(
    r"\.DS_Store|__MACOSX|\.ipynb_checkpoints|__pycache__|\.git\w*|\.nbgrader\.log|Thumbs\.db"
    r"|desktop\.ini|\.Trash.*|\.fseventsd|\.Spotlight.*|\.directory|\.~lock\..*|\.nfs\w+|\._.*"
)
"""What systems leave in a folder by themselves; everything else there was handed in."""
LEFT_BY_A_PROGRAM = "a program left it there"
ALLOWED = "submissions must be a folder or a zip archive"
_LOOKED_AT = 4096
TOO_MANY = "its folder holds too many files"
NESTED = (
    "submissions must be the files that students handed in, but {path} holds {name}, which is "
    "itself a download of several students. Take {name} out and give it alone"
)
FEW = 3
"""Of so many files and folders each may be a download; of more, each is a student's."""
MOST_NESTED = 2**28
"""Bytes of an archive in an archive that are looked at."""
NOTHING = "submissions must be the files that students handed in, but {path} holds none"
HIDDEN = "its name is hidden, by a dot or two underscores"


@dataclass(frozen=True)
class File:
    """A file of what was collected."""

    name: str
    """Its path within what was collected, without a folder around everything; with a slash at the
    end, an empty folder's."""
    path: Path
    """On disk; of the archive, where it lies in one."""
    member: str = ""
    """Its path within the archive."""
    written: datetime | None = None
    """The time that the file system or the archive has of it."""
    passed_over: str = ""
    """Why nobody looks into it; empty where somebody does."""

    @property
    def top(self) -> str:
        """Return the first part of its path."""
        return self.name.partition("/")[0]

    @property
    def within(self) -> str:
        """Return its path within the first folder."""
        return self.name.partition("/")[2]


@dataclass(frozen=True)
class Piece:
    """A file or folder at the top of what was collected."""

    name: str
    folder: bool
    files: tuple[File, ...]
    """The file itself, or those in the folder."""


def pieces(
    collected: Path,
    aside: Collection[Path] = (),
    topic: str = "",
    known: Callable[[str], bool] = lambda name: False,
) -> tuple[list[Piece], list[File]]:
    """Return what was collected, in order of the names, and what programs left beside it.

    What lies `aside` is nobody's. Files called `topic` are a student's, not students; `known` says
    whether somebody of the class is called so.
    """
    files = _on_disk(collected, aside) if collected.is_dir() else _archived(collected)
    clutter = [file for file in files if _is_clutter(file)]
    handed_in = [file for file in files if not _is_clutter(file)]
    if not handed_in:
        raise ValueError(NOTHING.format(path=collected))
    tops: dict[str, list[File]] = {}
    unwrapped = _unwrapped(handed_in, collected, topic, known)
    for file in unwrapped:
        tops.setdefault(file.top, []).append(file)
    for name, inside in tops.items() if len(tops) <= FEW else ():
        somebody = known(name) or known(stem(name)) or platform_of([name])
        if not somebody and _of_a_class(inside, known):
            raise ValueError(NESTED.format(path=collected, name=name))
    return [_piece(name, inside) for name, inside in tops.items()], clutter


def _of_a_class(files: list[File], known: Callable[[str], bool]) -> bool:
    """Whether a folder or an archive holds what several students handed in."""
    file = files[0]
    if "/" in file.name:
        return bool(platform_of({file.within.partition("/")[0] for file in files if file.within}))
    if not is_archive(file.name):
        return False
    try:
        data = archives.content(file.path, file.member, MOST_NESTED) if file.member else file.path
        tops = {PurePosixPath(entry.name).parts[0] for entry in archives.entries(data)}
    except ArchiveError:
        return False
    return bool(platform_of(tops)) or sum(known(stem(name)) or known(name) for name in tops) > 1


def _is_clutter(file: File) -> bool:
    return bool(file.passed_over) and "/" not in file.name


def piece_at(path: Path) -> Piece:
    """Return one file or folder on disk as a piece."""
    return _piece(path.name, list(_walk(path, path.name, [MAX_LOOKED_AT])))


def _piece(name: str, files: list[File]) -> Piece:
    folder = any("/" in file.name for file in files)
    return Piece(name, folder, tuple(_shown(file) for file in files if not file.name.endswith("/")))


def _shown(file: File) -> File:
    return replace(file, passed_over=file.passed_over or passed_over(file.within))


def passed_over(path: str) -> str:
    """Return why nobody looks into a file at a path within a folder; '' where somebody does."""
    parts = PurePosixPath(path).parts
    if any(_CLUTTER.fullmatch(part) for part in parts):
        return LEFT_BY_A_PROGRAM
    if RETURNED in parts:
        return "it was returned to the student"
    return HIDDEN if is_hidden(path) else ""


def _on_disk(folder: Path, aside: Collection[Path]) -> list[File]:
    ours = {path.resolve() for path in aside}
    here = folder.resolve()
    paths = sorted(folder.iterdir(), key=lambda path: os.fsencode(path.name))
    names = {path.name for path in paths}
    return [
        file
        for path in paths
        if here / path.name not in ours
        for file in _walk(path, _composed(path.name, names), [MAX_LOOKED_AT])
    ]


def _composed(name: str, siblings: Collection[str]) -> str:
    """Return a name as most systems write it, where macOS writes accents apart from letters."""
    composed = unicodedata.normalize("NFC", name)
    return name if composed in siblings else composed


def _walk(path: Path, name: str, left: list[int]) -> Iterator[File]:
    """Yield a file, or what is in a folder: at most `left` files, then one that says so."""
    left[0] -= 1
    if left[0] < 0:
        if left[0] == -1:
            yield File(name, path, passed_over=TOO_MANY)
    elif _CLUTTER.fullmatch(path.name):
        yield File(name, path, passed_over=LEFT_BY_A_PROGRAM)
    elif path.is_symlink() or not path.is_dir():
        yield File(name, path, written=_changed(path))
    else:
        yield File(f"{name}/", path)
        try:
            first = itertools.islice(os.scandir(path), left[0] + 1)
            inside = sorted((entry.name for entry in first), key=os.fsencode)
        except OSError:
            return
        for entry in inside:
            yield from _walk(path / entry, f"{name}/{_composed(entry, inside)}", left)


def _changed(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(os.lstat(path).st_mtime, UTC).astimezone()
    except (OSError, OverflowError, ValueError):
        return None


def _archived(path: Path) -> list[File]:
    with path.open("rb") as file:
        what = kind(file.read(_LOOKED_AT))
    if what not in ("", AN_ARCHIVE):
        advice = "Download it again." if what == "a web page" else "Unpack it and give the folder."
        raise ValueError(f"{ALLOWED}, but {path} is {what}. {advice}")
    try:
        listed = archives.entries(path)
    except ArchiveError as error:
        advice = ". Download it again" if str(error).startswith("is broken") else ""
        raise ValueError(f"{ALLOWED}, but {path} {error}{advice}") from None
    files: dict[str, File] = {}
    for entry in listed:
        parts = PurePosixPath(entry.name).parts
        depth = next((n for n, part in enumerate(parts, 1) if _CLUTTER.fullmatch(part)), 0)
        name = "/".join(parts[:depth] if depth else parts)
        reason = LEFT_BY_A_PROGRAM if depth else ""
        files.setdefault(name, File(name, path, entry.name, entry.written, reason))
    return [files[name] for name in sorted(files)]


def _unwrapped(
    files: list[File], collected: Path, topic: str, known: Callable[[str], bool]
) -> list[File]:
    """Leave out a folder around everything, and one around that."""
    around = {file.top for file in files if "/" in file.name}
    beside = [file for file in files if "/" not in file.name]
    if len(around) != 1 or any(may_hold(file.name) for file in beside):
        return files
    (folder,) = around
    inner = [replace(file, name=file.within) for file in files if file.within]
    if not _wraps(folder, inner, collected, topic, known):
        return files
    return _unwrapped([*beside, *inner], collected, topic, known)


def _platform_below(files: list[File]) -> bool:
    """Whether names of a platform's lie here, or in the only folder that lies here."""
    around = {file.top for file in files if "/" in file.name}
    if platform_of({file.top for file in files}):
        return True
    inner = [replace(file, name=file.within) for file in files if file.within]
    return len(around) == 1 and _platform_below(inner)


def _wraps(
    folder: str, inner: list[File], collected: Path, topic: str, known: Callable[[str], bool]
) -> bool:
    """Whether a folder is one around students, and not a student's."""
    tops = {file.top for file in inner}
    if platform_of([folder]) or known(folder):
        return False
    if (
        _platform_below(inner)
        or METADATA in tops
        or any(file.within == ".git" for file in inner)
        or any(known(stem(name)) or known(name) for name in tops)
    ):
        return True
    work = {file.top for file in inner if may_hold(file.name)}
    if any(topic in bases(stem(name)) for name in work if is_notebook(name)):
        return False
    if len(tops) == 1 and all("/" in file.name for file in inner):
        (only,) = tops
        deeper = [replace(file, name=file.within) for file in inner if file.within]
        return _wraps(only, deeper, collected, topic, known)
    same = not collected.is_dir() and original(collected.stem) == folder
    return same or len(work) > 1
