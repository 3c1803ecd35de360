"""What the machinery around the work costs: calls, locks, threads, processes, context switches.

Each figure is the time of one such event on this machine, the few nanoseconds of the timing loop
included. Run them in a fresh process (the suite does): a process with much memory is slow to fork.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue

from perfmodel.measurement.cpu.team import pin, usable
from perfmodel.measurement.errors import Unavailable
from perfmodel.measurement.timing import Measurement, measure

Measure = Callable[[Callable[[], object]], Measurement]


@dataclass(frozen=True)
class Overhead:
    """The time of one event: median and its interval, in seconds."""

    name: str
    seconds: float
    low: float
    high: float
    samples: int
    note: str = ""


def quickly(function: Callable[[], object]) -> Measurement:
    """Measure for at most 0.3 s: enough for a table of many overheads."""
    return measure(function, max_seconds=0.3)


def overheads(measured: Measure = quickly) -> list[Overhead | Unavailable]:
    """Return every overhead that this system can show; the others as the error that says why.

    Parameters
    ----------
    measured : callable
        Takes a function of no arguments and returns its `Measurement`.

    Returns
    -------
    list of Overhead or Unavailable
        Cheapest kind of event first.
    """
    found: list[Overhead | Unavailable] = []
    for one in (
        function_call,
        numba_call,
        lock,
        queue_round_trip,
        barrier,
        thread_start,
        pipe_round_trip,
        context_switch,
        fork,
        program_start,
        python_start,
    ):
        try:
            found.append(one(measured))
        except Unavailable as missing:
            found.append(missing)
    return found


def function_call(measured: Measure = quickly) -> Overhead:
    """Measure the call of a Python function that does nothing."""
    return _event("Python function call", measured(_nothing))


def numba_call(measured: Measure = quickly) -> Overhead:
    """Measure the call of a compiled function from Python: finding its type and unpacking.

    Raises
    ------
    Unavailable
        If numba is missing.
    """
    try:
        import numba
    except ImportError as missing:
        raise Unavailable(
            "the cost of calling numba", "numba is not installed", "run `pip install numba`"
        ) from missing
    compiled = numba.njit(cache=True)(_nothing_compiled)
    return _event("numba function call", measured(lambda: compiled(1.0)), "with one float")


def lock(measured: Measure = quickly) -> Overhead:
    """Measure taking and giving back a lock that nobody else wants."""
    mutex = threading.Lock()

    def event() -> None:
        with mutex:
            pass

    return _event("lock taken and given back", measured(event), "nobody else wants it")


def queue_round_trip(measured: Measure = quickly) -> Overhead:
    """Measure an item's way to another thread and back, by two queues."""
    there: SimpleQueue[object] = SimpleQueue()
    back: SimpleQueue[object] = SimpleQueue()

    def echo() -> None:
        while (item := there.get()) is not None:
            back.put(item)

    def event() -> None:
        there.put(1)
        back.get()

    with _beside(echo, lambda: there.put(None)):
        return _event("queue round trip, threads", measured(event), "interpreter's lock included")


def barrier(measured: Measure = quickly) -> Overhead:
    """Measure a meeting of two threads at a barrier."""
    meeting = threading.Barrier(2)

    def partner() -> None:
        try:
            while True:
                meeting.wait()
        except threading.BrokenBarrierError:
            return

    with _beside(partner, meeting.abort):
        return _event("barrier, 2 threads", measured(meeting.wait), "interpreter's lock included")


def thread_start(measured: Measure = quickly) -> Overhead:
    """Measure starting a thread that does nothing and waiting for its end."""

    def event() -> None:
        thread = threading.Thread(target=_nothing)
        thread.start()
        thread.join()

    return _event("thread start and end", measured(event))


def pipe_round_trip(measured: Measure = quickly) -> Overhead:
    """Measure a byte's way to another process and back, where the system places the two."""
    return _event("pipe round trip, processes", _ping_pong(measured, None))


def context_switch(measured: Measure = quickly) -> Overhead:
    """Measure the switch between two processes on one core.

    A byte goes to a process on the same core and back, which takes two switches and the work at
    two pipes. The same work in one process is taken off and the rest halved. The interval is wide
    enough for both medians to lie at the far ends of theirs.

    Raises
    ------
    Unavailable
        If processes can't be forked or tied to a core here, or the two times can't be told apart.
    """
    core = usable()[0]
    both = _ping_pong(measured, core)
    alone = _own_pipe(measured)
    (low, high), (alone_low, alone_high) = both.interval, alone.interval
    if low <= 2 * alone_high:
        raise Unavailable(
            "the time of a context switch",
            "two pipes alone took as long",
            "try again when the machine is less busy",
        )
    return Overhead(
        "context switch",
        both.median / 2 - alone.median,
        low / 2 - alone_high,
        high / 2 - alone_low,
        both.samples.size,
        "between two processes on one core, the pipes' work taken off",
    )


def fork(measured: Measure = quickly) -> Overhead:
    """Measure a copy of this process that ends at once, and waiting for it.

    Raises
    ------
    Unavailable
        If the system has no fork.
    """
    _need_fork("the cost of a fork")

    def event() -> None:
        child = _forked()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)

    return _event("fork and end", measured(event), "of this Python process")


def program_start(measured: Measure = quickly) -> Overhead:
    """Measure starting the smallest program, `true`, and waiting for its end.

    Raises
    ------
    Unavailable
        If there is no such program.
    """
    program = shutil.which("true")
    if program is None or not hasattr(os, "posix_spawn"):
        raise Unavailable(
            "the start of a small program", "there is no `true` here", "measure on Linux or macOS"
        )

    def event() -> None:
        os.waitpid(os.posix_spawn(program, [program], {}), 0)

    return _event("program start and end", measured(event), "`true`")


def python_start(measured: Measure = quickly) -> Overhead:
    """Measure starting a Python that does nothing, and waiting for its end."""
    command = [sys.executable, "-I", "-S", "-c", "pass"]
    return _event("Python start and end", measured(lambda: subprocess.run(command, check=True)))


def _event(name: str, measurement: Measurement, note: str = "") -> Overhead:
    low, high = measurement.interval
    return Overhead(name, measurement.median, low, high, measurement.samples.size, note)


def _nothing() -> None:
    return None


def _nothing_compiled(value: float) -> float:
    return value


@contextmanager
def _beside(work: Callable[[], None], stop: Callable[[], object]) -> Iterator[None]:
    """Run `work` in another thread until the block ends."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop()
        thread.join()


def _ping_pong(measured: Measure, core: int | None) -> Measurement:
    """Measure a byte's round trip to a forked process; both on `core` if one is given."""
    _need_fork("a round trip between processes")
    before = usable()
    (there, to_there), (back, to_back) = os.pipe(), os.pipe()
    child = _forked()
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


def _own_pipe(measured: Measure) -> Measurement:
    """Measure writing a byte into a pipe and reading it again, in one process."""
    source, target = os.pipe()

    def event() -> None:
        os.write(target, b"x")
        os.read(source, 1)

    try:
        return measured(event)
    finally:
        os.close(source)
        os.close(target)


def _need_fork(what: str) -> None:
    if not hasattr(os, "fork"):
        raise Unavailable(what, "this system has no fork", "measure on Linux or macOS")


def _forked() -> int:
    # The child only reads, writes and ends, so threads that it does not have can't hang it.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()
