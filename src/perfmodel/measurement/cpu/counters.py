"""The processor's own counters, by Linux's perf_event_open, where the system allows it.

Only the calling thread is counted, and for the processor's events only its work outside the kernel.
Virtual machines and containers often show no counters; then `count_events` says so and why.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from perfmodel.measurement.errors import Unavailable

HARDWARE, SOFTWARE = 0, 1

EVENTS: Mapping[str, tuple[int, int]] = {
    "cycles": (HARDWARE, 0),
    "instructions": (HARDWARE, 1),
    "cache_references": (HARDWARE, 2),
    "cache_misses": (HARDWARE, 3),
    "branches": (HARDWARE, 4),
    "branch_misses": (HARDWARE, 5),
    "page_faults": (SOFTWARE, 2),
    "context_switches": (SOFTWARE, 3),
    "migrations": (SOFTWARE, 4),
}
"""Names of the events that can be counted, with the kernel's type and number of each."""

SYSCALLS = {"x86_64": 298, "aarch64": 241}

_DISABLED, _EXCLUDE_KERNEL, _EXCLUDE_HYPERVISOR = 1 << 0, 1 << 5, 1 << 6
_TIMES = 1 | 2
_ENABLE, _DISABLE, _RESET = 0x2400, 0x2401, 0x2403


@dataclass(frozen=True)
class EventCounts:
    """What was counted while a function ran."""

    values: Mapping[str, float]
    """By event; extrapolated where `running_fractions` is below 1."""
    running_fractions: Mapping[str, float]
    """Part of the time that the event was really counted: there are only a few counters."""


def count_events(
    function: Callable[[], object], events: Sequence[str] = ("cycles", "instructions")
) -> EventCounts:
    """Return the `EventCounts`, of some `EVENTS`, of the calling thread while `function` runs once.

    Raises `Unavailable` if this system counts no such event or does not allow it; says why and what
    to do. The `events` are counted together.
    """
    for event in events:
        if event not in EVENTS:
            raise ValueError(f"events must be among {', '.join(EVENTS)}, got {event!r}")
    with ExitStack() as stack:
        opened = {event: stack.enter_context(_counter(event)) for event in events}
        for command in (_RESET, _ENABLE):
            for descriptor in opened.values():
                fcntl.ioctl(descriptor, command, 0)
        function()
        for descriptor in opened.values():
            fcntl.ioctl(descriptor, _DISABLE, 0)
        counted = {event: os.read(descriptor, 24) for event, descriptor in opened.items()}
    pairs = {event: scaled(event, data) for event, data in counted.items()}
    return EventCounts({e: v for e, (v, _) in pairs.items()}, {e: s for e, (_, s) in pairs.items()})


def scaled(event: str, data: bytes) -> tuple[float, float]:
    """Return a count for the whole time, and the fraction of that time in which it was counted.

    `data` is three 64-bit numbers: the count, nanoseconds enabled, nanoseconds counted. An event
    that was never counted is Unavailable.

    >>> scaled("cycles", struct.pack("QQQ", 500, 1000, 250))
    (2000.0, 0.25)
    """
    value, enabled, running = struct.unpack("QQQ", data)
    if not running:
        raise Unavailable(
            f"a count of {event}", "all counters were taken", "count fewer events at a time"
        )
    return value * enabled / running, running / enabled


def available(events: Sequence[str] = tuple(EVENTS)) -> dict[str, str]:
    """Return for each of `events` why it can't be counted here; empty text where it can.

    >>> set(available(["cycles"])) == {"cycles"}
    True
    """
    reasons = {}
    for event in events:
        try:
            count_events(lambda: None, [event])
            reasons[event] = ""
        except Unavailable as missing:
            reasons[event] = str(missing)
    return reasons


@contextmanager
def _counter(event: str) -> Iterator[int]:
    descriptor = _open(event)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _open(event: str) -> int:
    number = SYSCALLS.get(platform.machine())
    if platform.system() != "Linux" or number is None:
        raise Unavailable(
            f"a count of {event}",
            f"there is no perf_event_open on {platform.system()} {platform.machine()}",
            "measure on Linux (x86-64 or 64-bit ARM), or with the system's own profiler",
        )
    kind, config = EVENTS[event]
    flags = _DISABLED
    if kind == HARDWARE:
        flags |= _EXCLUDE_KERNEL | _EXCLUDE_HYPERVISOR
    size = 64
    attributes = struct.pack("IIQQQQQIIQ", kind, size, config, 0, 0, _TIMES, flags, 0, 0, 0)
    system = ctypes.CDLL(None, use_errno=True)
    result = system.syscall(
        ctypes.c_long(number),
        attributes,
        ctypes.c_int(0),
        ctypes.c_int(-1),
        ctypes.c_int(-1),
        ctypes.c_ulong(0),
    )
    if result < 0:
        raise refused(event, ctypes.get_errno())
    return int(result)


def refused(event: str, code: int) -> Unavailable:
    """Return the error that says what the system's refusal of `event`, an errno `code`, means.

    >>> print(refused("cycles", errno.ENOENT))
    a count of cycles is unavailable: the processor or the hypervisor shows no such counter; \
measure on a machine that is not virtual, or have its hypervisor pass the counters on
    """
    if code in (errno.EACCES, errno.EPERM):
        return Unavailable(
            f"a count of {event}",
            "the system forbids it",
            "have the administrator set kernel.perf_event_paranoid to 1, or start the container "
            "with the capability PERFMON",
        )
    if code in (errno.ENOENT, errno.ENODEV, errno.EOPNOTSUPP):
        return Unavailable(
            f"a count of {event}",
            "the processor or the hypervisor shows no such counter",
            "measure on a machine that is not virtual, or have its hypervisor pass the counters on",
        )
    return Unavailable(
        f"a count of {event}",
        f"perf_event_open says: {os.strerror(code)}",
        "try fewer events or a newer kernel",
    )
