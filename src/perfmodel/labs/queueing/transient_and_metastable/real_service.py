"""The real service in an experiment: its capacity, and what outages of several lengths do to it.

The fluid is given what was measured beforehand, the capacity, and nothing of the runs that it is
compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

import numpy as np

from perfmodel.labs.queueing.transient_and_metastable.client import (
    Play,
    Port,
    play,
    poisson_arrivals,
)
from perfmodel.labs.queueing.transient_and_metastable.loopback import running
from perfmodel.labs.queueing.transient_and_metastable.system import Clients, Incident, Service
from perfmodel.validation import at_least, one_number, whole

Opening = Callable[[Service], AbstractContextManager[Port]]
"""Opens a service for the time of a `with` block."""

HEALTHY = 0.9
"""Share of the requests that must be answered in time before an outage for a run to count."""


def measured_capacity(service: Service, requests: int = 100, opening: Opening = running) -> Service:
    """Return the service with the mean service time that it really has, all workers busy.

    The `requests` are sent at once; the queue limit doesn't hold here.
    """
    count = whole("requests", requests, low=1)
    with opening(replace(service, queue_limit=np.inf)) as port:
        begin = port.now()
        for number in range(count):
            port.send(number, service.mean_service)
        served = 0
        while served < count:
            served += len(port.answers(port.now() + 10.0))
        seconds = port.now() - begin
    return replace(service, mean_service=service.workers * seconds / count)


def real_outage(
    service: Service,
    clients: Clients,
    incident: Incident,
    seed: int = 1,
    opening: Opening = running,
) -> Play:
    """Run one incident on a fresh service."""
    arrivals = poisson_arrivals(clients.arrival_rate, incident.horizon, seed)
    arrivals = arrivals[incident.admits(arrivals)]
    with opening(service) as port:
        sizes = np.full(arrivals.size, service.mean_service)
        return play(port, clients, incident, arrivals, sizes)


@dataclass(frozen=True)
class Bracket:
    """Runs with outages below and above a predicted threshold."""

    predicted: float
    """Seconds."""
    factor: float
    """By which the outages were shorter and longer, stated beforehand."""
    short: tuple[Play, ...]
    """Runs that should come back."""
    long: tuple[Play, ...]
    """Runs that should stay down."""

    @property
    def healthy(self) -> bool:
        """Whether all runs worked before their outage; otherwise they say nothing."""
        return all(run.before >= HEALTHY for run in self.short + self.long)

    @property
    def as_predicted(self) -> int:
        """Runs that ended as the fluid says."""
        return sum(run.up for run in self.short) + sum(not run.up for run in self.long)

    @property
    def conclusion(self) -> str:
        """Return the result as a sentence or two."""
        runs = len(self.short + self.long)
        if not self.healthy:
            return (
                "**No verdict**: before the outage at least one run didn't answer "
                f"{HEALTHY:.0%} of its requests in time. Other programs use this machine. Run the "
                "cell again."
            )
        beyond = f"within a factor {self.factor:g} of the predicted {1e3 * self.predicted:.0f} ms"
        if self.as_predicted == runs:
            return f"All {runs} runs ended as predicted: the threshold is {beyond}."
        back = sum(run.up for run in self.short)
        down = sum(not run.up for run in self.long)
        return (
            f"The threshold is **not** always {beyond}. The service survived {back} of "
            f"{len(self.short)} short outages, and it stayed down after {down} of "
            f"{len(self.long)} long outages. Luck and other programs can change the result."
        )


def bracket(
    service: Service,
    clients: Clients,
    predicted: float,
    incident: Incident,
    factor: float = 1.5,
    seeds: Sequence[int] = (1, 2, 3),
    opening: Opening = running,
) -> Bracket:
    """Test a predicted threshold by runs with shorter and longer outages.

    Two runs go at a time, one with a shorter outage and one with a longer. The workers sleep, so
    they take no core from each other. `predicted` is in seconds; the incident's length is not used.
    """
    middle = float(at_least("predicted", one_number("predicted", predicted), 1e-9))
    by = float(at_least("factor", one_number("factor", factor), 1.0))

    def run(length: float, seed: int) -> Play:
        return real_outage(service, clients, replace(incident, outage=length), seed, opening)

    with ThreadPoolExecutor(2) as pool:
        pairs = [
            [pool.submit(run, length, seed) for length in (middle / by, middle * by)]
            for seed in seeds
        ]
        short, long = (tuple(future.result() for future in row) for row in zip(*pairs, strict=True))
    return Bracket(middle, by, short, long)
