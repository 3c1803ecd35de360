"""One run at a time to an output folder.

The kernel keeps the lock for as long as the run lives and gives it back however the run ends, so a
killed run leaves nothing to clean up. What is written into the file only says who holds it. Our own
rather than filelock's: that spares four lines of these, says nothing of who holds the lock, empties
the file in its older versions, and stops where NFS has no locks (ENOLCK).
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NAME = "running.json"
_UNSUPPORTED = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}


class HeldError(OSError):
    """Another run writes to the folder; the message says which, and what to do."""


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep every other run from writing to `folder` inside the block; a `HeldError` if one does."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / NAME, os.O_RDWR | os.O_CREAT, 0o600)
    with os.fdopen(handle, "r+", errors="replace") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise HeldError(
                f"{folder} is being written by another run{_who(file.read())}. Wait until it has "
                "ended or stop it, then give the same command again; or write to another folder "
                "with --out."
            ) from None
        except OSError as error:
            if error.errno not in _UNSUPPORTED:
                raise
            warnings.warn(
                f"{folder} is on a file system without locks: see to it yourself that only one "
                "run writes there",
                stacklevel=3,
            )
        _write(file.fileno(), json.dumps(_ourselves()))
        try:
            yield
        finally:
            _write(file.fileno(), "")


def _write(handle: int, text: str) -> None:
    """Say who holds the folder, if the disk has room for that."""
    with suppress(OSError):
        os.ftruncate(handle, 0)
        os.pwrite(handle, text.encode(), 0)


def _ourselves() -> dict[str, str | int]:
    return {
        "process": os.getpid(),
        "machine": socket.gethostname(),
        "since": time.strftime("%Y-%m-%d %H:%M:%S"),
    }


def _who(text: str) -> str:
    """Return who holds the folder, as far as the file says so."""
    try:
        run = json.loads(text)
        return f" (process {run['process']} on {run['machine']} since {run['since']})"
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
