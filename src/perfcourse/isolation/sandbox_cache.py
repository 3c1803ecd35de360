"""A cache of which kind of sandbox works on this machine, in a file of the user's own.

An entry is valid while its key is: a digest of the machine's boot, the kernel and what it allows,
bubblewrap, Python, this package, and the user.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import stat
import sys
from contextlib import suppress
from pathlib import Path

from perfcourse import kernel
from perfcourse.isolation.libraries import version

SandboxKind = tuple[bool, ...]
"""The switches by which `trial.possible` sandboxes differ."""
NAME = "protection.json"
_READ = (
    "/proc/sys/kernel/random/boot_id",
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/proc/self/attr/current",
    "/proc/self/uid_map",
    "/etc/subuid",
    "/etc/subgid",
)
_RIGHTS = re.compile(r"^(?:Uid|Gid|Cap\w+|NoNewPrivs|Seccomp\w*):.*", re.MULTILINE)
_LARGEST = 4096


def folder() -> Path:
    """Return the folder of the cache."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(home) / "perfcourse"


def key(bwrap: str) -> str:
    """Return a digest of all that decides what works here; empty where it can't be determined."""
    programs = [bwrap, sys.executable, shutil.which("newuidmap"), shutil.which("unshare")]
    ours = [*Path(kernel.__file__).parent.glob("*.py"), *Path(__file__).parent.glob("*.py")]
    parts = [
        [_text(path) for path in _READ],
        _RIGHTS.findall(_text("/proc/self/status")),
        [_link(f"/proc/self/ns/{name}") for name in ("user", "mnt", "pid")],
        [_stamp(path) for path in [*filter(None, programs), *sorted(map(str, ours))]],
        [platform.release(), platform.version(), platform.python_version()],
        [version(name) for name in ("perfmodel", "numpy")],
        [sys.prefix, sys.base_prefix],
    ]
    if not parts[0][0]:
        return ""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def read(key: str) -> SandboxKind | None:
    """Return the stored kind if its key is this one; a file that others can write isn't trusted."""
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        handle = os.open(folder() / NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            about = os.fstat(handle)
            mine = about.st_uid == os.geteuid() and not about.st_mode & 0o022
            if not mine or not stat.S_ISREG(about.st_mode):
                return None
            stored = json.loads(file.read(_LARGEST))
        if stored["key"] == key:
            return tuple(value is True for value in stored["how"])
    return None


def write(key: str, kind: SandboxKind) -> None:
    """Store what works; without a writable folder it is tried again at each start."""
    path = folder() / NAME
    part = path.with_name(f"{NAME}.{os.getpid()}")
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump({"key": key, "how": kind}, file)
        os.replace(part, path)


def forget() -> None:
    """Delete the cache."""
    with suppress(OSError):
        (folder() / NAME).unlink()


def _text(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _stamp(path: str) -> list[object]:
    try:
        about = os.stat(path)
    except OSError:
        return [path]
    return [path, about.st_ino, about.st_size, about.st_mtime_ns, about.st_mode, about.st_uid]
