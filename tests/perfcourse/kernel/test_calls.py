"""The system call filter, run by an interpreter of its own: both machines' can be tried here."""

import re
import struct
from pathlib import Path

import pytest

from perfcourse.kernel.calls import GRANTED, MOST_WAITING, REFUSED, YOUNGEST, filter_program

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
COLUMN = {"x86_64": 0, "aarch64": 1}
NUMBERS = {
    "read": (0, 63),
    "clone": (56, 220),
    "clone3": (435, 435),
    "futex": (202, 98),
    "madvise": (28, 233),
    "mmap": (9, 222),
    "preadv2": (327, 286),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "setsockopt": (54, 208),
    "listen": (50, 201),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "setrlimit": (160, 164),
    "prlimit64": (302, 261),
}
ALLOWED, KILLED = 0x7FFF0000, 0x80000000
PRETENDED, EPERM, ENOMEM, EINVAL, ENOSYS, EOPNOTSUPP, EAFNOSUPPORT = (
    0x50000 + number for number in (0, 1, 12, 22, 38, 95, 97)
)


def answer(machine, number, *arguments, architecture=None):
    """Return what the program for a machine answers to a call, as the kernel would run it."""
    architecture = architecture or ARCHITECTURES[machine]
    data = struct.pack("<iIQ6Q", number, architecture, 0, *[*arguments, 0, 0, 0, 0, 0, 0][:6])
    steps = list(struct.iter_unpack("=HBBI", filter_program(machine)))
    place = loaded = 0
    tests = {
        0x15: lambda value: loaded == value,
        0x35: lambda value: loaded >= value,
        0x25: lambda value: loaded > value,
        0x45: lambda value: bool(loaded & value),
    }
    while True:
        code, if_true, if_false, value = steps[place]
        place += 1
        if code == 0x06:
            return value
        if code == 0x20:
            loaded = struct.unpack_from("<I", data, value)[0]
        else:
            place += if_true if tests[code](value) else if_false


pytestmark = pytest.mark.parametrize("machine", ARCHITECTURES)


def called(machine, name, *arguments):
    return answer(machine, NUMBERS[name][COLUMN[machine]], *arguments)


def test_what_is_refused_is_refused_and_the_rest_allowed(machine):
    refused = {numbers[COLUMN[machine]] for numbers in REFUSED.values()} - {None}
    granted = {numbers[COLUMN[machine]] for numbers in GRANTED.values()}
    looked_at = {numbers[COLUMN[machine]] for numbers in NUMBERS.values()}
    for number in range(YOUNGEST + 1):
        if number not in looked_at - {NUMBERS["read"][COLUMN[machine]]}:
            expected = EPERM if number in refused else PRETENDED if number in granted else ALLOWED
            assert answer(machine, number) == expected, number


def test_calls_that_came_later_do_not_exist(machine):
    for number in (YOUNGEST + 1, 467, 1000, 0x3FFFFFFF):
        assert answer(machine, number) == ENOSYS


def test_another_machines_calls_kill(machine):
    assert answer(machine, 0, architecture=0x40000003) == KILLED


def test_calls_of_the_other_kind_of_x86_are_refused(machine):
    for number in (0x40000000, 0x40000001, 0x400001FF, 0x7FFFFFFF, -1):
        assert answer(machine, number) == (EPERM if machine == "x86_64" else ENOSYS)


def test_only_sockets_of_this_machine_are_made(machine):
    for name in ("socket", "socketpair"):
        assert called(machine, name, 1, 1, 0) == ALLOWED
        for family in (0, 2, 10, 16, 17, 38, 40, 44):
            assert called(machine, name, family, 1, 0) == EAFNOSUPPORT


def test_leases_watches_and_sizes_are_refused_and_locks_granted(machine):
    for command in (1024, 1025, 1026, 1031, 1033, 1036, 1038, 1039, 1040, 2**31, 2**32 - 1):
        assert called(machine, "fcntl", 3, command, 0) == EPERM
    for command in (6, 7, 37, 38):
        assert called(machine, "fcntl", 3, command, 0) == PRETENDED
    for command in (5, 36):
        assert called(machine, "fcntl", 3, command, 0) == EINVAL
    for command in (0, 1, 2, 3, 4, 8, 10, 1023, 1030, 1032):
        assert called(machine, "fcntl", 3, command, 0) == ALLOWED


def test_sockets_keep_their_size_and_few_may_wait(machine):
    for option in (7, 8, 32, 33):
        assert called(machine, "setsockopt", 3, 1, option) == PRETENDED
        assert called(machine, "setsockopt", 3, 6, option) == ALLOWED
    assert called(machine, "setsockopt", 3, 1, 2) == ALLOWED
    assert called(machine, "listen", 3, MOST_WAITING) == ALLOWED
    assert called(machine, "listen", 3, MOST_WAITING + 1) == EINVAL
    assert called(machine, "listen", 3, 2**32 - 1) == EINVAL, "-1 means as many as may be"


def test_nobody_types_into_a_terminal(machine):
    assert called(machine, "ioctl", 0, 0x5412) == EPERM
    assert called(machine, "ioctl", 0, 0x5401) == ALLOWED


def test_processes_are_made_and_namespaces_are_not(machine):
    assert called(machine, "clone", 17) == ALLOWED
    assert called(machine, "clone", 0x3D0F00) == ALLOWED
    for space in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert called(machine, "clone", space | 17) == EPERM
    assert called(machine, "clone3", 0, 0) == ENOSYS


def test_nobody_sleeps_on_what_another_could_wake(machine):
    """Futexes: private waits (128) are allowed; shared ones are over at once."""
    for wait in (0, 9, 11):
        for clock in (0, 256):
            assert called(machine, "futex", 0x1000, wait | clock) == PRETENDED
            assert called(machine, "futex", 0x1000, wait | clock | 128) == ALLOWED
    for wake in (1, 3, 4, 5, 10):
        assert called(machine, "futex", 0x1000, wake) == ALLOWED


def test_nobody_sees_or_changes_what_is_in_memory_for_all(machine):
    assert called(machine, "preadv2", 3, 0, 1, 0, 0, 0) == ALLOWED
    for flag in range(31):
        assert called(machine, "preadv2", 3, 0, 1, 0, 0, 2**flag) == EOPNOTSUPP
    for advice, expected in ((4, ALLOWED), (8, ALLOWED), (20, PRETENDED), (21, PRETENDED)):
        assert called(machine, "madvise", 0x1000, 4096, advice) == expected
    assert called(machine, "mmap", 0, 2**21, 3, 0x22) == ALLOWED
    assert called(machine, "mmap", 0, 2**21, 3, 0x40022) == ENOMEM


HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


def test_numbers_are_those_of_the_kernels_headers(machine):
    """Where they are installed; calls younger than the headers can't be compared."""
    if not HEADERS[machine].exists():
        pytest.skip("no kernel headers here")
    text = HEADERS[machine].read_text()
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)
    known = {name: int(number) for name, number in found}
    tables = {**REFUSED, **GRANTED, **NUMBERS}
    shared = {name: numbers[COLUMN[machine]] for name, numbers in tables.items() if name in known}
    assert len(shared) > 70
    assert shared == {name: known[name] for name in shared}


@pytest.mark.parametrize("pointer", [0x7FFF_0000_1000, 0x5_0000_0000, 0x1000])
def test_a_limit_on_cpu_time_is_granted_and_not_set(machine, pointer):
    """So that nobody else's process or machine is thought to have killed what has killed itself."""
    assert called(machine, "setrlimit", 0, pointer) == PRETENDED
    assert called(machine, "prlimit64", 0, 0, pointer) == PRETENDED
    assert called(machine, "prlimit64", 7, 0, pointer, pointer) == PRETENDED
    for limit in (1, 4, 7, 9):
        assert called(machine, "setrlimit", limit, pointer) == ALLOWED
        assert called(machine, "prlimit64", 0, limit, pointer) == ALLOWED
    assert called(machine, "prlimit64", 0, 0, 0, pointer) == ALLOWED, "to read it"
