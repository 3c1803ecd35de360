"""What a network is made of: stations where jobs are served, and classes of jobs.

>>> Station("cpu", servers=2), JobClass("web", arrival_rate=20).is_open
(Station(name='cpu', servers=2, discipline='FCFS', capacity=inf, speeds=()), True)
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, non_negative, one_number, one_of, positive, whole

Discipline = Literal[
    "FCFS", "PS", "LCFS-PR", "SJF", "PSJF", "SRPT", "FB", "priority", "preemptive", "delay"
]


@runtime_checkable
class ServiceDistribution(Protocol):
    """A distribution of times with known moments (`perfmodel.queueing.distributions.service`)."""

    def moment(self, order: int) -> float:
        """Return E[S^order]; order 1 gives the mean in seconds."""


@dataclass(frozen=True)
class Station:
    """A place where `servers` identical servers serve jobs, in the order of its `discipline`.

    >>> Station("cpu", servers=4).servers
    4
    >>> Station("think", discipline="delay").is_delay
    True
    """

    name: str
    servers: int = 1
    """How many jobs are served at once; a delay station serves all of them."""
    discipline: Discipline = "FCFS"
    capacity: float = math.inf
    """Most jobs at the station, waiting and in service; later ones are lost or block."""
    speeds: tuple[float, ...] = ()
    """Load-dependent: total speed with 1, 2, ... jobs; the last also holds for more jobs."""

    def __post_init__(self) -> None:
        """Refuse a station that cannot serve."""
        _check_name("station", self.name)
        here = f"of station {self.name!r}"
        servers = whole(f"servers {here}", self.servers, low=1)
        object.__setattr__(self, "servers", servers)
        one_of(f"discipline {here}", self.discipline, get_args(Discipline))
        if not np.array_equal(self.capacity, math.inf):
            whole(f"capacity {here}", self.capacity, low=servers)
        object.__setattr__(self, "speeds", _checked_speeds(self))

    @property
    def is_delay(self) -> bool:
        """Whether nobody waits here."""
        return self.discipline == "delay"

    def speed(self, jobs: ArrayLike) -> Floats:
        """Return the total speed with `jobs` present, in units of one server's.

        >>> print(Station("cpu", servers=2).speed([0, 1, 2, 3]))
        [0. 1. 2. 2.]
        """
        n = non_negative("jobs", jobs)
        if self.speeds:
            held = np.concatenate([[0.0], self.speeds])
            return np.asarray(held[np.minimum(n, held.size - 1).astype(np.int64)])
        return n if self.is_delay else np.minimum(n, float(self.servers))


@dataclass(frozen=True)
class JobClass:
    """A kind of job: open with an `arrival_rate` (1/s), or closed with a `population`.

    >>> JobClass("web", arrival_rate=20).is_open
    True
    """

    name: str
    arrival_rate: float | None = None
    population: int | None = None
    think_time: float = 0.0
    """Mean time in seconds that a closed class's job spends outside between two cycles."""
    priority: int = 0
    """0 goes first; used by the priority disciplines only."""

    def __post_init__(self) -> None:
        """Refuse a class that is neither open nor closed, or both."""
        _check_name("class", self.name)
        here = f"of class {self.name!r}"
        if (self.arrival_rate is None) == (self.population is None):
            raise ValueError(
                f"class {self.name!r} must have either arrival_rate (open) or population "
                f"(closed), got {self.arrival_rate!r} and {self.population!r}"
            )
        if self.arrival_rate is not None:
            rate = one_number(f"arrival_rate {here}", self.arrival_rate, positive)
            object.__setattr__(self, "arrival_rate", rate)
        if self.population is not None:
            population = whole(f"population {here}", self.population, 1, 10**15)
            object.__setattr__(self, "population", population)
        one_number(f"think_time {here}", self.think_time, non_negative)
        if self.is_open and self.think_time:
            raise ValueError(
                f"think_time {here} goes with a closed class, got {self.think_time!r} and open"
            )
        object.__setattr__(self, "priority", whole(f"priority {here}", self.priority))

    @property
    def is_open(self) -> bool:
        """Whether jobs come from outside."""
        return self.arrival_rate is not None


def mean_of(distribution: float | ServiceDistribution) -> float:
    """Return the mean service time of a law, or of a plain number, in seconds.

    >>> mean_of(0.5)
    0.5
    """
    return (
        float(distribution.moment(1))
        if isinstance(distribution, ServiceDistribution)
        else float(distribution)
    )


def scv_of(distribution: float | ServiceDistribution) -> float:
    """Return the squared coefficient of variation of a law; 1 for a plain number (exponential)."""
    if not isinstance(distribution, ServiceDistribution):
        return 1.0
    return max(0.0, float(distribution.moment(2)) / float(distribution.moment(1)) ** 2 - 1)


def checked_distribution(name: str, distribution: Any) -> float | ServiceDistribution:
    """Return a service law, or a plain number as a float, whose mean is finite and 0 or more."""
    if isinstance(distribution, ServiceDistribution):
        one_number(f"mean {name}", distribution.moment(1), non_negative)
        return distribution
    return one_number(name, distribution, non_negative)


def _check_name(kind: str, name: object) -> None:
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"name of a {kind} must be a word, got {name!r}")


def _checked_speeds(station: Station) -> tuple[float, ...]:
    name = f"speeds of station {station.name!r}"
    if not isinstance(station.speeds, Iterable):
        raise ValueError(f"{name} must be a list of numbers, got {station.speeds!r}")
    if not len(station.speeds):
        return ()
    if station.is_delay or station.servers > 1:
        raise ValueError(f"{name} go with one server, got {station.speeds!r} with several")
    speeds = positive(name, station.speeds)
    if speeds.ndim != 1:
        raise ValueError(f"{name} must be a list of numbers, got shape {speeds.shape}")
    return tuple(speeds.tolist())
