"""Shut the calling process into namespaces, limits and a system call filter of its own.

Called in a freshly forked child of the warm parent, inside the sandbox that bubblewrap has made.
Each submission gets its own user, mount, process, network, IPC and host name namespaces, fresh
tmpfs for everything writable, no capabilities, no way to gain any, and no way to see or signal
the warm parent or another submission. Linux only; everything goes through the C library.
"""

from __future__ import annotations

import ctypes
import functools
import os
import resource
import signal
import struct
import sys
from dataclasses import dataclass

from perfcourse.kernel import calls
from perfcourse.kernel.calls import ALL_NAMESPACES

_NOSUID, _NODEV, _NOEXEC = 2, 4, 8
_BIND_ALL = 4096 | 16384
_PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP = 4, 24, 38, 22
PR_SET_CHILD_SUBREAPER = 36
_REMOUNT_BIND, _READ_ONLY, _RELATIVE_TIME = 32 | 4096, 1, 1 << 21
_DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty"))
"""The machine's own, of which everybody may change the time, and their owner the mode."""
_LAST_CAPABILITY = 63
OUT_OF_CPU = "out of CPU time"
"""How a process ended that the kernel has killed at its limit."""


@dataclass(frozen=True)
class Limits:
    """What one submission may use."""

    memory: int = 2 * 2**30
    """Bytes of memory of all its processes, its files in memory, and the kernel's for it."""
    processes: int = 128
    """Of one user, threads included; where that is root, who has no such limit, twice as many of a
    submission."""
    files: int = 512
    file_size: int = 128 * 2**20
    disk: int = 128 * 2**20
    """Bytes of each private tmpfs."""
    cpu: int = 120
    """Seconds of CPU time of each process."""
    timers: int = 64
    """Timers and queued signals; the kernel limits their number for all processes of a user."""

    @property
    def held(self) -> int:
        """Return the bytes at which it is stopped: below `memory`, since that takes a moment.

        They are also the address space of each process, beyond the warm parent's.
        """
        return self.memory * 3 // 4


@functools.cache
def libc() -> ctypes.CDLL:
    """Return the C library, with errno kept."""
    return ctypes.CDLL(None, use_errno=True)


def fork_apart(uid: int | None) -> int:
    """Fork; the child is process 1 in namespaces of its own. Returns 0 there, its pid here.

    The child runs as `uid` where the caller may choose one. It's a plain clone(2): copying a
    warm process twice, as unshare(2) and fork(2) would, takes longer than the rest together.
    """
    held, freed = os.pipe()
    python = ctypes.PyDLL(None, use_errno=True)
    python.PyOS_BeforeFork()
    pid = int(python.syscall(calls.clone(), ALL_NAMESPACES | signal.SIGCHLD, 0, 0, 0, 0))
    if pid == 0:
        python.PyOS_AfterFork_Child()
        os.close(freed)
        if os.read(held, 1) != b"1":
            os._exit(1)
        os.close(held)
        _become(uid)
        return 0
    python.PyOS_AfterFork_Parent()
    os.close(held)
    try:
        if pid < 0:
            raise OSError(f"clone: {os.strerror(ctypes.get_errno())}")
        _map_ids(pid, uid)
        os.write(freed, b"1")
    finally:
        os.close(freed)
    return pid


def _become(uid: int | None) -> None:
    if uid is not None:
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        _call("prctl", _PR_SET_DUMPABLE, 1, 0, 0, 0)


def _map_ids(pid: int, uid: int | None) -> None:
    """Let the new user namespace know one user and one group, and nothing else."""
    user, group = (os.getuid(), os.getgid()) if uid is None else (uid, uid)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/{pid}/{name}", "w") as file:
            file.write(text)


def shut_in(limits: Limits, folders: tuple[str, ...], kept: tuple[str, ...] = ()) -> None:
    """Cover everything writable and /proc with fresh tmpfs, then give up all privileges.

    What is `kept` lies in one of the `folders` and stays as it is, read-only and where it was.
    """
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    apply_limits(limits)
    facts = _facts()
    links = {path: os.readlink(path) for path in kept if os.path.islink(path)}
    handles = {path: os.open(path, os.O_PATH) for path in kept if path not in links}
    for folder in folders:
        _mount_tmpfs(folder, limits.disk)
    for path, handle in handles.items():
        _put_back(path, handle)
    for path, target in links.items():
        os.symlink(target, path)
    _mount_terminals()
    for path in filter(os.path.exists, _DEVICES):
        _make_read_only(path)
    _mount_tmpfs("/proc", 2**20)
    os.mkdir("/proc/1")
    os.symlink("1", "/proc/self")
    for name, text in facts.items():
        with open(f"/proc/{name}", "wb") as out:
            out.write(text)
    _call("mount", None, b"/proc", None, 32 | _READ_ONLY | _NOSUID | _NODEV | _NOEXEC, None)
    _drop_capabilities()
    _call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    program = calls.filter_program(os.uname().machine)
    if program:
        _install(program)


def get_ready() -> None:
    """Do once, before the forks, what is the same for each submission."""
    _facts()
    calls.filter_program(os.uname().machine)


@functools.cache
def _facts() -> dict[str, bytes]:
    """Return what a submission sees in /proc, as it was when first asked for.

    That is the machine, and of the submission itself as much as libraries look for (Dask by way
    of psutil): it is process 1, with the figures of the process from which it is forked. The times
    of each core are left out, because the C library would count them as cores to use.
    """
    facts = {name: _read(f"/proc/{name}") for name in ("cpuinfo", "meminfo", "loadavg", "uptime")}
    times = _read("/proc/stat").splitlines(keepends=True)
    facts["stat"] = b"".join(line for line in times if line.startswith((b"cpu ", b"btime ")))
    about = _read("/proc/self/stat").rpartition(b")")[2].split()
    facts["1/stat"] = b" ".join([b"1 (python)", about[0], b"0", *about[2:]]) + b"\n"
    return {**facts, **{f"1/{name}": _read(f"/proc/self/{name}") for name in ("statm", "status")}}


def apply_limits(limits: Limits) -> None:
    """Set the resource limits, hard ones, on the calling process."""
    pages = int((_read("/proc/self/statm").split() or [b"0"])[0])
    memory = limits.held + pages * os.sysconf("SC_PAGE_SIZE")
    chosen = {
        "AS": memory,
        "CPU": limits.cpu,
        "FSIZE": limits.file_size,
        "NOFILE": limits.files,
        "NPROC": limits.processes,
        "CORE": 0,
        "MEMLOCK": 0,
        "MSGQUEUE": 0,
        "SIGPENDING": limits.timers,
    }
    if sys.platform != "linux":
        del chosen["AS"], chosen["NPROC"], chosen["MSGQUEUE"], chosen["SIGPENDING"]
    for word, limit in chosen.items():
        name = getattr(resource, f"RLIMIT_{word}")
        ceiling = resource.getrlimit(name)[1]
        limit = limit if ceiling == resource.RLIM_INFINITY else min(limit, ceiling)
        resource.setrlimit(name, (limit, limit))


def _mount_tmpfs(folder: str, size: int) -> None:
    options = f"size={size},nr_inodes=8192,mode=0700".encode()
    _call("mount", b"tmpfs", folder.encode(), b"tmpfs", _NOSUID | _NODEV, options)


def _mount_terminals() -> None:
    """Cover the terminals that submissions would share, and could talk over, by fresh ones.

    Where the machine refuses that, there are none.
    """
    if not os.path.isdir("/dev/pts"):
        return
    options = b"ptmxmode=666,mode=600,max=16"
    try:
        _call("mount", b"devpts", b"/dev/pts", b"devpts", _NOSUID | _NOEXEC, options)
    except OSError:
        _mount_tmpfs("/dev/pts", 2**12)


def _make_read_only(path: str) -> None:
    """Make a mount read-only, whatever else holds for it; to a device one may write all the same.

    The flags that it has can't be taken from it here, so they are named again.
    """
    has = os.statvfs(path).f_flag
    kept = has & (_NOSUID | _NODEV | _NOEXEC | os.ST_NOATIME | os.ST_NODIRATIME)
    kept |= _RELATIVE_TIME * bool(has & os.ST_RELATIME)
    _call("mount", None, path.encode(), None, _REMOUNT_BIND | _READ_ONLY | kept, None)


def _put_back(path: str, handle: int) -> None:
    """Show what an open handle stands for at its path again, which a tmpfs now covers."""
    source = f"/proc/self/fd/{handle}"
    os.makedirs(path if os.path.isdir(source) else os.path.dirname(path), exist_ok=True)
    if not os.path.isdir(source):
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
    _call("mount", source.encode(), path.encode(), None, _BIND_ALL, None)
    os.close(handle)


def _drop_capabilities() -> None:
    prctl = libc().prctl
    for capability in range(_LAST_CAPABILITY + 1):
        if prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0):
            break
    header = ctypes.create_string_buffer(struct.pack("=Ii", 0x20080522, 0))
    _call("capset", header, ctypes.create_string_buffer(24))


def _install(program: bytes) -> None:
    """Refuse what the program refuses to this process and its children, for good."""
    code = ctypes.create_string_buffer(program, len(program))
    pointer = ctypes.cast(code, ctypes.c_void_p).value or 0
    header = ctypes.create_string_buffer(struct.pack("@HP", len(program) // 8, pointer))
    _call("prctl", _PR_SET_SECCOMP, 2, header, 0, 0)


def _call(name: str, *arguments: object) -> None:
    if getattr(libc(), name)(*arguments) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(2**20)
    except OSError:
        return b""
