"""A byte's way through pipes, to another process and back or within one."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable

from perfmodel.measurement.cpu.pinned_threads import pin, usable_threads
from perfmodel.measurement.errors import Unavailable
from perfmodel.measurement.timing import Measurement

Measure = Callable[[Callable[[], object]], Measurement]
"""Takes a function of no arguments and says how long it takes."""


def round_trip(measured: Measure, core: int | None) -> Measurement:
    """Measure a byte's round trip to a forked process by `measured`.

    Both processes are tied to `core` if one is given.
    """
    require_fork("a round trip between processes")
    before = usable_threads()
    (there, to_there), (back, to_back) = os.pipe(), os.pipe()
    child = forked()
    if child == 0:
        _echo(there, to_there, to_back, core)
    os.close(there)
    os.close(to_back)

    def event() -> None:
        os.write(to_there, b"x")
        os.read(back, 1)

    try:
        if core is not None and not pin(core):
            raise Unavailable(
                "the time of a context switch",
                "processes can't be tied to a core here",
                "measure on Linux",
            )
        return measured(event)
    finally:
        os.close(to_there)
        os.close(back)
        os.waitpid(child, 0)
        if core is not None and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, before)


def _echo(source: int, other_end: int, target: int, core: int | None) -> None:
    """Send back every byte until the pipe is closed, then end this process."""
    try:
        os.close(other_end)
        if core is not None:
            pin(core)
        while data := os.read(source, 1):
            os.write(target, data)
    finally:
        os._exit(0)


def pipe_in_one_process(measured: Measure) -> Measurement:
    """Measure writing a byte into a pipe and reading it again in one process, by `measured`."""
    source, target = os.pipe()

    def event() -> None:
        os.write(target, b"x")
        os.read(source, 1)

    try:
        return measured(event)
    finally:
        os.close(source)
        os.close(target)


def require_fork(what: str) -> None:
    """Raise `Unavailable` for `what` where processes can't be forked."""
    if not hasattr(os, "fork"):
        raise Unavailable(what, "this system has no fork", "measure on Linux or macOS")


def forked() -> int:
    """Fork; return 0 in the child and its number in the parent."""
    # The child only reads, writes and ends, so threads that it does not have can't hang it.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()
