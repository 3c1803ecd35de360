"""The system call filter, run by an interpreter of its own: both machines' can be tried here."""

import struct

import pytest

from perfcourse.kernel.calls import MOST_WAITING, REFUSED, filter_program

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
COLUMN = {"x86_64": 0, "aarch64": 1}
NUMBERS = {
    "read": (0, 63),
    "clone": (56, 220),
    "clone3": (435, 435),
    "flock": (73, 32),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "setsockopt": (54, 208),
    "listen": (50, 201),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
}
ALLOWED, KILLED = 0x7FFF0000, 0x80000000
GRANTED, EPERM, EINVAL, ENOSYS, EAFNOSUPPORT = (0x50000 + number for number in (0, 1, 22, 38, 97))


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
    looked_at = {numbers[COLUMN[machine]] for numbers in NUMBERS.values()}
    for number in range(500):
        if number not in looked_at - {NUMBERS["read"][COLUMN[machine]]}:
            assert answer(machine, number) == (EPERM if number in refused else ALLOWED), number


def test_another_machines_calls_kill(machine):
    assert answer(machine, 0, architecture=0x40000003) == KILLED


def test_calls_of_the_other_kind_of_x86_are_refused(machine):
    assert answer(machine, 0x40000000 + 1) == (EPERM if machine == "x86_64" else ALLOWED)


def test_only_sockets_of_this_machine_are_made(machine):
    for name in ("socket", "socketpair"):
        assert called(machine, name, 1, 1, 0) == ALLOWED
        for family in (0, 2, 10, 16, 17, 38, 40, 44):
            assert called(machine, name, family, 1, 0) == EAFNOSUPPORT


def test_leases_watches_and_sizes_are_refused_and_locks_granted(machine):
    for command in (1024, 1026, 1031):
        assert called(machine, "fcntl", 3, command, 0) == EPERM
    for command in (6, 7, 37, 38):
        assert called(machine, "fcntl", 3, command, 0) == GRANTED
    for command in (5, 36):
        assert called(machine, "fcntl", 3, command, 0) == EINVAL
    for command in (0, 1, 2, 3, 4, 1030, 1032):
        assert called(machine, "fcntl", 3, command, 0) == ALLOWED
    assert called(machine, "flock", 3, 2) == GRANTED
    assert called(machine, "flock", 3, 8) == GRANTED


def test_sockets_keep_their_size_and_few_may_wait(machine):
    for option in (7, 8, 32, 33):
        assert called(machine, "setsockopt", 3, 1, option) == GRANTED
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
