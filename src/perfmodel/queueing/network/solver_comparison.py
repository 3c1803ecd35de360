"""One network, every solver that applies: bounds, approximations, exact and simulated.

>>> from perfmodel.queueing.network.model import JobClass, Station
>>> users = JobClass("users", population=3, think_time=15)
>>> terminals = Network([Station("cpu"), Station("disk")], [users], service=[0.605, 2.1])
>>> for row in compare_solvers(terminals):
...     print(f"{row.method:20} {row.throughput_low:.4f} {row.throughput_high:.4f}")
asymptotic bounds    0.1298 0.1694
balanced job bounds  0.1564 0.1656
geometric bounds     0.1631 0.1694
exact MVA            0.1640 0.1640
Bard-Schweitzer      0.1633 0.1633
Linearizer           0.1640 0.1640
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from perfmodel.queueing.network import amva, bcmp, bounds, mva
from perfmodel.queueing.network.model import Network, checked_network
from perfmodel.queueing.network.solution import Solution, TooBigError
from perfmodel.validation import function

Interval = tuple[float, float]
Simulator = Callable[[Network], Sequence[tuple[Interval, Interval]]]
"""Takes a network; returns for each class the intervals of throughput and response time."""


@dataclass(frozen=True)
class SolverRow:
    """What one method says about one class; low and high are equal where it gives one number."""

    method: str
    job: str
    throughput_low: float
    throughput_high: float
    response_low: float
    response_high: float
    exact: bool
    note: str = ""


def compare_solvers(network: Network, simulate: Simulator | None = None) -> tuple[SolverRow, ...]:
    """Solve a network by every method that applies to it.

    Parameters
    ----------
    network : Network
        Open or closed; what it is decides which methods apply.
    simulate : callable, optional
        Takes the network and returns, for each class, the confidence intervals of its throughput
        (1/s) and response time (s).

    Returns
    -------
    tuple of SolverRow
        Bounds (one closed class at single servers), exact, approximations, simulation. A method
        that refuses the network for its size is left out.

    Raises
    ------
    ValueError
        If no steady state exists.
    """
    if simulate is not None:
        function("simulate", simulate, "a network")
    rows = _bounded(checked_network(network))
    for solve in _solvers(network):
        try:
            rows += _rows(solve(network))
        except TooBigError:
            continue
    if simulate is not None:
        for job, (rate, response) in zip(network.classes, simulate(network), strict=True):
            rows.append(
                SolverRow("simulation", job.name, *rate, *response, exact=False, note="95 %")
            )
    return tuple(rows)


def with_population(network: Network, population: int) -> Network:
    """Return the same network with another number of jobs in its one closed class.

    Parameters
    ----------
    network : Network
        Of one closed class.
    population : int
        Jobs that it is to have.

    Raises
    ------
    ValueError
        If there is more than one class, or `population` is below 1.

    Examples
    --------
    >>> from perfmodel.queueing.network.model import JobClass, Station
    >>> server = Network([Station("cpu")], [JobClass("users", population=1)], [2.0])
    >>> int(with_population(server, 7).population[0])
    7
    """
    if len(checked_network(network).classes) > 1:
        raise ValueError(f"network must have one class, got {len(network.classes)}")
    (job,) = network.classes
    classes = [replace(job, population=population)]
    if network.routing is None:
        return Network(network.stations, classes, network.service, visits=network.visits)
    return Network(
        network.stations,
        classes,
        network.service,
        routing=network.routing,
        entry=network.entry,
    )


def _solvers(network: Network) -> list[Callable[[Network], Solution]]:
    if network.is_open.any():
        return [bcmp.bcmp]
    if any(station.speeds for station in network.stations):
        return [mva.exact_mva]
    return [mva.exact_mva, amva.bard_schweitzer, amva.linearizer]


def _bounded(network: Network) -> list[SolverRow]:
    single = all(s.is_delay or (s.servers == 1 and not s.speeds) for s in network.stations)
    if len(network.classes) > 1 or network.is_open.any() or not single:
        return []
    delay = np.array([s.is_delay for s in network.stations])
    demand, n = network.service_demand[0, ~delay], int(network.population[0])
    inside = float(network.service_demand[0, delay].sum())
    think = float(network.think_time[0]) + inside
    rows = []
    for method in (bounds.asymptotic_bounds, bounds.balanced_job_bounds, bounds.geometric_bounds):
        b = method(demand, n, think)
        rows.append(
            SolverRow(
                f"{b.method} bounds",
                network.classes[0].name,
                float(b.throughput_low),
                float(b.throughput_high),
                float(b.response_low) + inside,
                float(b.response_high) + inside,
                exact=False,
                note=b.note,
            )
        )
    return rows


def _rows(solved: Solution) -> list[SolverRow]:
    return [
        SolverRow(solved.method, job.name, x, x, r, r, solved.exact, solved.warning)
        for job, x, r in zip(
            solved.network.classes,
            solved.throughput.tolist(),
            solved.response_time.tolist(),
            strict=True,
        )
    ]
