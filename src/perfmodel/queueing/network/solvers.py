"""One network, several solvers: bounds, approximations, exact and simulated, on the same axes.

>>> from perfmodel.queueing.network.model import JobClass, Station
>>> users = JobClass("users", population=3, think_time=15)
>>> terminals = Network([Station("cpu"), Station("disk")], [users], service=[0.605, 2.1])
>>> for row in compare(terminals):
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

from perfmodel.live import Axis, Display, Mark, Plot
from perfmodel.live import table as live_table
from perfmodel.queueing.network import amva, bounds, mva, open
from perfmodel.queueing.network.model import Network
from perfmodel.queueing.network.solution import Solution, TooBigError
from perfmodel.text import number
from perfmodel.validation import Floats, whole

Interval = tuple[float, float]
Simulator = Callable[[Network], Sequence[tuple[Interval, Interval]]]
"""Takes a network; returns for each class the intervals of throughput and response time."""


@dataclass(frozen=True)
class Row:
    """What one method says about one class; low and high are equal where it gives one number."""

    method: str
    job: str
    throughput_low: float
    throughput_high: float
    response_low: float
    response_high: float
    exact: bool
    note: str = ""


def compare(network: Network, simulate: Simulator | None = None) -> tuple[Row, ...]:
    """Solve a network by every method that applies to it.

    Parameters
    ----------
    network : Network
    simulate : callable, optional
        Takes the network and returns, for each class, the confidence intervals of its throughput
        (1/s) and response time (s).

    Returns
    -------
    tuple of Row
        Bounds (one closed class at single servers), exact, approximations, simulation. A method
        that refuses the network for its size is left out.

    Raises
    ------
    ValueError
        If no steady state exists.
    """
    rows = _bounded(network)
    for solve in _solvers(network):
        try:
            rows += _rows(solve(network))
        except TooBigError:
            continue
    if simulate:
        for job, (rate, response) in zip(network.classes, simulate(network), strict=True):
            rows.append(Row("simulation", job.name, *rate, *response, exact=False, note="95 %"))
    return tuple(rows)


def table(rows: Sequence[Row], caption: str) -> Display:
    """Return the comparison as a table for a notebook or the book."""
    head = ("method", "class", "throughput (1/s)", "response time (s)", "exact", "note")
    cells = [
        [
            row.method,
            row.job,
            _range(row.throughput_low, row.throughput_high),
            _range(row.response_low, row.response_high),
            "yes" if row.exact else "no",
            row.note,
        ]
        for row in rows
    ]
    return live_table(head, cells, caption)


def plot(network: Network, populations: Sequence[int], simulate: Simulator | None = None) -> Plot:
    """Return throughput against population by every method, for one closed class.

    Parameters
    ----------
    network : Network
        One closed class at single-server and delay stations; its own population is not used.
    populations : sequence of int
        Increasing.
    simulate : callable, optional
        As in `compare`; its intervals are drawn as error bars.

    Returns
    -------
    Plot

    Raises
    ------
    ValueError
        If there is more than one class, or it is open.

    Examples
    --------
    >>> from perfmodel.queueing.network.model import JobClass, Station
    >>> users = JobClass("users", population=1, think_time=15)
    >>> terminals = Network([Station("cpu"), Station("disk")], [users], service=[0.605, 2.1])
    >>> plot(terminals, [1, 5, 9]).says
    'With 9 jobs the throughput is 0.4054 1/s, 85.1 % of what the bottleneck allows.'
    """
    if len(network.classes) != 1 or network.is_open.any():
        names = [job.name for job in network.classes]
        raise ValueError(f"classes must be one closed class to plot its population, got {names}")
    counts = [whole("populations", n, low=1) for n in populations]
    found = [compare(with_population(network, n), simulate) for n in counts]
    marks = [_mark(found, counts, method) for method in dict.fromkeys(r.method for r in found[-1])]
    exact = next((row for row in found[-1] if row.exact), found[-1][-1])
    limit = 1 / float(_queueing(network).max())
    says = (
        f"With {counts[-1]} jobs the throughput is {exact.throughput_high:.4g} 1/s, "
        f"{100 * exact.throughput_high / limit:.1f} % of what the bottleneck allows."
    )
    return Plot(
        Axis("population", 0, counts[-1], "jobs"),
        Axis("throughput", 0, 1.05 * limit, "1/s"),
        marks,
        says,
        {f"{row.method}: throughput at most (1/s)": row.throughput_high for row in found[-1]},
    )


def with_population(network: Network, population: int) -> Network:
    """Return the same network with `population` jobs in its one closed class.

    >>> from perfmodel.queueing.network.model import JobClass, Station
    >>> one = Network([Station("cpu")], [JobClass("users", population=1)], [2.0])
    >>> int(with_population(one, 7).population[0])
    7
    """
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
        return [open.solve]
    if any(station.speeds for station in network.stations):
        return [mva.solve]
    return [mva.solve, amva.bard_schweitzer, amva.linearizer]


def _queueing(network: Network) -> Floats:
    """Return the demands of one class at stations where jobs wait, as shares of the servers."""
    servers = [np.inf if s.is_delay else s.servers for s in network.stations]
    return np.asarray(network.service_demand[0] / np.array(servers))


def _bounded(network: Network) -> list[Row]:
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
            Row(
                f"{b.method} bounds",
                network.classes[0].name,
                float(b.throughput_low),
                float(b.throughput_high),
                float(b.response_low) + inside,
                float(b.response_high) + inside,
                exact=False,
            )
        )
    return rows


def _rows(found: Solution) -> list[Row]:
    return [
        Row(found.method, job.name, x, x, r, r, found.exact, found.warning)
        for job, x, r in zip(
            found.network.classes,
            found.throughput.tolist(),
            found.response_time.tolist(),
            strict=True,
        )
    ]


def _mark(found: Sequence[Sequence[Row]], counts: Sequence[int], method: str) -> Mark:
    rows = [next(row for row in some if row.method == method) for some in found]
    low = np.array([row.throughput_low for row in rows])
    high = np.array([row.throughput_high for row in rows])
    x = np.array(counts, dtype=float)
    if method == "simulation":
        return Mark(method, x, (low + high) / 2, "points", y2=np.array([low, high]))
    if "bounds" in method:
        return Mark(method, x, low, "band", y2=high)
    return Mark(method, x, high, "line" if rows[-1].exact else "dashed")


def _range(low: float, high: float) -> str:
    return number(low) if low == high else f"{number(low)} to {number(high)}"
