"""The recursions step by step: the tables that one fills in by hand, computed in the open.

Each is the textbook recursion for small numbers, to be read line by line; the solvers proper
(`mva`, `convolution`, `erlang`) are built for size and give the same last line.

>>> for row in erlang_b_table(servers=2, offered_load=1.5).rows:
...     print(row)
(0, 'B(0) = 1', 1.0)
(1, '1.5 x 1 / (1 + 1.5 x 1)', 0.6)
(2, '1.5 x 0.6 / (2 + 1.5 x 0.6)', 0.31034482758620685)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from perfmodel.queueing.network.model import Network
from perfmodel.queueing.network.solution import check_closed
from perfmodel.units import number
from perfmodel.validation import Floats, non_negative, one_number, whole

MAX_ROWS = 1000


@dataclass(frozen=True)
class RecursionTable:
    """A recursion as a table: one row a step, one column a quantity, with units in the head."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[float | str, ...], ...]

    def column(self, name: str) -> list[float | str]:
        """Return one column by its name in the head.

        >>> erlang_b_table(1, 1.0).column("B")
        [1.0, 0.5]
        """
        return [row[self.head.index(name)] for row in self.rows]


def erlang_b_table(servers: int, offered_load: float) -> RecursionTable:
    """Return Erlang's loss recursion, B(c) = a B(c-1) / (c + a B(c-1)).

    Parameters
    ----------
    servers : int
        The last c.
    offered_load : float
        a, in servers' worth of work, 0 or more.

    Returns
    -------
    RecursionTable
        Columns c, the step with its numbers, and B.
    """
    last, offered = (
        _rows("servers", servers),
        one_number("offered_load", offered_load, non_negative),
    )
    rows: list[tuple[float | str, ...]] = [(0, "B(0) = 1", 1.0)]
    blocked = 1.0
    for c in range(1, last + 1):
        a, b = number(offered), number(blocked)
        blocked = offered * blocked / (c + offered * blocked)
        rows.append((c, f"{a} x {b} / ({c} + {a} x {b})", blocked))
    caption = f"Erlang B at an offered load of {number(offered)}"
    return RecursionTable(caption, ("c", "step", "B"), tuple(rows))


def erlang_c_table(servers: int, offered_load: float) -> RecursionTable:
    """Return the probability of waiting from the probability of loss, C = B / (1 - a (1 - B) / c).

    Parameters
    ----------
    servers : int
        The last c.
    offered_load : float
        a, in servers' worth of work.

    Returns
    -------
    RecursionTable
        Columns c, B, utilization a / c, and C (1 where the queue would grow for ever).

    Examples
    --------
    >>> erlang_c_table(3, 2.0).rows[-1]
    (3, 0.2105263157894737, 0.6666666666666666, 0.4444444444444445)
    """
    loss = erlang_b_table(servers, offered_load)
    rows = []
    for c, blocked in zip(loss.column("c")[1:], loss.column("B")[1:], strict=True):
        rho, b = float(offered_load) / float(c), float(blocked)
        rows.append((c, b, rho, b / (1 - rho * (1 - b)) if rho < 1 else 1.0))
    caption = f"Erlang C at an offered load of {number(float(offered_load))}"
    return RecursionTable(caption, ("c", "B", "utilization", "C"), tuple(rows))


def mva_table(network: Network) -> RecursionTable:
    """Return exact mean value analysis of one closed class, one row a population.

    Parameters
    ----------
    network : Network
        One closed class; single-server and delay stations.

    Returns
    -------
    RecursionTable
        Columns n, R of each station, R, X, Q of each station.

    Raises
    ------
    ValueError
        If there is more than one class, or a station with several servers.

    Examples
    --------
    >>> from perfmodel.queueing.network.model import JobClass, Station
    >>> two = Network([Station("cpu"), Station("disk")], [JobClass("jobs", population=2)], [1, 2])
    >>> [round(x, 3) for x in mva_table(two).rows[-1]]
    [2, 1.333, 3.333, 4.667, 0.429, 0.571, 1.429]
    """
    demand, think, last = _one_class(network)
    delay = np.array([s.is_delay for s in network.stations])
    queue, rows = np.zeros(demand.size), []
    for n in range(1, last + 1):
        residence = np.where(delay, demand, demand * (1 + queue))
        rate = n / (think + residence.sum())
        queue = rate * residence
        rows.append((n, *map(float, [*residence, residence.sum(), rate, *queue])))
    names = [s.name for s in network.stations]
    waits, queues = [f"R {name} (s)" for name in names], [f"Q {name}" for name in names]
    head = ("n", *waits, "R (s)", "X (1/s)", *queues)
    return RecursionTable(f"Exact MVA with a think time of {number(think)} s", head, tuple(rows))


def convolution_table(network: Network) -> RecursionTable:
    """Return Buzen's table: G(n) after each station is added, G_k(n) = G_(k-1)(n) + D_k G_k(n-1).

    Parameters
    ----------
    network : Network
        One closed class; single-server and delay stations.

    Returns
    -------
    RecursionTable
        Columns n, one a station in order (the think time first, if any), and X = G(n-1) / G(n).

    Raises
    ------
    ValueError
        If there is more than one class, or a station with several servers, or G leaves the
        range of floating point (the solver proper works in logarithms).

    Examples
    --------
    >>> from perfmodel.queueing.network.model import JobClass, Station
    >>> two = Network([Station("cpu"), Station("disk")], [JobClass("jobs", population=2)], [1, 2])
    >>> convolution_table(two).rows
    ((0, 1.0, 1.0, 0.0), (1, 1.0, 3.0, 0.3333333333333333), (2, 1.0, 7.0, 0.42857142857142855))
    """
    demand, think, last = _one_class(network)
    names, columns = [], []
    g = np.zeros(last + 1)
    g[0] = 1.0
    if think:
        names, columns = ["think"], [_add_delay(g, think)]
        g = columns[-1]
    for station, seconds in zip(network.stations, demand, strict=True):
        g = _add_delay(g, seconds) if station.is_delay else _add_queue(g, seconds)
        names.append(station.name)
        columns.append(g)
    if not np.isfinite(g).all() or not g.all():
        raise ValueError(f"population must keep G in range, got G({last}) = {g[-1]:g} at {last}")
    rates = [0.0, *(g[:-1] / g[1:]).tolist()]
    rows = tuple((n, *(float(column[n]) for column in columns), rates[n]) for n in range(last + 1))
    head = ("n", *(f"G {name}" for name in names), "X (1/s)")
    return RecursionTable("Normalising constants, station by station", head, rows)


def _add_queue(g: Floats, demand: float) -> Floats:
    added = g.copy()
    with np.errstate(over="ignore"):
        for n in range(1, g.size):
            added[n] += demand * added[n - 1]
    return added


def _add_delay(g: Floats, seconds: float) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):
        steps = seconds / np.arange(1, g.size) if g.size > 1 else np.zeros(0)
        weights = np.cumprod([1.0, *steps])
        return np.asarray(np.convolve(g, weights)[: g.size])


def _one_class(network: Network) -> tuple[Floats, float, int]:
    check_closed(network)
    if len(network.classes) > 1:
        names = _names([job.name for job in network.classes])
        raise ValueError(f"classes must be one for a table by hand, got {names}")
    for station in network.stations:
        if not station.is_delay and (station.servers > 1 or station.speeds):
            raise ValueError(
                f"station {station.name!r} must have one server of constant speed for a table by "
                f"hand, got servers {station.servers} and speeds {station.speeds}"
            )
    last = _rows("population", int(network.population[0]))
    return network.service_demand[0], float(network.think_time[0]), last


def _rows(name: str, count: int) -> int:
    last = whole(name, count, low=1)
    if last > MAX_ROWS:
        raise ValueError(f"{name} must be at most {MAX_ROWS} to be read as a table, got {last}")
    return last


def _names(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names)
