"""A queueing network, described once and handed to any solver: stations, classes and routes.

A station is where jobs wait and are served, as at a counter; a class is a kind of customer, coming
from outside (open) or going round (closed); the network says what each class asks of each station.

>>> users = JobClass("users", population=3, think_time=15)
>>> terminals = Network([Station("cpu"), Station("disk")], [users], service=[0.605, 1.35])
>>> print(terminals.service_demand)
[[0.605 1.35 ]]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.network.elements import (
    JobClass,
    ServiceDistribution,
    Station,
    checked_distribution,
    mean_of,
)
from perfmodel.queueing.network.routing import (
    checked_route,
    cyclic_route,
    route_of_visits,
    visit_ratios,
)
from perfmodel.queueing.station.result import items_of
from perfmodel.validation import Floats, is_regular, non_negative, one_number

_LEAST_DEMAND, _MOST_DEMAND = 1e-200, 1e200

__all__ = ["JobClass", "Network", "Station", "checked_network", "named_members"]


@dataclass(frozen=True, eq=False)
class Network:
    """Stations, classes, what each class asks of each station, and where jobs go next.

    Parameters
    ----------
    stations : sequence of Station
    classes : sequence of JobClass
    service : nested sequence, shape (classes, stations) or (stations,)
        Service time of one visit: a mean in seconds (exponential distribution) or a `Law`.
    visits : array_like, shape (classes, stations) or (stations,), optional
        Mean visits per job or cycle; 1 each if neither visits nor routing is given.
    routing : array_like, shape (classes, stations, stations) or (stations, stations), optional
        Probabilities of going from row to column; what a row lacks to 1 leaves. A closed class
        whose rows all sum to 1 ends a cycle on coming back to the first station.
    entry : array_like, shape (classes, stations) or (stations,), optional
        With routing: where jobs start; the first station if left out.

    Raises
    ------
    ValueError
        If anything is missing, negative, not finite, of the wrong shape, or if a route absorbs
        jobs; the message names the station or class and the value.

    Examples
    --------
    >>> web = Network([Station("web"), Station("database")], [JobClass("users", arrival_rate=4)],
    ...               service=[0.05, 0.03], routing=[[0, 0.5], [1, 0]])
    >>> print(web.visits, web.utilization)
    [[2. 1.]] [[0.4  0.12]]
    """

    stations: tuple[Station, ...]
    classes: tuple[JobClass, ...]
    service: tuple[tuple[float | ServiceDistribution, ...], ...]
    visits: Floats
    routing: Floats | None
    entry: Floats | None

    def __init__(
        self,
        stations: Sequence[Station],
        classes: Sequence[JobClass],
        service: Sequence[Any] | ArrayLike,
        visits: ArrayLike | None = None,
        routing: ArrayLike | None = None,
        entry: ArrayLike | None = None,
    ) -> None:
        self._set(
            stations=named_members("stations", stations), classes=named_members("classes", classes)
        )
        self._set(service=_checked_service(self, service))
        if routing is None:
            self._set(routing=None, entry=None, visits=_checked_visits(self, visits))
            if entry is not None:
                raise ValueError(f"entry goes with routing, got {entry!r} without one")
        else:
            if visits is not None:
                raise ValueError(f"visits follow from routing, got both: visits {visits!r}")
            self._set(**_routes(self, routing, entry))
        _check_demands(self)

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @cached_property
    def mean_service(self) -> Floats:
        """Mean service time of one visit in seconds, shape (classes, stations)."""
        return np.array([[mean_of(law) for law in row] for row in self.service])

    @cached_property
    def service_demand(self) -> Floats:
        """Seconds of service per job or cycle, visits times mean service, (classes, stations)."""
        return self.visits * self.mean_service

    @cached_property
    def arrival_rate(self) -> Floats:
        """Jobs per second from outside, shape (classes,); 0 for closed classes."""
        return np.array([job.arrival_rate or 0.0 for job in self.classes])

    @cached_property
    def population(self) -> np.ndarray:
        """Jobs of each class that circulate, shape (classes,); 0 for open classes."""
        return np.array([job.population or 0 for job in self.classes], dtype=np.int64)

    @cached_property
    def think_time(self) -> Floats:
        """Seconds outside between two cycles, shape (classes,)."""
        return np.array([float(job.think_time) for job in self.classes])

    @cached_property
    def is_open(self) -> np.ndarray:
        """Which classes are open, shape (classes,)."""
        return np.array([job.is_open for job in self.classes])

    @cached_property
    def utilization(self) -> Floats:
        """Share of a station's full speed that open classes take, shape (classes, stations)."""
        full = [s.speeds[-1] if s.speeds else s.servers for s in self.stations]
        full = [math.inf if s.is_delay else f for s, f in zip(self.stations, full, strict=True)]
        return np.asarray(self.arrival_rate[:, None] * self.service_demand / np.array(full))

    def route(self, job: int) -> tuple[Floats, Floats]:
        """Return entry, shape (stations,), and matrix, (stations, stations), of class `job`.

        A network described by visits gets a route that pays them (see `routing.route_of_visits`).
        """
        if self.routing is None or self.entry is None:
            return route_of_visits(self.visits[job])
        return self.entry[job], self.routing[job]

    def check_stable(self) -> Network:
        """Return the network if the open classes leave every station below its full speed.

        Raises
        ------
        ValueError
            If a station of unlimited capacity has utilization 1 or more; names it and the value.
        """
        for station, busy in zip(self.stations, self.utilization.sum(axis=0), strict=True):
            if busy >= 1 and station.capacity == math.inf:
                raise ValueError(
                    f"station {station.name!r} must have utilization below 1 to be stable, "
                    f"got {busy:.6g}"
                )
        return self


def checked_network(network: Network) -> Network:
    """Return `network`, refusing what is none.

    >>> checked_network(3)
    Traceback (most recent call last):
        ...
    ValueError: network must be a Network, got 3
    """
    if not isinstance(network, Network):
        raise ValueError(f"network must be a Network, got {network!r}")
    return network


def named_members(what: str, members: Sequence[Any]) -> tuple[Any, ...]:
    """Return stations or classes as a tuple, refusing none, other kinds and names used twice."""
    kind = Station if what == "stations" else JobClass
    held = items_of(members)
    if not held or not all(isinstance(m, kind) for m in held):
        raise ValueError(f"{what} must be one or more {kind.__name__}, got {members!r}")
    names = [m.name for m in held]
    if len(set(names)) < len(names):
        raise ValueError(f"{what} must have different names, got {names}")
    return held


def _checked_service(
    network: Network, service: Any
) -> tuple[tuple[float | ServiceDistribution, ...], ...]:
    rows: Sequence[Any] = items_of(service)
    if rows and not any(isinstance(row, list | tuple | np.ndarray) for row in rows):
        rows = [rows] * len(network.classes)
    rows = [items_of(row) for row in rows]
    shape = (len(network.classes), len(network.stations))
    if len(rows) != shape[0] or any(len(row) != shape[1] for row in rows):
        raise ValueError(f"service must have shape (classes, stations) = {shape}, got {service!r}")
    return tuple(
        tuple(
            checked_distribution(f"service of class {job.name!r} at station {station.name!r}", law)
            for station, law in zip(network.stations, row, strict=True)
        )
        for job, row in zip(network.classes, rows, strict=True)
    )


def _checked_visits(network: Network, visits: ArrayLike | None) -> Floats:
    shape = (len(network.classes), len(network.stations))
    return np.ones(shape) if visits is None else _shaped(network, "visits", visits, shape)


def _routes(network: Network, routing: ArrayLike, entry: ArrayLike | None) -> dict[str, Floats]:
    jobs, stations = len(network.classes), len(network.stations)
    matrices = _shaped(network, "routing", routing, (jobs, stations, stations))
    names = [station.name for station in network.stations]
    first = np.eye(stations)[0]
    entries = np.tile(first, (jobs, 1))
    if entry is not None:
        entries = _shaped(network, "entry", entry, (jobs, stations))
    for j, job in enumerate(network.classes):
        if entry is None and not job.is_open:
            entries[j], matrices[j] = cyclic_route(matrices[j])
        entries[j], matrices[j] = checked_route(job.name, names, entries[j], matrices[j])
    visits = np.array([visit_ratios(e, m) for e, m in zip(entries, matrices, strict=True)])
    return {"routing": matrices, "entry": entries, "visits": visits}


def _shaped(network: Network, name: str, value: ArrayLike, shape: tuple[int, ...]) -> Floats:
    array = np.asarray(value, dtype=None if is_regular(value) else object)
    if array.shape not in (shape, shape[1:]):
        raise ValueError(
            f"{name} must have shape {shape} or {shape[1:]} (classes {_names(network.classes)}, "
            f"stations {_names(network.stations)}), got shape {array.shape}"
        )
    filled = np.broadcast_to(array, shape).copy()
    for index in np.ndindex(*shape):
        job, station = network.classes[index[0]], network.stations[index[1]]
        where = f"{name} of class {job.name!r} at station {station.name!r}"
        one_number(where, filled[index], non_negative)
    return np.asarray(filled, dtype=np.float64)


def _names(members: Sequence[Station] | Sequence[JobClass]) -> str:
    return ", ".join(repr(member.name) for member in members)


def _check_demands(network: Network) -> None:
    """Refuse a class that asks nothing of any station, or what leaves the range of floats."""
    for job, demands in zip(network.classes, network.service_demand, strict=True):
        if not demands.any():
            raise ValueError(
                f"class {job.name!r} must ask service of a station, got demands {demands.tolist()}"
            )
        asked = demands[demands > 0]
        if asked.min() < _LEAST_DEMAND or asked.max() > _MOST_DEMAND:
            raise ValueError(
                f"service and visits of class {job.name!r} must give demands of 0 or from "
                f"{_LEAST_DEMAND:g} to {_MOST_DEMAND:g} s, got demands {demands.tolist()}"
            )
