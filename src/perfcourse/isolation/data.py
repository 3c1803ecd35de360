"""Data files of an assignment, laid out where submissions can read them and nobody else can."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

IN_SANDBOX = "/course/data"
NOBODY = 65534
_PREFIX = "perfcourse-data-"
_NEW = 60.0
"""Seconds in which a folder may not be locked yet."""


@contextmanager
def laid_out(files: Mapping[str, Path], for_nobody: bool = False) -> Iterator[Path | None]:
    """Return a folder of copies of the files under their names, all read-only; None without any.

    With `for_nobody` the sandbox is started as nobody, who must find the folder.
    """
    if not files:
        yield None
        return
    _delete_left_behind()
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as outer, _locked(Path(outer)):
        inner = Path(outer) / "data"
        inner.mkdir()
        for name, path in files.items():
            (inner / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, inner / name)
            (inner / name).chmod(0o444)
        for folder in (inner, *(path for path in inner.rglob("*") if path.is_dir())):
            folder.chmod(0o755)
        if for_nobody:
            os.chown(outer, NOBODY, NOBODY)
        yield inner


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Show by a lock that the folder is in use; the kernel gives it back however we end."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def _delete_left_behind() -> None:
    """Delete the folders of runs that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            about = folder.lstat()
            ours = about.st_uid in {os.geteuid(), NOBODY}
            if ours and time.time() - about.st_mtime > _NEW:
                with _locked(folder):
                    shutil.rmtree(folder, ignore_errors=True)
