"""What a simulation can add to a network: other arrivals, forks, batches, full buffers.

>>> Options(batches={"gpu": Batch(max_size=8)}).batches["gpu"].factors()
(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from perfmodel.queueing.network.elements import (
    ServiceDistribution,
    Station,
    checked_distribution,
    mean_of,
)
from perfmodel.queueing.network.model import Network, checked_network
from perfmodel.queueing.network.routing import route_of_visits
from perfmodel.validation import Floats, one_of, positive, sample, whole

WhenFull = Literal["block", "lose"]


@dataclass(frozen=True)
class Batch:
    """A server that takes up to `max_size` waiting jobs at once, all in one service time.

    >>> Batch(max_size=3, stretch=(1.0, 1.2)).factors()
    (1.0, 1.2, 1.2)
    """

    max_size: int
    min_size: int = 1
    """Smallest batch: a free server waits until this many jobs are there."""
    stretch: tuple[float, ...] = ()
    """Service time of 1, 2, ... jobs together, in units of the time drawn for the first; the last
    also holds for more jobs, 1 if left out."""

    def __post_init__(self) -> None:
        """Refuse sizes that are not whole or do not fit."""
        whole("max_size", self.max_size, low=1)
        if whole("min_size", self.min_size, low=1) > self.max_size:
            raise ValueError(f"min_size must be at most {self.max_size}, got {self.min_size}")
        if not isinstance(self.stretch, Sequence) or self.stretch:
            positive("stretch", sample("stretch", self.stretch))

    def factors(self) -> tuple[float, ...]:
        """Return `stretch` filled up to `max_size` jobs."""
        given = (tuple(self.stretch) or (1.0,))[: self.max_size]
        return given + (given[-1],) * (self.max_size - len(given))


@dataclass(frozen=True)
class JoinShortestQueue:
    """Join the shortest queue (JSQ): a job for any of `stations` goes where the fewest jobs are.

    >>> JoinShortestQueue(["a", "b", "c"], choices=2).num_choices
    2
    """

    stations: Sequence[str]
    choices: int | None = None
    """How many stations to look at, drawn independently for each job (power of d choices); all
    of them if left out. The first of equals drawn is joined, or any of the shortest of all."""

    def __post_init__(self) -> None:
        """Refuse fewer than two stations and fewer than one look."""
        names = self.stations if np.iterable(self.stations) else ()
        words = not isinstance(names, str) and all(isinstance(name, str) for name in names)
        if not words or len(set(names)) < 2:
            raise ValueError(f"stations must be two or more to choose from, got {self.stations!r}")
        if self.choices is not None:
            whole("choices", self.choices, low=1)

    @property
    def num_choices(self) -> int:
        """Return how many stations are drawn; 0 where all are looked at."""
        return self.choices or 0


@dataclass(frozen=True)
class Options:
    """What a simulation adds to the description that the other solvers share."""

    arrivals: Mapping[str, ServiceDistribution] = field(default_factory=dict)
    """Law of interarrival times by open class; exponential where left out."""
    forks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Stations where a job splits into one task at each of the stations named; it goes on from
    there when the last task is done. Visits given for the branches are those of the tasks."""
    batches: Mapping[str, Batch] = field(default_factory=dict)
    dispatch: Sequence[JoinShortestQueue] = ()
    """Groups of stations of which a job joins one of the shortest. Routes or visits say how often
    each class comes to the group; give its stations equal shares."""
    when_full: WhenFull = "block"
    """What a job that comes from another station does at a full one: hold its server until there
    is room (blocking after service), or leave unserved. Jobs from outside are always lost."""

    def checked(self, network: Network) -> Options:
        """Return the options if they fit the network.

        Raises `ValueError` if a name is unknown, two features cannot go together, or a station is
        overloaded.
        """
        checked_network(network)
        one_of("when_full", self.when_full, get_args(WhenFull))
        _check_kinds(self)
        _check_names(self, network)
        _check_arrivals(self, network)
        _check_features(self, network)
        _check_dispatch(self, network)
        _check_room(network)
        _check_load(self, network)
        return self

    def visits(self, network: Network) -> Floats:
        """Return visits with those of the tasks, shape (classes, stations)."""
        names = [s.name for s in network.stations]
        visits = self.walked(network)
        for origin, branches in self.forks.items():
            for branch in branches:
                visits[:, names.index(branch)] += visits[:, names.index(origin)]
        return visits

    def walked(self, network: Network) -> Floats:
        """Return visits without those of the tasks, shape (classes, stations)."""
        visits = network.visits.copy()
        if network.routing is None:
            tasks = {branch for branches in self.forks.values() for branch in branches}
            visits[:, [s.name in tasks for s in network.stations]] = 0.0
        return visits

    def load(self, network: Network) -> Floats:
        """Return the work that open classes bring over a station's full speed, (stations,).

        It is 0 at delay stations.
        """
        work = network.arrival_rate @ (self.visits(network) * network.mean_service)
        return np.asarray(work / np.array([self._full_speed(s) for s in network.stations]))

    def _full_speed(self, station: Station) -> float:
        if station.is_delay:
            return np.inf
        full: float = station.speeds[-1] if station.speeds else station.servers
        if station.name in self.batches:
            factors = self.batches[station.name].factors()
            full *= max((n + 1) / f for n, f in enumerate(factors))
        return full

    def route(self, network: Network, job: int) -> tuple[Floats, Floats]:
        """Return entry and matrix of the route that class `job` walks between its tasks."""
        if network.routing is None:
            return route_of_visits(self.walked(network)[job])
        return network.route(job)


def _check_kinds(options: Options) -> None:
    for name in ("arrivals", "forks", "batches"):
        if not isinstance(getattr(options, name), Mapping):
            given = getattr(options, name)
            raise ValueError(f"{name} must say what belongs to each name, got {given!r}")
    for where, batch in options.batches.items():
        if not isinstance(batch, Batch):
            raise ValueError(f"batches at {where!r} must be a Batch, got {batch!r}")
    for where, branches in options.forks.items():
        if isinstance(branches, str) or not isinstance(branches, Sequence):
            raise ValueError(f"forks at {where!r} must name several stations, got {branches!r}")
    groups = options.dispatch
    if not isinstance(groups, Sequence) or not all(
        isinstance(g, JoinShortestQueue) for g in groups
    ):
        raise ValueError(f"dispatch must be a list of JoinShortestQueue, got {groups!r}")


def _check_names(options: Options, network: Network) -> None:
    stations = [s.name for s in network.stations]
    tasks = [branch for branches in options.forks.values() for branch in branches]
    for name, given in (("forks", [*options.forks, *tasks]), ("batches", options.batches)):
        for station in given:
            if station not in stations:
                raise ValueError(f"{name} must name stations of {stations}, got {station!r}")
    for origin, branches in options.forks.items():
        if not branches or set(branches) & set(options.forks):
            raise ValueError(
                f"forks at {origin!r} must name branches that do not fork, got {branches!r}"
            )


def _check_arrivals(options: Options, network: Network) -> None:
    known = {c.name: c.arrival_rate for c in network.classes if c.arrival_rate is not None}
    for name, law in options.arrivals.items():
        if name not in known:
            raise ValueError(f"arrivals must name open classes of {sorted(known)}, got {name!r}")
        checked_distribution(f"arrivals of class {name!r}", law)
        if not np.isclose(mean_of(law) * known[name], 1, rtol=1e-6):
            raise ValueError(
                f"arrivals of class {name!r} must have a mean of 1 / arrival_rate = "
                f"{1 / known[name]:.9g} s, got {mean_of(law):.9g} s"
            )


def _check_features(options: Options, network: Network) -> None:
    for k, station in enumerate(network.stations):
        here = f"of station {station.name!r}"
        if station.discipline == "FB" and station.servers > 1:
            raise ValueError(f"servers {here} must be 1 with FB, got {station.servers}")
        ranked = station.discipline not in ("FCFS", "PS", "delay")
        if ranked and station.speeds:
            raise ValueError(f"speeds {here} go with FCFS or PS, got {station.discipline!r}")
        if station.name in options.batches and (station.discipline != "FCFS" or station.speeds):
            raise ValueError(
                f"batches go with FCFS and one speed, got {station.discipline!r} at "
                f"{station.name!r}"
            )
        inner = network.visits[:, k].any() or options.forks
        if (options.forks or (options.batches and station.name not in options.batches)) and (
            inner and station.capacity < np.inf
        ):
            raise ValueError(
                f"capacity {here} must be unlimited with forks and batches, got "
                f"{station.capacity:g}"
            )


def _check_dispatch(options: Options, network: Network) -> None:
    known = [s.name for s in network.stations]
    visits, seen = options.visits(network), set[str]()
    tasks = {branch for branches in options.forks.values() for branch in branches}
    for group in options.dispatch:
        for name in group.stations:
            if name not in known:
                raise ValueError(f"dispatch must name stations of {known}, got {name!r}")
            if name in seen | tasks:
                raise ValueError(
                    f"dispatch must name each station once, none of forks, got {name!r} again"
                )
            seen.add(name)
        members = [known.index(name) for name in group.stations]
        onward = np.array([options.route(network, j)[1] for j in range(len(visits))])[:, members]
        if not np.allclose(onward, onward[:, :1]):
            raise ValueError(f"routing from {list(group.stations)} must be the same for dispatch")
        shares = visits[:, members]
        if not np.allclose(shares, shares[:, :1]):
            raise ValueError(
                f"stations {list(group.stations)} must have equal visits to be dispatched to, "
                f"got {shares.tolist()}"
            )


def _check_room(network: Network) -> None:
    """Refuse closed jobs that start at a station without room for all of them."""
    for job, population in enumerate(network.population):
        starts = population and not network.think_time[job]
        entry = network.route(job)[0] if starts else np.zeros(len(network.stations))
        for station, probability in zip(network.stations, entry, strict=True):
            if probability > 0 and station.capacity < population:
                raise ValueError(
                    f"capacity of station {station.name!r} must be {population} or more, where the "
                    f"jobs of class {network.classes[job].name!r} start, got {station.capacity:g}"
                )


def _check_load(options: Options, network: Network) -> None:
    for station, load in zip(network.stations, options.load(network), strict=True):
        if load >= 1 and station.capacity == np.inf:
            raise ValueError(
                f"station {station.name!r} must have utilization below 1 to be stable, "
                f"got {load:.6g}"
            )
