"""Stations with little room that one closed class visits, and how many jobs are too many.

>>> placements(np.array([3.0, 1.0, 2.0]), 4)
5.0
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import shortest_path

from perfmodel.queueing.network.model import Network, checked_network
from perfmodel.queueing.network.routing import ROUNDING
from perfmodel.validation import Floats, whole

_MOST_JOBS, _MOST_STATIONS, _MOST_PLACED = 10**6, 1000, 10**8
_FAR_APART = 1e12
State = tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]
"""Jobs at each station; and for each, where the jobs are that wait for room there, in order."""


@dataclass(frozen=True, eq=False)
class FiniteCapacityStations:
    """Stations of a closed network of one class, and where a job goes next."""

    servers: Floats
    capacity: Floats
    rate: Floats
    """Of one server, in 1/s."""
    routing: Floats
    """Probabilities from row to column; rows sum to 1."""

    def filled(self, population: int) -> State:
        """Return a state to start from: the first stations are full, and nobody waits for room."""
        jobs, left = [], population
        for room in self.capacity:
            jobs.append(int(min(room, left)))
            left -= jobs[-1]
        return tuple(jobs), ((),) * len(jobs)

    def blocked_servers(self, waiting: tuple[tuple[int, ...], ...]) -> list[int]:
        """Return how many servers of each station jobs hold that wait for room elsewhere."""
        counts = [0] * len(waiting)
        for row in waiting:
            for station in row:
                counts[station] += 1
        return counts


def finite_capacity_stations(network: Network) -> FiniteCapacityStations:
    """Return the stations of a closed network of one class with exponential service.

    Raises `ValueError` if there are more classes, or an open one, think time, another order of
    service, speeds, no service, rates a factor of 1e12 apart, more than 1,000 stations or a million
    jobs, or these times the stations are above 1e8; names the station or class.
    """
    if len(checked_network(network).classes) != 1 or network.classes[0].is_open:
        names = [job.name for job in network.classes]
        kind = " (open)" if network.is_open.any() else ""
        raise ValueError(
            f"network must have one class, closed, for blocking, got classes {names}{kind}"
        )
    job, size = network.classes[0], len(network.stations)
    whole("number of stations", size, 1, _MOST_STATIONS)
    most = min(_MOST_JOBS, _MOST_PLACED // size)
    whole(f"population of class {job.name!r}", job.population, 1, most)
    if job.think_time:
        raise ValueError(
            f"think_time of class {job.name!r} must be 0 for blocking, got {job.think_time:g}: add "
            f"a station of discipline 'delay'"
        )
    for k, station in enumerate(network.stations):
        here = f"station {station.name!r} must"
        if station.discipline not in ("FCFS", "delay") or station.speeds:
            kind = "speeds" if station.speeds else station.discipline
            raise ValueError(f"{here} be FCFS or delay, without speeds, for blocking, got {kind}")
        if not network.service_demand[0, k]:
            raise ValueError(f"{here} be visited and serve for a time above 0, got a demand of 0")
    entry, matrix = network.route(0)
    leaving = 1 - matrix.sum(axis=1, keepdims=True)
    rooms = FiniteCapacityStations(
        servers=np.array([math.inf if s.is_delay else s.servers for s in network.stations]),
        capacity=np.array([s.capacity for s in network.stations]),
        rate=1 / network.mean_service[0],
        routing=matrix + np.where(leaving > ROUNDING, leaving, 0.0) * entry,
    )
    _check_rates(rooms)
    return rooms


def _check_rates(rooms: FiniteCapacityStations) -> None:
    """Refuse moves that are so rare compared with others that only rounding would remain."""
    rates = rooms.rate[:, None] * rooms.routing
    slow, fast = rates[rates > 0].min(), rates.max()
    if slow * _FAR_APART < fast:
        raise ValueError(
            f"service and routing must give moves at rates within a factor of {_FAR_APART:g}, "
            f"got from {slow:g} to {fast:g} /s"
        )


def placements(capacity: Floats, population: int) -> float:
    """Return in how many ways these jobs can stand at stations of these capacities, inf if vast.

    >>> placements(np.array([3.0, 1.0, 2.0]), 4)
    5.0
    """
    free = capacity.sum() - population
    number = int(min(population, free)) if free >= 0 else -1
    ways = np.zeros(max(0, number) + 1)
    ways[0] = number >= 0
    with np.errstate(over="ignore", invalid="ignore"):
        for room in capacity:
            ways = ways.cumsum()
            if room < number:
                ways[int(room) + 1 :] -= ways[: -int(room) - 1].copy()
    return float(ways[-1]) if math.isfinite(ways[-1]) else math.inf


def check_deadlock(network: Network, stations: FiniteCapacityStations, holds: bool) -> None:
    """Refuse a population with which all servers of a cycle of full stations could wait forever.

    Where jobs hold no server (`holds` False) they get stuck only if there is no free place at all.
    """
    population = int(network.population[0])
    room = stations.capacity.sum()
    names = [station.name for station in network.stations]
    if holds:
        room, cycle = _tightest_cycle(stations)
        names = [names[k] for k in cycle]
    if population >= room:
        raise ValueError(
            f"population of class {network.classes[0].name!r} must be below {room:g}, the room of "
            f"stations {', '.join(names)}, or jobs could block each other for ever, "
            f"got {population}"
        )


def _tightest_cycle(rooms: FiniteCapacityStations) -> tuple[float, list[int]]:
    """Return the least room of a way from a station back to itself, and its stations."""
    steps = np.where(rooms.routing > 0, rooms.capacity, math.inf)
    ways, before = shortest_path(steps, return_predecessors=True)
    loops = ways + steps.T
    first, station = (int(k) for k in np.unravel_index(np.argmin(loops), loops.shape))
    cycle = [station]
    while cycle[-1] != first and math.isfinite(loops.min()):
        cycle.append(int(before[first, cycle[-1]]))
    return float(loops.min()), cycle[::-1]
