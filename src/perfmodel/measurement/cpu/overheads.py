"""What the machinery around the work costs: calls, locks, threads, processes, context switches.

Each figure is the time of one such event on this machine, the few nanoseconds of the timing loop
included. `measured` is in all functions what times the event: it takes a function of no arguments
and returns its `Measurement`. Run them in a fresh process (the suite does): a process with much
memory is slow to fork.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue

from perfmodel.measurement.cpu import pipes
from perfmodel.measurement.cpu.pinned_threads import usable_threads
from perfmodel.measurement.cpu.pipes import Measure
from perfmodel.measurement.errors import Unavailable
from perfmodel.measurement.timing import Measurement, measure


@dataclass(frozen=True)
class EventTime:
    """The time of one event: median and its interval, in seconds."""

    name: str
    seconds: float
    low: float
    high: float
    samples: int
    note: str = ""


def measure_briefly(function: Callable[[], object]) -> Measurement:
    """Measure a function for at most 0.3 s: enough for a table of many overheads."""
    return measure(function, max_seconds=0.3)


def measure_overheads(measured: Measure = measure_briefly) -> list[EventTime | Unavailable]:
    """Return every overhead that this system can show, the cheapest kind first; else the error.

    `measured` takes a function of no arguments and returns its `Measurement`.
    """
    times: list[EventTime | Unavailable] = []
    for item in (
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
            times.append(item(measured))
        except Unavailable as missing:
            times.append(missing)
    return times


def function_call(measured: Measure = measure_briefly) -> EventTime:
    """Measure the call of a Python function that does nothing."""
    return _event("function call", measured(_nothing), "a Python function")


def numba_call(measured: Measure = measure_briefly) -> EventTime:
    """Measure the call of a compiled function from Python: finding its type and unpacking."""
    try:
        import numba
    except ImportError as missing:
        raise Unavailable(
            "the cost of calling numba", "numba is not installed", "run `pip install numba`"
        ) from missing
    compiled = numba.njit(cache=True)(_nothing_compiled)
    return _event("numba call", measured(lambda: compiled(1.0)), "a compiled function of one float")


def lock(measured: Measure = measure_briefly) -> EventTime:
    """Measure taking and giving back a lock that nobody else wants."""
    mutex = threading.Lock()

    def event() -> None:
        with mutex:
            pass

    return _event("lock", measured(event), "taken and given back, nobody else wants it")


def queue_round_trip(measured: Measure = measure_briefly) -> EventTime:
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
        return _event(
            "queue round trip", measured(event), "between threads, interpreter's lock included"
        )


def barrier(measured: Measure = measure_briefly) -> EventTime:
    """Measure a meeting of two threads at a barrier."""
    meeting = threading.Barrier(2)

    def partner() -> None:
        try:
            while True:
                meeting.wait()
        except threading.BrokenBarrierError:
            return

    with _beside(partner, meeting.abort):
        return _event(
            "barrier", measured(meeting.wait), "of two threads, interpreter's lock included"
        )


def thread_start(measured: Measure = measure_briefly) -> EventTime:
    """Measure starting a thread that does nothing and waiting for its end."""

    def event() -> None:
        thread = threading.Thread(target=_nothing)
        thread.start()
        thread.join()

    return _event("thread start", measured(event), "and its end")


def pipe_round_trip(measured: Measure = measure_briefly) -> EventTime:
    """Measure a byte's way to another process and back, where the system places the two."""
    return _event("pipe round trip", pipes.round_trip(measured, None), "between processes")


def context_switch(measured: Measure = measure_briefly) -> EventTime:
    """Measure the switch between two processes on one core.

    A byte goes to a process on the same core and back, which takes two switches and the work at two
    pipes. The same work in one process is taken off and the rest halved. The interval is wide
    enough for both medians to lie at the far ends of their own intervals. Unavailable if processes
    can't be forked or pinned, or the two times can't be distinguished.
    """
    core = usable_threads()[0]
    both = pipes.round_trip(measured, core)
    alone = pipes.pipe_in_one_process(measured)
    (low, high), (alone_low, alone_high) = both.interval, alone.interval
    if low <= 2 * alone_high:
        raise Unavailable(
            "the time of a context switch",
            "two pipes alone took as long",
            "try again when the machine is less busy",
        )
    return EventTime(
        "context switch",
        both.median / 2 - alone.median,
        low / 2 - alone_high,
        high / 2 - alone_low,
        both.samples.size,
        "between two processes on one core, the pipes' work taken off",
    )


def fork(measured: Measure = measure_briefly) -> EventTime:
    """Measure a copy of this process that ends at once, and waiting for it."""
    pipes.require_fork("the cost of a fork")

    def event() -> None:
        child = pipes.forked()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)

    return _event("fork", measured(event), "of this Python process, and its end")


def program_start(measured: Measure = measure_briefly) -> EventTime:
    """Measure starting the smallest program, `true`, and waiting for its end."""
    program = shutil.which("true")
    if program is None or not hasattr(os, "posix_spawn"):
        raise Unavailable(
            "the start of a small program", "there is no `true` here", "measure on Linux or macOS"
        )

    def event() -> None:
        os.waitpid(os.posix_spawn(program, [program], {}), 0)

    return _event("program start", measured(event), "`true`, and its end")


def python_start(measured: Measure = measure_briefly) -> EventTime:
    """Measure starting a Python that does nothing, and waiting for its end."""
    command = [sys.executable, "-I", "-S", "-c", "pass"]
    return _event(
        "python start",
        measured(lambda: subprocess.run(command, check=True)),
        "without site packages, and its end",
    )


def _event(name: str, measurement: Measurement, note: str = "") -> EventTime:
    low, high = measurement.interval
    return EventTime(name, measurement.median, low, high, measurement.samples.size, note)


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
