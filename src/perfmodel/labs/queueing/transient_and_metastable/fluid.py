"""Requests as a fluid: a tank with a drain, and what was late poured in again one time-out later.

It is a differential equation with a delay. It knows no chance: its threshold is that of very many
small requests.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np

from perfmodel.labs.queueing.transient_and_metastable.system import (
    Clients,
    Incident,
    Service,
    checked_patience,
)
from perfmodel.validation import Floats, one_number, positive, whole

STEPS = 200
"""Steps of the grid in one time-out."""

WATCHED = 4.0
"""Time-outs before the end in which it is decided whether the service is up."""

UP = 0.5
"""Share of the new requests that must be answered in time for the service to be up."""


@dataclass(frozen=True)
class FluidPath:
    """What happens over time; arrays of one value an instant, shape (n,)."""

    times: Floats
    """Seconds from the beginning."""
    queue: Floats
    """Requests inside."""
    attempts: Floats
    """Attempts sent per second."""
    response: Floats
    """Seconds that an attempt sent now will take."""
    goodput: Floats
    """Attempts sent now that will be answered in time, per second."""
    final_goodput: float
    """Mean of the last stretch, per new request; below `UP` the service is down."""

    @property
    def up(self) -> bool:
        """Whether the service works at the end."""
        return self.final_goodput >= UP


def follow_fluid(
    service: Service, clients: Clients, incident: Incident, steps: int = STEPS
) -> FluidPath:
    """Follow the fluid through an outage, starting with an empty queue.

    The grid has `steps` steps in a time-out, 10 or more.

    >>> shop = Service(workers=4, mean_service=0.01)
    >>> impatient = Clients(arrival_rate=280, timeout=0.1)
    >>> [follow_fluid(shop, impatient, Incident(0.1, d, 2.0)).up for d in (0.05, 0.3)]
    [True, False]
    """
    checked_patience(service, clients)
    step = clients.timeout / whole("steps", steps, low=10)
    times: Floats = step * np.arange(math.ceil(incident.horizon / step) + 1, dtype=np.float64)
    streams = np.zeros((clients.retries + 1, times.size))
    streams[0] = clients.arrival_rate * incident.admits(times)
    queue, entered, response = (np.zeros(times.size) for _ in range(3))
    drain = step * service.capacity * _working(times, step, incident)
    level = 0.0
    for begin in range(0, times.size, steps):
        block = slice(begin, min(begin + steps, times.size))
        _keep_to_budget(streams, block, clients)
        queue[block], entered[block] = _fill(
            level, step * streams[:, block].sum(axis=0), drain[block], service.queue_limit
        )
        level = float(queue[block][-1])
        response[block] = _response(times[block], queue[block], service, incident)
        late = entered[block] * (response[block] > clients.timeout)
        _ask_again(streams, block, late, clients, step)
    attempts = streams.sum(axis=0)
    goodput = attempts * entered * (response <= clients.timeout)
    last = times >= times[-1] - WATCHED * clients.timeout
    final = float(goodput[last].mean()) / clients.arrival_rate
    return FluidPath(times, queue, attempts, response, goodput, final)


def critical_outage(
    service: Service, clients: Clients, after: float, longest: float | None = None
) -> float:
    """Return the shortest outage from which the fluid doesn't come back.

    It is in seconds, to a hundredth of a time-out; infinite if it comes back from the longest, 20
    time-outs if not given. The service should be up again `after` seconds later; one
    that isn't up without an outage is refused.

    >>> shop = Service(workers=4, mean_service=0.01)
    >>> print(round(critical_outage(shop, Clients(280, timeout=0.1), after=2.0), 3))
    0.107
    >>> critical_outage(shop, Clients(180, timeout=0.1), after=20.0)
    inf
    """
    high = 20 * clients.timeout if longest is None else one_number("longest", longest, positive)

    def falls(seconds: float) -> bool:
        return not follow_fluid(service, clients, Incident(0.0, seconds, after)).up

    if falls(0.0):
        raise ValueError(
            f"arrival_rate must be one that the service bears, got {clients.arrival_rate:g} for a "
            f"capacity of {service.capacity:g} requests/s"
        )
    return _first(falls, high, clients.timeout / 100)


def critical_relief(
    service: Service, clients: Clients, incident: Incident, longest: float | None = None
) -> float:
    """Return how long new requests must be turned away for the fluid to come back.

    It is in seconds, to a hundredth of a time-out; infinite if the longest, 20 time-outs if not
    given, is not enough. The incident's `relief_at` says when one begins to turn requests away; its
    `relief` is not used, and `after` is counted from where they are let in again.

    >>> shop, impatient = Service(workers=4, mean_service=0.01), Clients(280, timeout=0.1)
    >>> storm = Incident(start=0.1, outage=0.3, after=1.0, relief_at=0.5)
    >>> print(round(critical_relief(shop, impatient, storm), 3))
    0.512
    """
    high = 20 * clients.timeout if longest is None else one_number("longest", longest, positive)

    def rises(seconds: float) -> bool:
        watched = incident.relief_at + seconds + incident.after
        return follow_fluid(service, clients, replace(incident, relief=seconds, after=watched)).up

    return _first(rises, high, clients.timeout / 100)


def _first(happens: Callable[[float], bool], high: float, tolerance: float) -> float:
    """Return the smallest value at which something happens, infinite if it doesn't at `high`."""
    if not happens(high):
        return math.inf
    low = 0.0
    while high - low > tolerance:
        middle = (low + high) / 2
        low, high = (low, middle) if happens(middle) else (middle, high)
    return (low + high) / 2


def _working(times: Floats, step: float, incident: Incident) -> Floats:
    """Return the share of each step in which workers work."""
    lost = np.minimum(times + step, incident.end) - np.maximum(times, incident.start)
    return 1 - np.clip(lost / step, 0.0, 1.0)


def _fill(level: float, inflow: Floats, drain: Floats, limit: float) -> tuple[Floats, Floats]:
    """Return the level after each step, and the share of each inflow that found room."""
    free = accumulate(inflow - drain, lambda q, x: min(max(q + x, 0.0), limit), initial=level)
    levels = np.fromiter(free, float, inflow.size + 1)
    refused = np.maximum(levels[:-1] + inflow - drain - limit, 0.0)
    return levels[1:], 1 - np.divide(refused, inflow, out=np.zeros_like(inflow), where=inflow > 0)


def _response(times: Floats, queue: Floats, service: Service, incident: Incident) -> Floats:
    """Return the seconds that an attempt takes which is sent now, behind the queue."""
    since = np.maximum(incident.start, times - incident.outage)
    begun = np.where(times > incident.start, since, times)
    worked = begun + queue / service.capacity
    ready = np.where(worked < incident.start, worked, worked + incident.outage)
    return np.asarray(np.maximum(ready - times, 0.0) + service.mean_service)


def _ask_again(streams: Floats, block: slice, late: Floats, clients: Clients, step: float) -> None:
    """Add to the coming attempts those of the block that are not answered in time."""
    for retry in range(1, clients.retries + 1):
        first = block.start + round(clients.delay(retry) / step)
        length = max(0, min(late.size, streams.shape[1] - first))
        streams[retry, first : first + length] += (streams[retry - 1, block] * late)[:length]


def _keep_to_budget(streams: Floats, block: slice, clients: Clients) -> None:
    """Take away from the block's retries what the budget doesn't allow."""
    retried = streams[1:, block].sum(axis=0)
    allowed = clients.budget * clients.arrival_rate
    if np.isfinite(allowed):
        streams[1:, block] *= np.minimum(1.0, allowed / np.maximum(retried, 1e-300))
