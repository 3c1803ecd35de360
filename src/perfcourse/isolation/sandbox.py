"""The sandbox around the warm parent: what bubblewrap is told, and what this machine can do."""

from __future__ import annotations

import json
import os
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import perfmodel
from perfcourse import kernel
from perfcourse.isolation import cgroup
from perfcourse.isolation.data import IN_SANDBOX
from perfcourse.kernel.calls import filter_program
from perfcourse.kernel.isolate import Limits

HOME = "/home/student"
NO_SANDBOX = "NO SANDBOX"
NOT_INSTALLED = "bubblewrap is not installed: apt-get install bubblewrap"
WRITABLE = ("/tmp", HOME, "/dev/shm")
_FIRST_UID, _RUNS = 2_000_000_000, 100_000
"""Each submission runs under a user id of its own, from here on, where the grader may choose."""
_FIRST_SUBORDINATE, _SUBORDINATE_RUNS = 1000, 64
"""The same among the 65,536 that an ordinary user usually has."""

PRELOAD = (
    "numpy",
    "scipy.optimize",
    "scipy.stats",
    "scipy.special",
    "scipy.linalg",
    "scipy.integrate",
    "scipy.interpolate",
    "matplotlib.pyplot",
    "pandas",
    "IPython.display",
    "ipywidgets",
    "timeit",
    "multiprocessing.pool",
    "concurrent.futures",
    "perfmodel",
)
"""What notebooks import, loaded once for all submissions; of `perfmodel` every module."""

_OF_PYTHON = ("bin", "lib", "lib32", "lib64", "include", "share", "etc", "ssl", "pyvenv.cfg")
"""What Python needs of its folder, which may be the folder of the course, bank and all."""

_NOBODY = "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"

_SUBORDINATE = "unshare", "--user", "--map-root-user", "--map-auto", "--"
"""Gives an ordinary user the ids that /etc/subuid grants, by newuidmap, within a namespace."""
_OF_ONE_RUN = 1000
"""User ids that one grader takes in turn."""

_START = (
    "import sys; sys.path.insert(0, {course!r}); from perfcourse.kernel.zygote import main; main()"
)


@dataclass(frozen=True)
class Sandbox:
    """What protects this machine: a sandbox, or nothing but limits (`bwrap` is then empty)."""

    bwrap: str = ""
    own_uids: bool = False
    """Whether each submission gets a user id that nobody else has."""
    nobody: bool = False
    """Whether root starts it as nobody, since the kernel limits no process of root's."""
    subordinate: bool = False
    """Whether those user ids are an ordinary user's subordinate ones."""
    problem: str = ""
    """Why there is no sandbox."""

    def uid(self, number: int) -> int:
        """Return a user id that no other submission has, of this grader or another running now.

        Among the few that are subordinate, one grader in 64 has those of another; ids are used
        again after a thousand submissions.
        """
        first, runs = self._uids
        return first + os.getpid() % runs * _OF_ONE_RUN + number % _OF_ONE_RUN

    @property
    def last_uid(self) -> int:
        """Return the highest user id that a submission may get."""
        first, runs = self._uids
        return first + runs * _OF_ONE_RUN - 1

    @property
    def _uids(self) -> tuple[int, int]:
        if self.subordinate:
            return _FIRST_SUBORDINATE, _SUBORDINATE_RUNS
        return _FIRST_UID, _RUNS

    @property
    def protections(self) -> tuple[str, ...]:
        """What is active, a phrase each, for the report."""
        if not self.bwrap:
            return (f"{NO_SANDBOX} ({self.problem or 'switched off'})", self._limits())
        return (
            "bubblewrap: own user, process, network, IPC and mount namespaces",
            "a namespace set and private, empty tmpfs for each submission",
            "read-only system, no environment, no network, no course or grader files",
            f"no capabilities, no new privileges{', system call filter' * _filtered()}",
            *(("a user id for each submission",) if self.own_uids else ()),
            *(("a control group for all submissions together",) if cgroup.delegated() else ()),
            self._limits(),
        )

    @property
    def counted(self) -> bool:
        """Whether the kernel limits the number of processes, which it doesn't for root."""
        return self.own_uids or self.nobody or os.geteuid() != 0

    def _limits(self) -> str:
        memory = sys.platform == "linux"
        words = ["memory"] * memory + ["processes"] * (memory and self.counted)
        return f"limits on {', '.join([*words, 'files', 'CPU and wall time'])}"


def _filtered() -> bool:
    return bool(filter_program(os.uname().machine))


def command(
    sandbox: Sandbox,
    control: int,
    limits: Limits,
    preload: Sequence[str] = PRELOAD,
    data: Path | None = None,
    hidden: Iterable[str] = ("perfmodel",),
) -> tuple[list[str], Mapping[str, str]]:
    """Return the command line and environment that start the warm parent.

    `data` is a folder that each submission finds the files of in its own. The source of `hidden`,
    the package or some below it, is what a submission can be kept from reading.
    """
    settings: dict[str, Any] = {
        "control": control,
        "limits": asdict(limits),
        "folders": WRITABLE if sandbox.bwrap else (),
        "kept": kept_parts() if sandbox.bwrap else (),
        "hidden": sorted(set(map(_source, hidden))) if sandbox.bwrap else (),
        "isolated": bool(sandbox.bwrap),
        "preload": list(preload),
        "data": (IN_SANDBOX if sandbox.bwrap else str(data)) if data else "",
    }
    course = "/course" if sandbox.bwrap else str(Path(kernel.__file__).parents[2])
    start = [python(), "-I", "-c", _START.format(course=course), json.dumps(settings)]
    if sandbox.bwrap:
        return [*bwrap_command(sandbox, data), *start], {}
    return start, environment(str(Path.home()))


def _source(package: str) -> str:
    """Return where the sandbox has a package's source: a folder, which can be covered."""
    own = Path(perfmodel.__file__).parents[1] / package.replace(".", "/")
    return f"/course/{package.replace('.', '/')}" if own.is_dir() else "/course/perfmodel"


def environment(home: str) -> dict[str, str]:
    """Return the only environment variables that a student's process sees."""
    return {
        "HOME": home,
        "USER": "student",
        "LOGNAME": "student",
        "PATH": f"{Path(python()).parent}:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "MPLBACKEND": "agg",
        "MPLCONFIGDIR": "/tmp/matplotlib",
        "IPYTHONDIR": "/tmp/ipython",
        "MALLOC_ARENA_MAX": "2",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "OBJC_DISABLE_INITIALIZE_FORK_SAFETY": "YES",
    }


def bwrap_command(sandbox: Sandbox, data: Path | None = None) -> list[str]:
    """Return the command line that starts the sandbox, all but the program in it."""
    words = list(_NOBODY) if sandbox.nobody else []
    words += list(_SUBORDINATE) if sandbox.subordinate else []
    words += [sandbox.bwrap, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    words += ["--unshare-cgroup-try", "--die-with-parent", "--new-session", "--clearenv"]
    if sandbox.own_uids:
        for capability in ("SETUID", "SETGID", "KILL", "DAC_READ_SEARCH"):
            words += ["--cap-add", f"CAP_{capability}"]
    else:
        words += ["--unshare-user", "--uid", "1000", "--gid", "1000"]
    for name, value in environment(HOME).items():
        words += ["--setenv", name, value]
    words += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", HOME]
    words += (
        _open_parents((f"{sys.base_prefix}/lib", f"{sys.prefix}/lib", "/course/perfcourse/kernel"))
        + _system()
        + _course()
    )
    words += ["--ro-bind", str(data), IN_SANDBOX] if data else []
    words += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"]
    return words


def _system() -> list[str]:
    words = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        folder = Path("/", name)
        if folder.is_symlink():
            words += ["--symlink", os.readlink(folder), str(folder)]
        elif folder.is_dir():
            words += ["--ro-bind", str(folder), str(folder)]
    for name in ("/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives"):
        words += ["--ro-bind-try", name, name]
    for path in _python_parts():
        if _leads_beside(path):
            words += ["--symlink", os.readlink(path), str(path)]
        else:
            words += ["--ro-bind", str(path), str(path)]
    return words


def _python_parts() -> list[Path]:
    prefixes = dict.fromkeys((sys.base_prefix, sys.prefix))
    own = [Path(prefix) for prefix in prefixes if not Path(prefix).is_relative_to("/usr")]
    return [prefix / part for prefix in own for part in _OF_PYTHON if (prefix / part).exists()]


def _leads_beside(path: Path) -> bool:
    """Whether it's a link such as lib64 to lib: bound, it would show what is hidden in lib."""
    return path.is_symlink() and os.readlink(path) in _OF_PYTHON


def kept_parts() -> tuple[str, ...]:
    """Return what of Python lies in folders that each submission has to itself, such as /tmp."""
    return tuple(
        str(path)
        for path in _python_parts()
        if any(path.is_relative_to(folder) for folder in WRITABLE)
    )


def _course() -> list[str]:
    words = ["--ro-bind", str(Path(kernel.__file__).parent), "/course/perfcourse/kernel"]
    words += ["--ro-bind", str(Path(perfmodel.__file__).parent), "/course/perfmodel"]
    for name in ("perfcourse", "perfmodel"):
        installed = Path(sysconfig.get_path("purelib")) / name
        words += ["--tmpfs", str(installed)] if installed.is_dir() else []
    return words


def _open_parents(paths: tuple[str, ...]) -> list[str]:
    """Make the folders above each path, such as /root, passable for everyone inside."""
    parents = {str(parent) for path in paths for parent in Path(path).parents}
    words = []
    for parent in sorted(parents - {"/", "/usr"}):
        words += ["--perms", "0755", "--dir", parent]
    return words


def python() -> str:
    """Return the program that runs in the sandbox."""
    return sys.executable


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
