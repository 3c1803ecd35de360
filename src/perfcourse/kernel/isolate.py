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

_NEW = {
    "mount": 0x00020000,
    "cgroup": 0x02000000,
    "host name": 0x04000000,
    "IPC": 0x08000000,
    "user": 0x10000000,
    "process": 0x20000000,
    "network": 0x40000000,
}
ALL_NAMESPACES = sum(_NEW.values())
_NOSUID, _NODEV, _NOEXEC = 2, 4, 8
_BIND_ALL = 4096 | 16384
_PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP = 4, 24, 38, 22
PR_SET_CHILD_SUBREAPER = 36
_LAST_CAPABILITY = 63


@dataclass(frozen=True)
class Limits:
    """What one submission may use."""

    memory: int = 2 * 2**30
    """Bytes of address space beyond the warm parent's, and of memory of all its processes."""
    processes: int = 32
    files: int = 128
    file_size: int = 16 * 2**20
    disk: int = 64 * 2**20
    """Bytes of each private tmpfs."""
    cpu: int = 120
    """Seconds of CPU time of each process."""


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
    python = ctypes.pythonapi
    python.PyOS_BeforeFork()
    pid = int(python.syscall(_CLONE[_machine()], ALL_NAMESPACES | signal.SIGCHLD, 0, 0, 0, 0))
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
            raise OSError("clone: not allowed to make namespaces")
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


def _machine() -> int:
    return _ARCHITECTURES[os.uname().machine][0]


def shut_in(limits: Limits, folders: tuple[str, ...], kept: tuple[str, ...] = ()) -> None:
    """Cover everything writable and /proc with fresh tmpfs, then give up all privileges.

    What is `kept` lies in one of the `folders` and stays as it is, read-only and where it was.
    """
    facts = {name: _read(f"/proc/{name}") for name in ("cpuinfo", "meminfo")}
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    apply_limits(limits)
    links = {path: os.readlink(path) for path in kept if os.path.islink(path)}
    handles = {path: os.open(path, os.O_PATH) for path in kept if path not in links}
    for folder in folders:
        _mount_tmpfs(folder, limits.disk)
    for path, handle in handles.items():
        _put_back(path, handle)
    for path, target in links.items():
        os.symlink(target, path)
    _mount_tmpfs("/proc", 2**20)
    for name, text in facts.items():
        with open(f"/proc/{name}", "wb") as out:
            out.write(text)
    _call("mount", None, b"/proc", None, 32 | 1 | _NOSUID | _NODEV | _NOEXEC, None)
    _drop_capabilities()
    _call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    install_filter()


def apply_limits(limits: Limits) -> None:
    """Set the resource limits, hard ones, on the calling process."""
    pages = int((_read("/proc/self/statm").split() or [b"0"])[0])
    memory = limits.memory + pages * os.sysconf("SC_PAGE_SIZE")
    chosen = {
        "AS": memory,
        "CPU": limits.cpu,
        "FSIZE": limits.file_size,
        "NOFILE": limits.files,
        "NPROC": limits.processes,
        "CORE": 0,
        "MEMLOCK": 0,
        "MSGQUEUE": 0,
    }
    if sys.platform != "linux":
        del chosen["AS"], chosen["NPROC"], chosen["MSGQUEUE"]
    for word, limit in chosen.items():
        name = getattr(resource, f"RLIMIT_{word}")
        ceiling = resource.getrlimit(name)[1]
        limit = limit if ceiling == resource.RLIM_INFINITY else min(limit, ceiling)
        resource.setrlimit(name, (limit, limit))


def _mount_tmpfs(folder: str, size: int) -> None:
    options = f"size={size},nr_inodes=8192,mode=0700".encode()
    _call("mount", b"tmpfs", folder.encode(), b"tmpfs", _NOSUID | _NODEV, options)


def _put_back(path: str, handle: int) -> None:
    """Show what an open handle stands for at its path again, which a tmpfs now covers."""
    source = f"/proc/self/fd/{handle}"
    os.makedirs(path if os.path.isdir(source) else os.path.dirname(path), exist_ok=True)
    if not os.path.isdir(source):
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
    _call("mount", source.encode(), path.encode(), None, _BIND_ALL, None)
    os.close(handle)


def _drop_capabilities() -> None:
    for capability in range(_LAST_CAPABILITY + 1):
        libc().prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = ctypes.create_string_buffer(struct.pack("=Ii", 0x20080522, 0))
    _call("capset", header, ctypes.create_string_buffer(24))


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


# The system call filter: numbers of calls on x86-64 and on arm64, by name.
_REFUSED = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "fanotify_init": (300, 262),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "quotactl": (179, 60),
    "personality": (135, 92),
    "mbind": (237, 235),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
}
_CLONE, _CLONE3 = (56, 220), (435, 435)
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _EPERM, _ENOSYS, _KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000


def filter_program(machine: str) -> bytes:
    """Return the seccomp program for a machine (x86_64 or aarch64); empty for any other.

    >>> len(filter_program("x86_64")) % 8, filter_program("riscv64")
    (0, b'')
    """
    if machine not in _ARCHITECTURES:
        return b""
    column, architecture = _ARCHITECTURES[machine]
    program = [
        _step(_LOAD, 4),
        _step(_EQUAL, architecture, 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, 0),
    ]
    if machine == "x86_64":
        program += [_step(_AT_LEAST, 0x40000000, 0, 1), _step(_RETURN, _EPERM)]
    for numbers in _REFUSED.values():
        program += [_step(_EQUAL, numbers[column], 0, 1), _step(_RETURN, _EPERM)]
    program += [_step(_EQUAL, _CLONE3[column], 0, 1), _step(_RETURN, _ENOSYS)]
    program += [
        _step(_EQUAL, _CLONE[column], 0, 3),
        _step(_LOAD, 16),
        _step(_ANY_BIT, ALL_NAMESPACES, 0, 1),
        _step(_RETURN, _EPERM),
        _step(_RETURN, _ALLOW),
    ]
    return b"".join(program)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def install_filter() -> bool:
    """Refuse the system calls above for this process and its children; tell whether it was done."""
    program = filter_program(os.uname().machine)
    if not program:
        return False
    code = ctypes.create_string_buffer(program, len(program))
    pointer = ctypes.cast(code, ctypes.c_void_p).value or 0
    header = ctypes.create_string_buffer(struct.pack("@HP", len(program) // 8, pointer))
    _call("prctl", _PR_SET_SECCOMP, 2, header, 0, 0)
    return True
