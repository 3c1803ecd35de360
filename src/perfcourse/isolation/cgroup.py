"""A control group (cgroup v2) for all students' processes of one grader, where one is delegated.

The resource limits hold for each process; the control group holds for all of them together, so it
is a second fence round memory and the number of processes. systemd delegates one to a user with
`systemd-run --user --scope -p Delegate=yes perfcourse grade ...`.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

CONTROLLERS = ("memory", "pids")
LEAF = "perfcourse-grader"
"""The group that the grader itself moves to, so that its own can be divided."""
ROOT = Path("/sys/fs/cgroup")
OURS = Path("/proc/self/cgroup")


@dataclass(frozen=True)
class ControlGroup:
    """A group that a process joins by `wrap`; `remove` it when they are gone."""

    path: Path

    def wrap(self, words: list[str]) -> list[str]:
        """Return a command that joins the group and then becomes `words`."""
        join = f'echo $$ > {str(self.path / "cgroup.procs")!r} && exec "$@"'
        return ["/bin/sh", "-c", join, "join", *words]

    def remove(self) -> None:
        """Remove the group, if it is empty."""
        with suppress(OSError):
            self.path.rmdir()


def delegated(root: Path = ROOT, ours: Path = OURS) -> Path | None:
    """Return our own group's folder if we may make groups with limits in it, else None."""
    try:
        line = next(line for line in ours.read_text().splitlines() if line.startswith("0::"))
        folder = root / line[3:].lstrip("/")
        if folder.name == LEAF:
            folder = folder.parent
        usable = set(CONTROLLERS) <= set((folder / "cgroup.controllers").read_text().split())
    except (OSError, StopIteration):
        return None
    return folder if usable and os.access(folder, os.W_OK) and _may_divide(folder) else None


def _may_divide(folder: Path) -> bool:
    """Whether its limits are handed on already, or only we are in it, who can make room."""
    try:
        enabled = (folder / "cgroup.subtree_control").read_text().split()
        inside = (folder / "cgroup.procs").read_text().split()
    except OSError:
        return False
    return set(CONTROLLERS) <= set(enabled) or set(inside) <= {str(os.getpid())}


def _divide(folder: Path) -> None:
    """Hand the limits on to groups below `folder`, which holds no process itself from then on.

    The kernel wants it so: a group that hands limits on has processes in its leaves alone.
    """
    if set(CONTROLLERS) <= set((folder / "cgroup.subtree_control").read_text().split()):
        return
    (folder / LEAF).mkdir(exist_ok=True)
    (folder / LEAF / "cgroup.procs").write_text(f"{os.getpid()}\n")
    words = " ".join(f"+{name}" for name in CONTROLLERS)
    (folder / "cgroup.subtree_control").write_text(f"{words}\n")


def make(memory: int, processes: int, folder: Path | None) -> ControlGroup | None:
    """Make a group with limits below `folder`; None where there is no folder or it is refused.

    `memory` is in bytes, for all `processes` together, their private file systems included; the
    folder is what `delegated` returned.
    """
    if folder is None:
        return None
    path = folder / f"perfcourse-{os.getpid()}"
    limits = {"memory.max": memory, "pids.max": processes}
    try:
        _divide(folder)
        path.mkdir(exist_ok=True)
        for name, limit in limits.items():
            (path / name).write_text(f"{limit}\n")
        with suppress(OSError):
            (path / "memory.swap.max").write_text("0\n")
    except OSError:
        return None
    return ControlGroup(path)
