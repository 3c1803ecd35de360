"""A day in a fleet whose size changes: requests, servers that come and go, and late requests.

A request takes a free server or waits in the queue, first come first served, and gives up when its
patience ends. A server that is taken away finishes its request first.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.validation import Floats, non_negative, positive, sample, whole


@dataclass(frozen=True, eq=False)
class FleetDay:
    """What each request met, in the order of arrival, and what the fleet cost."""

    arrivals: Floats
    """Seconds."""
    waits: Floats
    """Seconds in the queue, until service began or the request gave up."""
    served: NDArray[np.bool_]
    """Whether the request was served."""
    server_hours: float
    """Hours of servers that were kept, busy or not."""

    def late(self, limit: float) -> float:
        """Return the fraction of requests that gave up or waited longer than `limit` seconds.

        >>> day = FleetDay(np.zeros(2), np.array([0.0, 9.0]), np.array([True, True]), 1.0)
        >>> day.late(5.0)
        0.5
        """
        return float((~self.served | (self.waits > non_negative("limit", limit))).mean())


def serve_day(
    arrivals: ArrayLike,
    services: ArrayLike,
    servers: ArrayLike,
    step: float,
    patience: ArrayLike = np.inf,
) -> FleetDay:
    """Simulate requests in a fleet whose size changes from step to step.

    `arrivals` (in order), `services`, the length `step` and `patience` (endless if not given) are
    in seconds; `servers` holds the whole number, 1 or more, of each step, the last of which stays.

    >>> day = serve_day([0.0, 1.0, 2.0], [10.0, 10.0, 10.0], [1, 2], 5.0)
    >>> print(day.waits)
    [0. 4. 8.]
    """
    came, work = sample("arrivals", arrivals), positive("services", sample("services", services))
    size = [whole("servers", c, 1) for c in sample("servers", servers)]
    length = float(positive("step", step))
    if came.size != work.size or (np.diff(came) < 0).any():
        raise ValueError(
            f"arrivals must be in order and as many as services, {work.size}, got {came.size}"
        )
    patient = np.broadcast_to(np.asarray(patience, dtype=np.float64), came.shape)
    if not (patient > 0).all():
        raise ValueError(f"patience must be above 0, got {patience!r}")
    queue = _Queue(came.tolist(), work.tolist(), (came + patient).tolist())
    waits, served = queue.run(size, length)
    hours = sum(size) * length / 3600
    return FleetDay(came, np.array(waits), np.array(served), hours)


class _Queue:
    """The requests in the queue and in service."""

    def __init__(self, came: list[float], work: list[float], ends: list[float]) -> None:
        self._came, self._work, self._ends = came, work, ends
        self._waiting: deque[int] = deque()
        self._leaving: list[float] = []
        self._waits = [0.0] * len(came)
        self._served = [False] * len(came)

    def run(self, size: list[int], step: float) -> tuple[list[float], list[bool]]:
        """Go from arrival to arrival and from step to step, and then until the queue is empty."""
        nth, count = 0, len(self._came)
        for i, servers in enumerate(size):
            self._begin(i * step, servers)
            end = (i + 1) * step
            while nth < count and self._came[nth] < end:
                now = self._came[nth]
                self._finish(now, servers)
                self._waiting.append(nth)
                self._begin(now, servers)
                nth += 1
            self._finish(end, servers)
        for late in range(nth, count):
            self._finish(self._came[late], size[-1])
            self._waiting.append(late)
            self._begin(self._came[late], size[-1])
        self._finish(float("inf"), size[-1])
        return self._waits, self._served

    def _finish(self, until: float, servers: int) -> None:
        """Finish all requests that end by then, and give their servers to the queue."""
        leaving = self._leaving
        while leaving and leaving[0] <= until:
            self._begin(heappop(leaving), servers)

    def _begin(self, now: float, servers: int) -> None:
        """Start a request for each free server, and skip requests that gave up."""
        waiting = self._waiting
        while waiting and len(self._leaving) < servers:
            job = waiting.popleft()
            self._served[job] = self._ends[job] > now
            self._waits[job] = min(now, self._ends[job]) - self._came[job]
            if self._served[job]:
                heappush(self._leaving, now + self._work[job])
