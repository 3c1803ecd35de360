"""Pictures and tables of networks for notebooks and the book; of the room only this draws."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perfmodel.live import Axis, Display, Mark, Plot, table as live_table
from perfmodel.queueing.network.model import Network
from perfmodel.queueing.network.recursion_tables import RecursionTable
from perfmodel.queueing.network.solver_comparison import (
    Simulator,
    SolverRow,
    compare_solvers,
    with_population,
)
from perfmodel.units import number
from perfmodel.validation import whole


def recursion_table(steps: RecursionTable) -> Display:
    """Return a recursion as a table, one row a step."""
    return live_table(steps.head, steps.rows, steps.caption)


def comparison_table(rows: Sequence[SolverRow], caption: str) -> Display:
    """Return what each solver says as a table, one row a method and class."""
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


def throughput_plot(
    network: Network, populations: Sequence[int], simulate: Simulator | None = None
) -> Plot:
    """Return throughput against rising `populations` by every method, for one closed class.

    The network has single-server and delay stations; its own population is not used. The intervals
    of `simulate`, as in `compare_solvers`, are drawn as error bars.

    >>> from perfmodel.queueing.network.model import JobClass, Station
    >>> users = JobClass("users", population=1, think_time=15)
    >>> terminals = Network([Station("cpu"), Station("disk")], [users], service=[0.605, 2.1])
    >>> throughput_plot(terminals, [1, 5, 9]).says
    'With 9 jobs the throughput is 0.4054 1/s, 85.1 % of what the bottleneck allows.'
    """
    if len(network.classes) != 1 or network.is_open.any():
        names = [job.name for job in network.classes]
        raise ValueError(f"classes must be one closed class to plot its population, got {names}")
    counts = [whole("populations", n, low=1) for n in populations]
    rows = [compare_solvers(with_population(network, n), simulate) for n in counts]
    marks = [_mark(rows, counts, method) for method in dict.fromkeys(r.method for r in rows[-1])]
    exact = next((row for row in rows[-1] if row.exact), rows[-1][-1])
    limit = _bottleneck_rate(network)
    says = (
        f"With {counts[-1]} jobs the throughput is {exact.throughput_high:.4g} 1/s, "
        f"{100 * exact.throughput_high / limit:.1f} % of what the bottleneck allows."
    )
    return Plot(
        Axis("population", 0, counts[-1], "jobs"),
        Axis("throughput", 0, 1.05 * limit, "1/s"),
        marks,
        says,
        {f"{row.method}: throughput at most (1/s)": row.throughput_high for row in rows[-1]},
    )


def _bottleneck_rate(network: Network) -> float:
    """Return the most jobs per second that the busiest station of one class can serve."""
    servers = [np.inf if s.is_delay else s.servers for s in network.stations]
    return 1 / float((network.service_demand[0] / np.array(servers)).max())


def _mark(rows: Sequence[Sequence[SolverRow]], counts: Sequence[int], method: str) -> Mark:
    series = [next(row for row in some if row.method == method) for some in rows]
    low = np.array([row.throughput_low for row in series])
    high = np.array([row.throughput_high for row in series])
    x = np.array(counts, dtype=float)
    if method == "simulation":
        return Mark(method, x, (low + high) / 2, "points", y2=np.array([low, high]))
    if "bounds" in method:
        return Mark(method, x, low, "band", y2=high)
    return Mark(method, x, high, "line" if series[-1].exact else "dashed")


def _range(low: float, high: float) -> str:
    return number(low) if low == high else f"{number(low)} to {number(high)}"
