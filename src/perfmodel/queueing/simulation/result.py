"""What a simulation hands back: every measure with its interval, by class and station.

>>> from perfmodel.queueing.network.model import JobClass, Network, Station
>>> from perfmodel.queueing.simulation.simulate import simulate
>>> web = Network([Station("web")], [JobClass("users", arrival_rate=0.5)], [1.0])
>>> simulate(web, 2000, percentiles=[90], progress=False)  # doctest: +ELLIPSIS
event simulation: 2,000 customers, seed 0, 95 % intervals, ... dropped as warm-up
class  station      throughput (1/s)  ... utilization  ... jobs  ... time (s)
users  web  ...
users  all  ...
users  90 % within ...
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np

from perfmodel.printed_tables import PrintedTable
from perfmodel.queueing.network.model import Network
from perfmodel.queueing.network.solution import Solution, checked_solution
from perfmodel.queueing.simulation.statistics import Estimate
from perfmodel.units import number
from perfmodel.validation import Floats


@dataclass(frozen=True, eq=False, repr=False)
class SimulationResult:
    """Steady-state measures with confidence intervals; the warm-up is left out of all of them."""

    network: Network
    method: str
    seed: int
    confidence: float
    customers: int
    """Jobs (open) or cycles (closed) completed, warm-up included."""
    warm_up: float
    """Seconds dropped at the start, by MSER-5 on the response times."""
    warm_up_customers: int
    throughput: Estimate
    """Jobs or cycles per second, shape (classes,)."""
    response_time: Estimate
    """Seconds from entering the network to leaving it, think time excluded, (classes,)."""
    response_percentiles: Estimate
    """Percentiles of the response time in seconds, (classes, levels)."""
    percentile_levels: tuple[float, ...]
    """In per cent."""
    jobs: Estimate
    """Mean number inside the network, (classes,)."""
    loss_probability: Estimate
    """Share of the jobs offered that are turned away anywhere, (classes,)."""
    station_throughput: Estimate
    """Visits completed per second, (classes, stations), like all that follow."""
    residence_time: Estimate
    """Seconds at a station over all visits of a job or cycle."""
    station_response_time: Estimate
    """Seconds of one visit, waiting and service."""
    waiting_time: Estimate
    """Seconds of one visit less its service time at full speed."""
    station_percentiles: Estimate
    """Percentiles of the seconds of one visit, (classes, stations, levels)."""
    queue_length: Estimate
    """Mean jobs at the station, in service included."""
    utilization: Estimate
    """Share of the servers kept busy; at a delay station the mean number present."""
    blocked: Estimate
    """Mean servers held by jobs that cannot move on."""
    station_loss_probability: Estimate
    """Share of the arrivals at the station that are turned away."""
    warning: str = ""
    """Why not to trust the result in full; empty where there is no reason."""
    customers_needed: dict[str, float] = field(default_factory=dict)
    """About how many customers a run takes for an interval, by measure that has none in this one;
    infinite where it saw nothing to tell it by."""
    exact: bool = False
    samples: tuple[Floats, ...] = field(default=(), repr=False)
    """Response times by class in order of departure, warm-up included, where asked for."""

    def solution(self) -> Solution:
        """Return the values without their intervals, in the form of the other solvers."""
        return checked_solution(
            self.network,
            self.method,
            self.throughput.value,
            self.residence_time.value,
            exact=False,
            warning=self.warning,
            product_form=False,
        )

    def intervals(self) -> tuple[tuple[tuple[float, float], tuple[float, float]], ...]:
        """Return the intervals of throughput and response time by class, for `compare_solvers`."""
        rate, response = self.throughput, self.response_time
        return tuple(
            (
                (float(rate.low[j]), float(rate.high[j])),
                (float(response.low[j]), float(response.high[j])),
            )
            for j in range(len(self.network.classes))
        )

    def table(self) -> list[dict[str, float | str]]:
        """Return one row per class and station: values and the ends of their intervals."""
        rows: list[dict[str, float | str]] = []
        measures = {
            "throughput (1/s)": self.station_throughput,
            "utilization": self.utilization,
            "queue length": self.queue_length,
            "residence time (s)": self.residence_time,
        }
        for j, job in enumerate(self.network.classes):
            for k, station in enumerate(self.network.stations):
                row: dict[str, float | str] = {"class": job.name, "station": station.name}
                for name, estimate in measures.items():
                    row[name] = float(estimate.value[j, k])
                    row[f"{name} low"] = float(estimate.low[j, k])
                    row[f"{name} high"] = float(estimate.high[j, k])
                rows.append(row)
        return rows

    def printed(self) -> PrintedTable:
        """Return a row for each class at each station that it visits, and one for it in all."""
        here = self.station_throughput, self.utilization, self.queue_length, self.residence_time
        whole = self.throughput, None, self.jobs, self.response_time
        rows = []
        for j, job in enumerate(self.network.classes):
            for k, station in enumerate(self.network.stations):
                if self.station_throughput.value[j, k] > 0:
                    rows.append([job.name, station.name, *(_shown(e, j, k) for e in here)])
            rows.append([job.name, "all", *(_shown(e, j) if e else "" for e in whole)])
            for p, level in enumerate(self.percentile_levels):
                slow = _shown(self.response_percentiles, j, p)
                rows.append([job.name, f"{level:g} % within", "", "", "", slow])
        head = ["class", "station", "throughput (1/s)", "utilization", "jobs", "time (s)"]
        title = f"{self.method}: {self.customers:,} customers, seed {self.seed}, "
        title += (
            f"{100 * self.confidence:g} % intervals, {self.warm_up_customers:,} dropped as warm-up"
        )
        return PrintedTable(title, head, rows, [self.warning] if self.warning else [])

    def __repr__(self) -> str:
        """Return the table as text."""
        return str(self.printed())

    def _repr_html_(self) -> str:
        return self.printed().html()


def _shown(estimate: Estimate, *place: int) -> str:
    """Return a value and its interval; one without says so."""
    value, low, high = (float(e[place]) for e in (estimate.value, estimate.low, estimate.high))
    ends = f"[{number(low)}, {number(high)}]" if np.isfinite(high) else "(no interval)"
    return number(value) if low == high else f"{number(value)} {ends}"


ESTIMATES = tuple(f.name for f in fields(SimulationResult) if f.type == "Estimate")
"""Names of the measures that come with an interval."""


def short_measures(needed: dict[str, float]) -> str:
    """Return the warning that the run is too short for the intervals of some measures, or ''.

    >>> short_measures({"jobs": 2e4, "response_time": 2e4, "blocked": np.inf})
    'run too short for an interval of: jobs, response_time (about 20,000 customers); blocked'
    """
    groups = [
        ", ".join(name for name in needed if needed[name] == customers)
        + (f" (about {customers:,.0f} customers)" if np.isfinite(customers) else "")
        for customers in sorted(set(needed.values()))
    ]
    return f"run too short for an interval of: {'; '.join(groups)}" if groups else ""
