"""What a solver hands back: the measures of a network, how they were found, how far to trust them.

>>> import numpy as np
>>> from perfmodel.queueing.network.model import JobClass, Network, Station
>>> server = Network([Station("cpu")], [JobClass("user", population=1, think_time=1)], [3])
>>> by_hand = checked_solution(server, "by hand", np.array([0.25]), np.array([[3.0]]))
>>> by_hand
by hand (exact)
class  station  throughput (1/s)  utilization  queue length  time (s)
user   cpu      0.25              0.75         0.75          3
user   all      0.25                           0.75          3
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.printed_tables import PrintedTable
from perfmodel.queueing.network.model import Network, checked_network
from perfmodel.queueing.network.product_form import check_unlimited, product_form_violations
from perfmodel.units import number
from perfmodel.validation import Floats, non_negative, positive, whole_numbers

MAX_BYTES = 4e9
"""Memory that an exact solver may keep."""
MAX_JOBS = 10**15
"""Population up to which jobs are counted without rounding."""


class TooBigError(ValueError):
    """A model that the method cannot solve in reasonable time or memory."""


@dataclass(frozen=True, eq=False, repr=False)
class Solution:
    """Steady-state measures by class and station, with the method's name and its limits."""

    network: Network
    method: str
    exact: bool
    """Whether the method gives the model's true value, up to rounding."""
    throughput: Floats
    """Jobs (open) or cycles (closed) per second, shape (classes,)."""
    residence_time: Floats
    """Seconds that a job spends at each station over all its visits, shape (classes, stations)."""
    warning: str = ""
    """Why not to trust the result in full; empty where there is no reason."""
    iterations: int = 0
    """Steps of an iterative method."""
    log_constants: Floats = field(default_factory=lambda: np.zeros(0))
    """Natural logarithm of the normalising constants, for methods that compute them."""
    marginals: tuple[Floats, ...] = ()
    """P(n closed jobs at the station), n = 0, 1, ..., one array a station, where computed."""

    @property
    def response_time(self) -> Floats:
        """Seconds from entering the network to leaving it, think time excluded, (classes,)."""
        return np.asarray(self.residence_time.sum(axis=1))

    @property
    def queue_length(self) -> Floats:
        """Mean jobs of each class at each station, in service included, (classes, stations)."""
        return np.asarray(self.throughput[:, None] * self.residence_time)

    @property
    def utilization(self) -> Floats:
        """Share of a station's servers that each class keeps busy, (classes, stations).

        At a delay station, where nobody is turned away, it is the mean number present.
        """
        servers = [1 if s.is_delay else s.servers for s in self.network.stations]
        return np.asarray(
            self.throughput[:, None] * self.network.service_demand / np.array(servers)
        )

    def table(self) -> list[dict[str, float | str]]:
        """Return one row per class and station, ready for `pandas.DataFrame` or `live.table`."""
        columns = {
            "throughput (1/s)": self.throughput[:, None] * self.network.visits,
            "utilization": self.utilization,
            "queue length": self.queue_length,
            "residence time (s)": self.residence_time,
        }
        return [
            {
                "class": job.name,
                "station": station.name,
                **{name: float(values[j, k]) for name, values in columns.items()},
            }
            for j, job in enumerate(self.network.classes)
            for k, station in enumerate(self.network.stations)
        ]

    def printed(self) -> PrintedTable:
        """Return a row for each class at each station, and one for the class in all."""
        rows, lines, size = [], self.table(), len(self.network.stations)
        present, stay = self.queue_length.sum(axis=1), self.response_time
        for j, job in enumerate(self.network.classes):
            for line in lines[j * size : (j + 1) * size]:
                _, station, *values = line.values()
                rows.append([job.name, str(station), *(number(float(v)) for v in values)])
            whole = self.throughput[j], present[j], stay[j]
            rate, jobs, time = (number(float(value)) for value in whole)
            rows.append([job.name, "all", rate, "", jobs, time])
        head = ["class", "station", "throughput (1/s)", "utilization", "queue length", "time (s)"]
        trust = "exact" if self.exact else "not exact here"
        notes = [self.warning] if self.warning else []
        return PrintedTable(f"{self.method} ({trust})", head, rows, notes)

    def __repr__(self) -> str:
        """Return the table as text."""
        return str(self.printed())

    def _repr_html_(self) -> str:
        return self.printed().html()


def checked_solution(
    network: Network,
    method: str,
    throughput: Floats,
    residence_time: Floats,
    exact: bool = True,
    warning: str = "",
    product_form: bool = True,
    **more: object,
) -> Solution:
    """Return a `Solution`, marked inexact with the reason where the network has no product form.

    A method that needs no product form (`product_form` False) gets no such mark.

    Raises `ValueError` if a measure is not finite or negative: the method lost its precision on
    this network.
    """
    for name, measure in (("throughput", throughput), ("residence_time", residence_time)):
        if not np.isfinite(measure).all() or (measure < 0).any():
            raise ValueError(
                f"{method} lost its precision on this network: {name} came out as {measure}"
            )
    reasons: tuple[str, ...] = ()
    if product_form:
        check_unlimited(network)
        reasons = product_form_violations(network)
    warning = "; ".join(filter(None, [warning, *reasons]))
    return Solution(
        network=network,
        method=method,
        exact=exact and not reasons,
        throughput=throughput,
        residence_time=residence_time,
        warning=warning,
        **more,  # type: ignore[arg-type]
    )


def checked_demands(
    service_demand: ArrayLike, population: ArrayLike, think_time: ArrayLike
) -> tuple[Floats, np.ndarray, Floats]:
    """Return demands (classes, stations), populations and think times (classes,) of closed classes.

    Raises `ValueError` if a shape does not fit, a population is not whole, a time is out of range,
    or a class with jobs asks for no time at all.
    """
    demand = non_negative("service_demand", service_demand)
    people = whole_numbers("population", population, 0, MAX_JOBS)
    think = non_negative("think_time", think_time)
    if demand.ndim != 2 or not len(demand):
        raise ValueError(
            f"service_demand must have shape (classes, stations), got shape {demand.shape}"
        )
    for name, values in (("population", people), ("think_time", think)):
        if values.shape != demand.shape[:1]:
            raise ValueError(
                f"{name} must be {len(demand)} numbers, one a class of service_demand, "
                f"got shape {values.shape}"
            )
    if ((demand.sum(axis=1) + think <= 0) & (people > 0)).any():
        raise ValueError(f"service_demand of a class with jobs must not be all 0, got {demand}")
    return demand, people.astype(np.int64), think


def check_closed(network: Network) -> None:
    """Refuse a network with an open class, whose jobs no population bounds."""
    for job in checked_network(network).classes:
        if job.is_open:
            raise ValueError(
                f"class {job.name!r} must be closed (population), got arrival_rate "
                f"{job.arrival_rate!r}: use bcmp.bcmp, which takes both kinds"
            )


def check_size(
    method: str, population: np.ndarray, steps: float, needed_bytes: float, max_steps: float
) -> None:
    """Refuse a run of too many elementary steps or bytes, and say what fits instead."""
    positive("max_steps", max_steps)
    if steps > max_steps or needed_bytes > MAX_BYTES:
        vectors = math.prod(float(n) + 1 for n in population)
        raise TooBigError(
            f"{method} of population {population.tolist()} has {vectors:.3g} population vectors, "
            f"{steps:.3g} steps and {needed_bytes:.3g} bytes to keep, above the limit of "
            f"{max_steps:.3g} steps and {MAX_BYTES:.3g} bytes: use amva.linearizer, or "
            f"amva.bard_schweitzer, whose cost does not grow with the population"
        )
