"""Clients that give up and ask again, in front of any service: a simulated one or a real one.

One loop plays all clients. It uses only what clients can know about a service: it sends requests
and gets answers. So the same loop drives a service on a clock that jumps from event to event, and a
process on this machine.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from perfmodel.labs.queueing.transient_and_metastable.fluid import UP, WATCHED
from perfmodel.labs.queueing.transient_and_metastable.system import Clients, Incident
from perfmodel.validation import Floats, whole

ARRIVAL, TIMEOUT, RETRY, OUTAGE = range(4)


class Port(Protocol):
    """What clients see of a service; instants in seconds since it was opened."""

    workers: int

    def now(self) -> float:
        """Return the instant."""

    def send(self, number: int, seconds: float) -> None:
        """Ask for this many seconds of a worker's time, under a number."""

    def answers(self, until: float) -> list[tuple[int, bool]]:
        """Return answered numbers and whether they were served, as soon as there are any.

        Returns an empty list at the instant `until`, and not before.
        """


@dataclass(frozen=True)
class Play:
    """What became of the attempts, in order of sending; arrays of shape (attempts,)."""

    clients: Clients
    incident: Incident
    sent: Floats
    """Seconds since the beginning."""
    request: Floats
    """Number of the request that it belongs to."""
    in_time: Floats
    """1 where the answer came before the time-out, otherwise 0."""
    arrivals: Floats
    """When each request came first, shape (requests,)."""

    def goodput(self, begin: float, end: float) -> float:
        """Return the attempts answered in time among those sent in a stretch, per new request.

        It is NaN where no request came.
        """
        came = np.count_nonzero((self.arrivals >= begin) & (self.arrivals < end))
        good = self.in_time[(self.sent >= begin) & (self.sent < end)].sum()
        return float(good / came) if came else math.nan

    @property
    def before(self) -> float:
        """Goodput before the outage, without the first time-out."""
        return self.goodput(self.clients.timeout, self.incident.start)

    @property
    def final_goodput(self) -> float:
        """Goodput of the last stretch that is watched."""
        end = self.incident.horizon
        return self.goodput(end - WATCHED * self.clients.timeout, end)

    @property
    def up(self) -> bool:
        """Whether the service works at the end."""
        return self.final_goodput >= UP


def poisson_arrivals(rate: float, end: float, seed: int) -> Floats:
    """Return the instants of a Poisson stream until `end`.

    >>> stream = poisson_arrivals(100.0, 2.0, seed=1)
    >>> stream.size, bool(stream[-1] < 2)
    (191, True)
    """
    rng = np.random.default_rng(whole("seed", seed))
    gaps = rng.exponential(1 / rate, int(rate * end + 10 * math.sqrt(rate * end) + 20))
    instants = np.cumsum(gaps)
    return np.asarray(instants[instants < end])


def play(port: Port, clients: Clients, incident: Incident, arrivals: Floats, sizes: Floats) -> Play:
    """Send requests at their instants, give up, ask again, and block the workers for an outage.

    The incident begins with one request of its length for each worker. `arrivals` are in seconds
    from now, `sizes` in seconds of a worker.
    """
    return _Clients(port, clients, incident, arrivals, sizes).run()


class _Clients:
    """All clients of one play, and the events that lie before them."""

    def __init__(
        self, port: Port, clients: Clients, incident: Incident, arrivals: Floats, sizes: Floats
    ) -> None:
        self.port, self.clients, self.incident = port, clients, incident
        self.arrivals, self.sizes = arrivals, sizes.tolist()
        self.begin = port.now()
        self.events: list[tuple[float, int, int, int]] = [
            (time, ARRIVAL, number, 0) for number, time in enumerate(arrivals.tolist())
        ]
        if incident.outage > 0:
            self.events.append((incident.start, OUTAGE, 0, 0))
        heapq.heapify(self.events)
        self.sent: list[float] = []
        self.request: list[int] = []
        self.in_time: list[bool] = []
        self.open: set[int] = set()
        self.tokens = 0.0

    def run(self) -> Play:
        """Play all events up to the end of the observation."""
        end = self.incident.horizon
        while self.events and self.events[0][0] < end:
            time, kind, number, retry = heapq.heappop(self.events)
            self.listen(time)
            self.act(kind, number, retry)
        self.listen(end + self.clients.timeout)
        return Play(
            self.clients,
            self.incident,
            np.array(self.sent),
            np.array(self.request, dtype=float),
            np.array(self.in_time, dtype=float),
            self.arrivals,
        )

    def listen(self, until: float) -> None:
        """Take answers until an instant."""
        while answers := self.port.answers(self.begin + until):
            now = self.port.now() - self.begin
            for attempt, served in answers:
                if attempt in self.open:
                    self.open.remove(attempt)
                    on_time = now <= self.sent[attempt] + self.clients.timeout
                    self.in_time[attempt] = served and on_time

    def act(self, kind: int, number: int, retry: int) -> None:
        """Do what an event asks for."""
        if kind == OUTAGE:
            for _ in range(self.port.workers):
                self.port.send(-1, self.incident.outage)
        elif kind == TIMEOUT:
            self.give_up(number, retry)
        else:
            self.ask(number, retry)

    def ask(self, number: int, retry: int) -> None:
        """Send an attempt of a request, if it is the first or the budget allows it."""
        if retry == 0:
            self.tokens = min(self.tokens + self.clients.budget, 10 + self.clients.budget)
        elif self.tokens < 1:
            return
        else:
            self.tokens -= 1
        attempt, now = len(self.sent), self.port.now() - self.begin
        self.sent.append(now)
        self.request.append(number)
        self.in_time.append(False)
        self.open.add(attempt)
        self.port.send(attempt, self.sizes[number])
        due = now + self.clients.timeout
        heapq.heappush(self.events, (due, TIMEOUT, attempt, retry))

    def give_up(self, attempt: int, retry: int) -> None:
        """Stop waiting for an attempt that is still open, and plan the next one."""
        if attempt not in self.open:
            return
        self.open.remove(attempt)
        if retry < self.clients.retries:
            wait = self.clients.delay(retry + 1) - self.clients.timeout
            due = self.sent[attempt] + self.clients.timeout + wait
            again = (due, RETRY, int(self.request[attempt]), retry + 1)
            heapq.heappush(self.events, again)
