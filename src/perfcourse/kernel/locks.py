"""Locks of `multiprocessing` that look now and then instead of sleeping in the kernel.

Two submissions that have mapped one file could wake each other by a futex in it, so the filter lets
nobody sleep on a shared futex (see `calls`). A wait is over at once then, and the C library, which
waits by such futexes, would look again without a pause.
"""

from __future__ import annotations

import _multiprocessing
import math
import time
from typing import Any

FIRST, LONGEST = 0.0002, 0.01
"""Seconds between two looks: at first, and after a while."""


class PatientLock(_multiprocessing.SemLock):  # type: ignore[misc]
    """A semaphore that processes share; `acquire` is as ever.

    >>> lock = PatientLock(1, 1, 1, f"/perfcourse-{time.time_ns()}", True)
    >>> lock.acquire(), lock.acquire(timeout=0.01)
    (True, False)
    """

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Take the semaphore; wait `timeout` seconds at most, for ever where None."""
        end = math.inf if timeout is None else time.monotonic() + timeout
        pause = FIRST
        while not super().acquire(False):
            remaining = end - time.monotonic()
            if not block or remaining <= 0:
                return False
            time.sleep(min(pause, remaining))
            pause = min(2 * pause, LONGEST)
        return True

    def __enter__(self) -> bool:
        return self.acquire()


def be_patient() -> None:
    """Have `multiprocessing` make such locks from now on."""
    module: Any = _multiprocessing
    module.SemLock = PatientLock
