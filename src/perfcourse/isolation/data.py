"""Data files of an assignment, laid out where submissions can read them and nobody else can."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

IN_SANDBOX = "/course/data"
NOBODY = 65534


@contextmanager
def laid_out(files: Mapping[str, Path], for_nobody: bool = False) -> Iterator[Path | None]:
    """Return a folder of copies of the files under their names, all read-only; None without any.

    Parameters
    ----------
    files : mapping of str to Path
        What lies where, by the name that students know.
    for_nobody : bool
        Whether the sandbox is started as nobody, who must find the folder.
    """
    if not files:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="perfcourse-data-") as outer:
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
