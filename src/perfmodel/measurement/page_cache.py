"""The page cache: memory in which the system keeps files, so that a second reading needs no disk.

A reading is the disk's only if the file's pages were dropped before it. The system can be asked to,
and need not do so: what is mapped or being written stays, and a file system kept in memory has
nowhere else to read from. So hold a reading after `drop_pages` against one from memory.
"""

from __future__ import annotations

import os
from pathlib import Path


def drop_pages(path: str | Path) -> bool:
    """Ask the system to forget its copy of a file in memory, and return whether it can be asked.

    Linux can, macOS and Windows can't. What was written to the file at `path` is first brought to
    the disk, since only such pages can be dropped. Raises `OSError` if there is no such file, or it
    can't be read.
    """
    with open(path, "rb") as file:
        if not hasattr(os, "posix_fadvise"):
            return False
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return True
