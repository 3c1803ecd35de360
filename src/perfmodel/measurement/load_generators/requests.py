"""The requests of one run: when each began, how long it took and what came back."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.validation import (
    Floats,
    non_negative,
    one_number,
    positive,
    sample,
    whole,
    whole_numbers,
    within,
)

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class HttpRequests:
    """The requests of a run, best in the order of their ends; lists become arrays.

    Examples
    --------
    >>> HttpRequests([0.02, 0.2], status=[200, 503]).failures(400)
    1
    """

    times: Floats
    """Seconds from the beginning of a request to its last byte, connecting included."""
    status: Ints = field(default_factory=lambda: np.array(200))
    """HTTP status, 100 to 599, or 0 without an answer: refused, closed or timed out. One for all or
    one a request, like the fields below."""
    body: Ints = field(default_factory=lambda: np.array(0))
    """Bytes of the body."""
    starts: Floats = field(default_factory=lambda: np.array(0.0))
    """Seconds from the beginning of the run to the beginning of the request."""
    connects: Floats = field(default_factory=lambda: np.array(0.0))
    """Seconds of `times` that were spent connecting."""
    waits: Floats | None = None
    """Seconds from being connected to the first byte; without it, to the last one, and 0 without an
    answer."""

    def __post_init__(self) -> None:
        times = non_negative("times", sample("times", self.times))
        connects = self._column("connects", self.connects, times)
        if (connects > times).any():
            at = int(np.argmax(connects > times))
            raise ValueError(f"connects must be at most times, got {connects[at]} of {times[at]}")
        codes = whole_numbers("status", self._column("status", self.status, times), 0)
        status = codes.astype(np.int64)
        within("status", status[status != 0], 100, 599)
        answered = np.where(status == 0, 0.0, times - connects)
        waits = answered if self.waits is None else self.waits
        columns = {
            "times": times,
            "status": status,
            "body": self._column("body", self.body, times).astype(np.int64),
            "starts": self._column("starts", self.starts, times),
            "connects": connects,
            "waits": self._column("waits", waits, times),
        }
        for name, column in columns.items():
            object.__setattr__(self, name, column)

    @staticmethod
    def _column(name: str, given: ArrayLike, times: Floats) -> Floats:
        values = non_negative(name, given)
        if values.shape not in ((), times.shape):
            raise ValueError(
                f"{name} must have one value or {times.size}, got shape {values.shape}"
            )
        return np.broadcast_to(values, times.shape)

    @property
    def count(self) -> int:
        """How many requests there are."""
        return self.times.size

    @property
    def ends(self) -> Floats:
        """Seconds from the beginning of the run to the last byte of each request."""
        return self.starts + self.times

    @property
    def elapsed(self) -> float:
        """Seconds from the beginning of the run to the last end."""
        return float(self.ends.max())

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Which requests got an answer."""
        return np.not_equal(self.status, 0)

    @property
    def unanswered(self) -> int:
        """How many requests got no answer."""
        return int((self.status == 0).sum())

    def failures(self, lowest: int) -> int:
        """Return how many have the status `lowest` or a higher one."""
        return int((self.status >= lowest).sum())

    def since(self, time: float) -> HttpRequests:
        """Return the requests that begin `time` seconds into the run, or later: after a warm-up."""
        later = self.starts >= one_number("time", time, non_negative)
        if not later.any():
            raise ValueError(
                f"time must be at most {self.starts.max():g}, the last start, got {time!r}"
            )
        return self._only(later)

    def with_answer(self) -> HttpRequests:
        """Return the requests that got an answer."""
        if not self.answered.any():
            raise ValueError("status must hold an answer, got 0 alone: the tool prints no times")
        return self._only(self.answered)

    def _only(self, chosen: NDArray[np.bool_]) -> HttpRequests:
        return HttpRequests(
            **{part.name: getattr(self, part.name)[chosen] for part in fields(self)}
        )


def closed_loop(
    times: ArrayLike, clients: int = 1, status: ArrayLike = 200, body: ArrayLike = 0
) -> HttpRequests:
    """Return the `HttpRequests`, by their ends, of `clients` that wait for each answer.

    The server takes `times` in seconds, in the order of sending, and answers with `status` and
    `body`, one value or one a request.

    Examples
    --------
    >>> closed_loop([0.2, 0.1, 0.1], clients=2).elapsed
    0.2
    """
    given = positive("times", sample("times", times))
    free = np.zeros(whole("clients", clients, low=1))
    starts = np.empty(given.size)
    for number, time in enumerate(given):
        client = int(np.argmin(free))
        starts[number] = free[client]
        free[client] += time
    return _in_order_of_ends(given, starts, status, body)


def open_loop(
    times: ArrayLike, rate: float, status: ArrayLike = 200, body: ArrayLike = 0
) -> HttpRequests:
    """Return the `HttpRequests`, by their ends, that are sent at a `rate` in 1/s, answered or not.

    The server takes `times` in seconds, in the order of sending, and answers with `status` and
    `body`, one value or one a request.

    Examples
    --------
    >>> print(open_loop([0.2, 0.1, 0.1], rate=20).starts)  # in the order of the ends
    [0.05 0.   0.1 ]
    """
    given = positive("times", sample("times", times))
    starts = np.arange(given.size) / one_number("rate", rate, positive)
    return _in_order_of_ends(given, starts, status, body)


def _in_order_of_ends(
    times: Floats, starts: Floats, status: ArrayLike, body: ArrayLike
) -> HttpRequests:
    order = np.argsort(starts + times, kind="stable")
    sent = HttpRequests(times, np.asarray(status), np.asarray(body), starts)
    return HttpRequests(times[order], sent.status[order], sent.body[order], starts[order])
