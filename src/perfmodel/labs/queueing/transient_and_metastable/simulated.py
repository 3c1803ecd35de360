"""The service on a clock of its own, which jumps from event to event: an event simulation."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from perfmodel.labs.queueing.transient_and_metastable.client import Play, play, poisson_arrivals
from perfmodel.labs.queueing.transient_and_metastable.system import (
    Clients,
    Incident,
    Service,
    checked_patience,
)
from perfmodel.queueing.distributions.service import Deterministic, Service as SizeLaw
from perfmodel.validation import whole


class SimulatedPort:
    """Workers that take requests in order of arrival, on a clock that jumps.

    >>> port = SimulatedPort(Service(1, 1.0))
    >>> port.send(0, 3.0)
    >>> port.send(1, 1.0)
    >>> port.answers(10.0), port.now(), port.answers(3.5), port.now()
    ([(0, True)], 3.0, [], 3.5)
    """

    def __init__(self, service: Service) -> None:
        self.workers = service.workers
        self.limit = service.queue_limit
        self.clock = 0.0
        self.free = [0.0] * service.workers
        self.waiting: list[float] = []
        self.coming: list[tuple[float, int, bool]] = []
        self.started: dict[int, float] = {}
        """When a worker takes up each request that is not refused."""

    def now(self) -> float:
        """Return the instant on its own clock."""
        return self.clock

    def send(self, number: int, seconds: float) -> None:
        """Give a request to the worker that is free first, or refuse it where the queue is full."""
        while self.waiting and self.waiting[0] <= self.clock:
            heapq.heappop(self.waiting)
        if number >= 0 and len(self.waiting) >= self.limit:
            heapq.heappush(self.coming, (self.clock, number, False))
            return
        begin = max(heapq.heappop(self.free), self.clock)
        heapq.heappush(self.waiting, begin)
        self.started[number] = begin
        heapq.heappush(self.free, begin + seconds)
        heapq.heappush(self.coming, (begin + seconds, number, True))

    def answers(self, until: float) -> list[tuple[int, bool]]:
        """Jump to the next answer, or to an instant before it."""
        if not self.coming or self.coming[0][0] > until:
            self.clock = max(self.clock, until)
            return []
        time, number, served = heapq.heappop(self.coming)
        self.clock = max(self.clock, time)
        return [(number, served)]


@contextmanager
def simulating(service: Service) -> Iterator[SimulatedPort]:
    """Open a simulated service for the time of a `with` block, as `loopback.running` does.

    >>> with simulating(Service(2, 0.01)) as port:
    ...     port.workers
    2
    """
    yield SimulatedPort(service)


def simulate_outage(
    service: Service,
    clients: Clients,
    incident: Incident,
    seed: int = 1,
    sizes: SizeLaw | None = None,
) -> Play:
    """Simulate an outage with Poisson arrivals and services of always the mean, or of `sizes`.

    >>> shop, impatient = Service(4, 0.01), Clients(280, timeout=0.1)
    >>> [simulate_outage(shop, impatient, Incident(0.2, d, 2.0)).up for d in (0.05, 0.3)]
    [True, False]
    """
    checked_patience(service, clients)
    arrivals = poisson_arrivals(clients.arrival_rate, incident.horizon, seed)
    arrivals = arrivals[incident.admits(arrivals)]
    distribution = Deterministic(service.mean_service) if sizes is None else sizes
    rng = np.random.default_rng([whole("seed", seed), 1])
    needs = np.asarray(distribution.sample(rng, arrivals.size), dtype=float)
    return play(SimulatedPort(service), clients, incident, arrivals, needs)


def fraction_up(
    service: Service, clients: Clients, incident: Incident, runs: int, first_seed: int = 1
) -> float:
    """Return the share of simulated runs that come back from an outage."""
    seeds = range(first_seed, first_seed + whole("runs", runs, low=1))
    return float(np.mean([simulate_outage(service, clients, incident, s).up for s in seeds]))
