"""The system call filter of a student's process, as a program that the kernel runs (seccomp).

Numbers are those of x86-64 and of arm64, by name; None where a machine hasn't got the call. What
is refused would open the kernel, another process, or a way between two submissions that run side
by side: a lease, a lock or a watch on a file that both can read is such a way. Locks are granted
without being taken, since honest programs ask for them on files of their own; so is a wait for
disks, which everybody on the machine would feel, and advice on what stays in the page cache, which
everybody has in common.

A shared futex in a file that both have mapped is such a way too. Nothing tells it from the futexes
that `multiprocessing` and pthread_join need, so nobody can sleep on one: a wait is over at once,
which is allowed at any time, and whoever waits looks again; so that this keeps no processor busy,
`patience` has the locks of `multiprocessing` look only now and then.
Calls that came after this list was made don't exist.
"""

from __future__ import annotations

import functools
import os
import struct
from collections.abc import Sequence

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
REFUSED: dict[str, tuple[int | None, int | None]] = {
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
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "fanotify_mark": (301, 263),
    "io_setup": (206, 0),
    "kexec_file_load": (320, 294),
    "fspick": (433, 433),
    "cachestat": (451, 451),
    "vmsplice": (278, 75),
    "landlock_create_ruleset": (444, 444),
    "mincore": (27, 232),
    "sysinfo": (99, 179),
    "quotactl_fd": (443, 443),
    "lookup_dcookie": (212, 18),
    "modify_ldt": (154, None),
    "iopl": (172, None),
    "ioperm": (173, None),
    "set_mempolicy_home_node": (450, 450),
    "futex_waitv": (449, 449),
    "splice": (275, 76),
    "tee": (276, 77),
    "sendfile": (40, 71),
    "clock_adjtime": (305, 266),
}
"""Calls that fail with EPERM, whatever they are asked; three of them move pages, not bytes, into
sockets, where a page counts as the one byte of it that was moved."""
GRANTED: dict[str, tuple[int, int]] = {
    "flock": (73, 32),
    "sync": (162, 81),
    "syncfs": (306, 267),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "sync_file_range": (277, 84),
    "msync": (26, 227),
    "fadvise64": (221, 223),
    "readahead": (187, 213),
}
"""Calls that say that they did what was asked, and did nothing."""
YOUNGEST = 452
"""The last call that is known here: fchmodat2, of Linux 6.6."""

_CLONE, _CLONE3 = (56, 220), (435, 435)
_SOCKET, _SOCKETPAIR, _SETSOCKOPT, _LISTEN = (41, 198), (53, 199), (54, 208), (50, 201)
_FCNTL, _IOCTL = (72, 25), (16, 29)
_PRLIMIT, _SETRLIMIT = (302, 261), (160, 164)
_FUTEX, _MADVISE, _MMAP, _PREADV2 = (202, 98), (28, 233), (9, 222), (327, 286)
_SHARED_WAITS = 0, 9, 11, 256, 265, 267
"""FUTEX_WAIT, WAIT_BITSET, WAIT_REQUEUE_PI, also by the clock of the day; none of them private."""
_COLD_PAGEOUT = 20, 21
_HUGE_PAGES = 0x40000
"""MAP_HUGETLB, which takes from a store that all the machine has in common."""
_AF_UNIX, _SOL_SOCKET = 1, 1
_BUFFER_SIZES = 7, 8, 32, 33
"""SO_SNDBUF, SO_RCVBUF and their FORCE: a socket keeps the size it is born with."""
_FILTERS = 26, 50, 51
"""SO_ATTACH_FILTER, SO_ATTACH_BPF and SO_ATTACH_REUSEPORT_CBPF: memory that nobody counts."""
_OF_LINUX, _DUPLICATE_PIPE_SIZE = 1024, (1030, 1032)
"""Linux's own commands begin there, with leases, and all but these two are refused."""
_LOCKS, _LOCKED = (6, 7, 37, 38), (5, 36)
"""F_SETLK, F_SETLKW and F_GETLK, of a process and of an open file."""
_CPU_TIME = 0
"""RLIMIT_CPU, at which the kernel kills. So a killed process has used up its time, and no notebook
chooses when: to lower the limit changes nothing, and is granted without being done."""
_TERMINAL_INPUT = 0x5412, 0x541C
"""TIOCSTI and TIOCLINUX, which type into a terminal."""
MOST_WAITING = 128
"""Connections that may wait at a socket, each with a buffer that no process has open."""

_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_LOAD, _EQUAL, _AT_LEAST, _MORE, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x25, 0x45, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_PRETEND, _EPERM, _EINVAL = _ERROR, _ERROR | 1, _ERROR | 22
_ENOMEM, _ENOSYS, _EOPNOTSUPP, _EAFNOSUPPORT = (_ERROR | number for number in (12, 38, 95, 97))
_NUMBER, _FIRST, _SECOND, _THIRD, _FOURTH, _SIXTH = 0, 16, 24, 32, 40, 56
"""Where the kernel puts a call's number and the low words of its arguments."""
_HIGH_WORD = 4
"""From a low word to the high one."""


def clone() -> int:
    """Return the number of clone(2) on this machine."""
    return _CLONE[_ARCHITECTURES[os.uname().machine][0]]


@functools.cache
def filter_program(machine: str) -> bytes:
    """Return the seccomp program for a machine (x86_64 or aarch64); empty for any other.

    >>> len(filter_program("x86_64")) % 8, filter_program("riscv64")
    (0, b'')
    """
    if machine not in _ARCHITECTURES:
        return b""
    column, architecture = _ARCHITECTURES[machine]
    program = [_step(_LOAD, 4), _step(_EQUAL, architecture, 1, 0), _step(_RETURN, _KILL)]
    program += [_step(_LOAD, _NUMBER)]
    if machine == "x86_64":
        program += [_step(_AT_LEAST, 0x40000000, 0, 1), _step(_RETURN, _EPERM)]
    program += [_step(_MORE, YOUNGEST, 0, 1), _step(_RETURN, _ENOSYS)]
    for numbers in REFUSED.values():
        if (number := numbers[column]) is not None:
            program += _answer([number], _EPERM)
    program += _answer([_CLONE3[column]], _ENOSYS)
    program += _answer([call[column] for call in GRANTED.values()], _PRETEND)
    return b"".join([*program, *_of_files(column), *_of_sockets(column), *_of_memory(column)])


def _of_files(column: int) -> list[bytes]:
    linux = [_step(_AT_LEAST, _OF_LINUX, 0, 1), _step(_RETURN, _EPERM)]
    commands = [*_answer(_DUPLICATE_PIPE_SIZE, _ALLOW), *linux]
    commands += [*_answer(_LOCKS, _PRETEND), *_answer(_LOCKED, _EINVAL)]
    program = _looking(_FCNTL[column], _SECOND, commands)
    program += _looking(_IOCTL[column], _SECOND, _answer(_TERMINAL_INPUT, _EPERM))
    flags = [_step(_EQUAL, 0, 1, 0), _step(_RETURN, _EOPNOTSUPP)]
    return program + _looking(_PREADV2[column], _SIXTH, flags)


def _of_sockets(column: int) -> list[bytes]:
    program = []
    for call in (_SOCKET, _SOCKETPAIR):
        unix = [_step(_EQUAL, _AF_UNIX, 1, 0), _step(_RETURN, _EAFNOSUPPORT)]
        program += _looking(call[column], _FIRST, unix)
    sizes = [_step(_LOAD, _THIRD), *_answer(_BUFFER_SIZES, _PRETEND), *_answer(_FILTERS, _EPERM)]
    only = [_step(_EQUAL, _SOL_SOCKET, 1, 0), _step(_RETURN, _ALLOW)]
    program += _looking(_SETSOCKOPT[column], _SECOND, [*only, *sizes])
    many = [_step(_MORE, MOST_WAITING, 0, 1), _step(_RETURN, _EINVAL)]
    return program + _looking(_LISTEN[column], _SECOND, many)


def _of_memory(column: int) -> list[bytes]:
    """Return the steps for processes and their memory, and the last one, which allows the rest."""
    program = _looking(_FUTEX[column], _SECOND, _answer(_SHARED_WAITS, _PRETEND))
    program += _looking(_MADVISE[column], _THIRD, _answer(_COLD_PAGEOUT, _PRETEND))
    huge = [_step(_ANY_BIT, _HUGE_PAGES, 0, 1), _step(_RETURN, _ENOMEM)]
    program += _looking(_MMAP[column], _FOURTH, huge)
    spaces = [_step(_ANY_BIT, ALL_NAMESPACES, 0, 1), _step(_RETURN, _EPERM)]
    program += _looking(_SETRLIMIT[column], _FIRST, _setting_cpu_time(_SECOND))
    program += _looking(_PRLIMIT[column], _SECOND, _setting_cpu_time(_THIRD))
    return [*program, *_looking(_CLONE[column], _FIRST, spaces), _step(_RETURN, _ALLOW)]


def _setting_cpu_time(new: int) -> list[bytes]:
    """Return the steps that grant a new limit on CPU time; `new` points to it, or is null."""
    every_bit = 0xFFFFFFFF
    return [
        _step(_EQUAL, _CPU_TIME, 1, 0),
        _step(_RETURN, _ALLOW),
        _step(_LOAD, new),
        _step(_ANY_BIT, every_bit, 2, 0),
        _step(_LOAD, new + _HIGH_WORD),
        _step(_ANY_BIT, every_bit, 0, 1),
        _step(_RETURN, _PRETEND),
    ]


def _answer(values: Sequence[int], answer: int) -> list[bytes]:
    """Return the steps that answer when what was loaded last is one of the values."""
    return [
        step for value in values for step in (_step(_EQUAL, value, 0, 1), _step(_RETURN, answer))
    ]


def _looking(number: int, argument: int, steps: list[bytes]) -> list[bytes]:
    """Return the steps that look at one argument of one call and allow the rest of it."""
    inside = [_step(_LOAD, argument), *steps, _step(_RETURN, _ALLOW)]
    return [_step(_EQUAL, number, 0, len(inside)), *inside]


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
