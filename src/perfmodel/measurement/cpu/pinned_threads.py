"""A team of threads, one pinned to each core, that starts together and is timed as one."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from queue import SimpleQueue
from threading import BrokenBarrierError
from types import TracebackType
from typing import Any

import numpy as np

from perfmodel.measurement.runs import lengthened, repetitions
from perfmodel.validation import Floats, whole

_Task = Callable[[int], object]


class PinnedThreads:
    """Threads that each stay on one core; used as a context, so that they end.

    What a team runs should release the interpreter's lock, as compiled kernels do, or the threads
    take turns.

    Parameters
    ----------
    cores : sequence of int or int
        Core of each thread, or how many of the cores that this process may use.

    Examples
    --------
    >>> members = []
    >>> with PinnedThreads(1) as team:
    ...     seconds = team.run(members.append)
    >>> members
    [0]
    """

    def __init__(self, cores: Sequence[int] | int) -> None:
        self.cores = _cores(cores)
        self.pinned = False
        """Whether every thread could be tied to its core."""
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> PinnedThreads:
        size = len(self.cores)
        self._barrier = threading.Barrier(size)
        self._tasks: list[SimpleQueue[tuple[_Task, int] | None]] = [
            SimpleQueue() for _ in range(size)
        ]
        self._done: SimpleQueue[list[tuple[float, float]] | BaseException] = SimpleQueue()
        pinned: SimpleQueue[bool] = SimpleQueue()
        self._threads = [
            threading.Thread(target=self._work, args=(member, pinned), daemon=True)
            for member in range(size)
        ]
        for thread in self._threads:
            thread.start()
        self.pinned = all(pinned.get() for _ in self._threads)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for tasks in self._tasks:
            tasks.put(None)
        for thread in self._threads:
            thread.join()
        self._threads = []

    def __len__(self) -> int:
        return len(self.cores)

    def run(self, task: _Task) -> float:
        """Call `task(member)` in every thread at once and return the seconds that it took.

        They go from the moment the first thread began to the moment the last one ended. Threads
        meet at a barrier before, whose cost is not counted. Raises `RuntimeError` outside the
        team's `with` block, where there are no threads, and what a task raised first.
        """
        if not self._threads:
            raise RuntimeError("a Team runs tasks only within its `with` block; its threads ended")
        return float(self.in_a_row(task, 1)[0])

    def in_a_row(self, task: _Task, count: int) -> Floats:
        """Call `task(member)` in every thread `count` times and return the seconds of each.

        As for `run`; but between two calls the threads only meet. If they were sent to sleep
        instead, as `run` has to do, the system would lower clocks or lend the core to others, and
        the next short run would pay for waking up.
        """
        if not self._threads:
            raise RuntimeError("a Team runs tasks only within its `with` block; its threads ended")
        for tasks in self._tasks:
            tasks.put((task, whole("count", count, 1)))
        spans = [self._done.get() for _ in self._threads]
        errors = [span for span in spans if isinstance(span, BaseException)]
        if errors:
            self._barrier.reset()
            raise next((e for e in errors if not isinstance(e, BrokenBarrierError)), errors[0])
        begins, ends = np.array(spans).transpose(2, 0, 1)
        return np.asarray(ends.max(axis=0) - begins.min(axis=0))

    def short_runs(
        self, task: Callable[[int, int], object], seconds: float, runs: int
    ) -> tuple[int, Floats]:
        """Return how often each run repeats its work, and the seconds of `runs` runs in a row.

        A `task` is called in every thread with its member and the number of repetitions. A run
        lasts about `seconds` seconds, and none is shorter than a quarter, as for `runs.short_runs`.
        """
        count = repetitions(lambda n: self.run(lambda member: task(member, n)), seconds)
        return lengthened(
            count, lambda n: self.in_a_row(lambda member: task(member, n), runs + 1)[1:], seconds
        )

    def _work(self, member: int, pinned: SimpleQueue[bool]) -> None:
        pinned.put(pin(self.cores[member]))
        while (given := self._tasks[member].get()) is not None:
            task, count = given
            spans: list[tuple[float, float]] = []
            try:
                for _ in range(count):
                    self._barrier.wait()
                    began = time.perf_counter()
                    task(member)
                    spans.append((began, time.perf_counter()))
            except BaseException as error:
                self._barrier.abort()
                self._done.put(error)
            else:
                self._done.put(spans)


def usable_threads() -> list[int]:
    """Return the cores that this process may use; numbered from 0 where none can be chosen."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def pin(core: int) -> bool:
    """Tie the calling thread to `core`; return False where the system can't (macOS, Windows)."""
    setter: Any = getattr(os, "sched_setaffinity", None)
    if setter is None:
        return False
    try:
        setter(0, {core})
    except OSError:
        return False
    return True


def static_chunks(total: int, parts: int, unit: int = 1) -> list[slice]:
    """Return consecutive parts of `total` items, one for each of `parts`.

    They are equal up to one `unit`, and whole units but the last.

    >>> static_chunks(10, 3, unit=2)
    [slice(0, 4, None), slice(4, 6, None), slice(6, 10, None)]
    """
    ends = [round(total / unit * k / parts) * unit for k in range(parts)] + [total]
    return [slice(a, b) for a, b in pairwise(ends)]


def _cores(cores: Sequence[int] | int) -> list[int]:
    available = usable_threads()
    if isinstance(cores, int):
        count = whole("cores", cores, 1)
        if count > len(available):
            raise ValueError(f"cores must be at most {len(available)} here, got {count}")
        return available[:count]
    chosen = list(cores)
    if not chosen or not set(chosen) <= set(available):
        raise ValueError(f"cores must be among {available}, got {chosen}")
    return chosen
