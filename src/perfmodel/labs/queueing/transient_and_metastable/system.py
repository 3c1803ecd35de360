"""A service, the clients that give up and ask again, and an outage: what all models here are given.

Source: N. Bronson et al., "Metastable failures in distributed systems", HotOS 2021.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.validation import finite, non_negative, one_number, positive, whole

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Service:
    """Workers that take requests in order of arrival, also those whose clients have given up."""

    workers: int
    """Requests served at a time, 1 or more."""
    mean_service: float
    """Seconds of a request at a worker, above 0."""
    queue_limit: float = math.inf
    """Requests that may wait; the next one is refused at once, and isn't asked again."""

    def __post_init__(self) -> None:
        whole("workers", self.workers, low=1)
        one_number("mean_service", self.mean_service, positive)
        if not self.queue_limit >= 1:
            raise ValueError(f"queue_limit must be 1 or more, got {self.queue_limit!r}")

    @property
    def capacity(self) -> float:
        """Requests per second."""
        return self.workers / self.mean_service


@dataclass(frozen=True)
class Clients:
    """Requests that come whatever happens, each asked again when no answer is there in time."""

    arrival_rate: float
    """New requests per second, above 0."""
    timeout: float
    """Seconds after which an attempt is given up, above 0."""
    retries: int = 1
    """Further attempts of a request, 0 or more."""
    backoff: float = 0.0
    """Seconds before the first retry; each further one waits twice as long as the one before."""
    budget: float = math.inf
    """Retries allowed for each new request, over all clients, 0 or more."""

    def __post_init__(self) -> None:
        one_number("arrival_rate", self.arrival_rate, positive)
        one_number("timeout", self.timeout, positive)
        whole("retries", self.retries)
        one_number("backoff", self.backoff, non_negative)
        if not self.budget >= 0:
            raise ValueError(f"budget must be 0 or more, got {self.budget!r}")

    def delay(self, retry: int) -> float:
        """Return the seconds from sending attempt number `retry` - 1 to the next one.

        >>> [Clients(10, timeout=1, retries=3, backoff=0.5).delay(k) for k in (1, 2, 3)]
        [1.5, 2.0, 3.0]
        """
        return self.timeout + self.backoff * 2.0 ** (whole("retry", retry, low=1) - 1)

    @property
    def attempts(self) -> float:
        """Attempts of a request while none of them is answered in time."""
        return 1 + min(self.retries, self.budget)


@dataclass(frozen=True)
class Incident:
    """An outage, in which no worker works, what is done about it, and how long is watched."""

    start: float
    """Seconds from the beginning to the outage, 0 or more."""
    outage: float
    """Seconds of the outage, 0 or more."""
    after: float
    """Seconds that are watched after its end, above 0."""
    relief_at: float = 0.0
    """Seconds from the outage's end until new requests are turned away, 0 or more."""
    relief: float = 0.0
    """Seconds for which they are, 0 or more; retries of older ones still come."""

    def __post_init__(self) -> None:
        for name in ("start", "outage", "relief_at", "relief"):
            one_number(name, getattr(self, name), non_negative)
        one_number("after", self.after, positive)

    @property
    def end(self) -> float:
        """Seconds from the beginning at which the workers work again."""
        return self.start + self.outage

    @property
    def horizon(self) -> float:
        """Seconds from the beginning to the end of the observation."""
        return self.end + self.after

    def admits(self, times: ArrayLike) -> Flags:
        """Return whether new requests are let in at each instant.

        >>> print(Incident(1.0, 2.0, 9.0, relief_at=1.0, relief=0.5).admits([3.9, 4.0, 4.5]))
        [ True False  True]
        """
        since = finite("times", times) - self.end - self.relief_at
        return np.asarray((since < 0) | (since >= self.relief))


def storm_load(service: Service, clients: Clients) -> float:
    """Return the load while every attempt comes too late: utilization times attempts.

    Above 1 a storm feeds itself; below 1 the queue drains whatever was before. It is attempts per
    second over the capacity.

    >>> database = Service(workers=30, mean_service=0.1)
    >>> print(round(storm_load(database, Clients(arrival_rate=280, timeout=1.0)), 3))
    1.867
    """
    return clients.arrival_rate * clients.attempts / service.capacity


def with_load(service: Service, load: float, timeout: float, retries: int = 1) -> Clients:
    """Return clients that bring a service a given load while all goes well.

    >>> with_load(Service(4, 0.01), 0.75, timeout=0.1).arrival_rate
    300.0
    """
    share = one_number("load", load, positive)
    return Clients(share * service.capacity, timeout, retries)


def checked_patience(service: Service, clients: Clients) -> None:
    """Refuse clients that give up before even an idle service could have answered."""
    if clients.timeout <= service.mean_service:
        raise ValueError(
            f"timeout must be above the mean service of {service.mean_service:g} s, "
            f"got {clients.timeout:g}"
        )
