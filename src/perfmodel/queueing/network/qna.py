"""Open networks beyond product form: each station by the mean and variability of its arrivals.

Jackson's formula needs exponential times. Here a station gets two numbers for its arrivals, rate
and squared coefficient of variation (scv), and two for its service. Three rules say how the scv
changes where streams part, where they merge, and at a station on the way: a busy one hands on the
variability of its service, an idle one that of its arrivals.

Source: W. Whitt, "The Queueing Network Analyzer", Bell System Technical Journal 62(9), 1983.

>>> from perfmodel.queueing.network.model import JobClass, Network, Station
>>> from perfmodel.queueing.distributions.service import Deterministic
>>> line = Network([Station("cut"), Station("paint")], [JobClass("parts", arrival_rate=0.8)],
...                service=[Deterministic(1.0), 1.0])
>>> print(arrival_scv(line).round(3))
[1.    0.488]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from perfmodel.queueing.network.elements import scv_of
from perfmodel.queueing.network.model import Network, checked_network
from perfmodel.queueing.network.solution import Solution, checked_solution
from perfmodel.queueing.station.erlang import erlang_c
from perfmodel.validation import Floats, non_negative

BUSY, ROUGH = 0.8, 0.2
"""Utilization, and share of the wait that may be missing, above which `qna` warns."""


@dataclass(frozen=True)
class _Flow:
    """All classes as one stream: arrays by station."""

    servers: Floats
    """Infinite at a delay station."""
    outside: Floats
    outside_scv: Floats
    rate: Floats
    mean: Floats
    scv: Floats
    route: Floats
    back: Floats
    """Share of the jobs that come straight back, taken out of `route` and `rate`."""

    @property
    def utilization(self) -> Floats:
        """0 at a delay station."""
        return np.asarray(self.rate * self.mean / self.servers)


def qna(network: Network, arrivals: Mapping[str, float] | None = None) -> Solution:
    """Approximate an open network of FCFS stations by two moments of all times.

    Parameters
    ----------
    network : Network
        Open classes, stations FCFS or delay with any number of servers, any service laws.
    arrivals : mapping of class name to float, optional
        Scv of the interarrival times from outside; 1 (Poisson) where left out.

    Returns
    -------
    Solution
        Exact for exponential times that are equal for all classes, and for single servers that jobs
        visit once, from outside and at random (M/G/1); an approximation else. Its warning says
        where variability may reach a busy station in a form that two moments do not tell.

    Raises
    ------
    ValueError
        If a class is closed, a station has another discipline, speeds or a finite capacity, or is
        unstable; the message names it and the value.

    References
    ----------
    Whitt, 1983, section 5 (stations); S. Suresh, W. Whitt, "The heavy-traffic bottleneck phenomenon
    in open queueing networks", Operations Research Letters 9(6), 1990 (the warning).

    Examples
    --------
    >>> from perfmodel.queueing.network.model import JobClass, Station
    >>> two = Network([Station("a"), Station("b")], [JobClass("jobs", 0.5)], [1.0, 1.0])
    >>> print(qna(two).response_time)
    [4.]
    """
    flow = _flow(network, arrivals)
    seen = _arrival_scv(flow)
    wait = np.array([_wait(flow, seen, k) for k in range(len(network.stations))])
    residence = network.visits * (wait * (1 - flow.back) + network.mean_service)
    return checked_solution(
        network,
        "two moments (QNA)",
        network.arrival_rate,
        residence,
        exact=_is_exact(flow, seen),
        warning=_warning(network, flow, seen),
        product_form=False,
    )


def arrival_scv(network: Network, arrivals: Mapping[str, float] | None = None) -> Floats:
    """Return the scv of the times between arrivals at each station, shape (stations,).

    Parameters
    ----------
    network, arrivals
        As for `qna`.

    Returns
    -------
    ndarray, shape (stations,)
        Of all classes together, without the jobs that come straight back; 1 at a station that no
        job visits.

    References
    ----------
    Whitt, 1983, section 4: the system of linear equations for superposition, departures, splitting.
    """
    return _arrival_scv(_flow(network, arrivals))


def _flow(network: Network, arrivals: Mapping[str, float] | None) -> _Flow:
    scvs_given = {} if arrivals is None else arrivals
    if not isinstance(scvs_given, Mapping):
        raise ValueError(f"arrivals must be a scv for each class by name, got {arrivals!r}")
    given = _checked(checked_network(network), scvs_given)
    rates = network.arrival_rate[:, None] * network.visits
    rate = rates.sum(axis=0)
    seen = np.where(rate > 0, rate, 1.0)
    mean = (rates * network.mean_service).sum(axis=0) / seen
    scvs = np.array([[scv_of(law) for law in row] for row in network.service])
    second = (rates * network.mean_service**2 * (1 + scvs)).sum(axis=0) / seen
    scv = np.where(mean > 0, second / np.where(mean > 0, mean, 1.0) ** 2 - 1, 0.0)
    routes = [network.route(j) for j in range(len(network.classes))]
    entries = network.arrival_rate[:, None] * np.array([entry for entry, _ in routes])
    matrix = np.einsum("ki,kij->ij", rates, np.array([m for _, m in routes])) / seen[:, None]
    back = np.diagonal(matrix).copy()
    servers = np.array([np.inf if s.is_delay else s.servers for s in network.stations])
    flow = _Flow(
        servers=servers,
        outside=entries.sum(axis=0),
        outside_scv=np.ones(rate.size),
        rate=rate * (1 - back),
        mean=mean / (1 - back),
        scv=back + (1 - back) * scv,
        route=(matrix - np.diag(back)) / (1 - back)[:, None],
        back=back,
    )
    return _with_outside(flow, entries, given, np.array([entry for entry, _ in routes]))


def _with_outside(flow: _Flow, entries: Floats, given: Floats, chance: Floats) -> _Flow:
    """Return the flow with the scv of the arrivals from outside: split classes, merged."""
    total = np.where(flow.outside > 0, flow.outside, 1.0)
    share = entries / total
    split = 1 + chance * (given[:, None] - 1)
    weight = _weight(flow.utilization, (share**2).sum(axis=0))
    merged = 1 - weight + weight * (share * split).sum(axis=0)
    return replace(flow, outside_scv=np.where(flow.outside > 0, merged, 1.0))


def _arrival_scv(flow: _Flow) -> Floats:
    """Solve the linear equations of the arrivals' scv."""
    rate = np.where(flow.rate > 0, flow.rate, 1.0)
    share = flow.rate[:, None] * flow.route / rate
    outside = flow.outside / rate
    weight = _weight(flow.utilization, (share**2).sum(axis=0) + outside**2)
    busy = flow.utilization**2
    handed = 1 + (np.maximum(flow.scv, 0.2) - 1) / np.sqrt(flow.servers)
    known = share * (1 - flow.route + flow.route * (busy * handed)[:, None])
    constant = 1 + weight * (outside * flow.outside_scv - 1 + known.sum(axis=0))
    passed = weight * share * flow.route * (1 - busy)[:, None]
    scv = np.linalg.solve(np.eye(rate.size) - passed.T, constant)
    return np.where(flow.rate > 0, scv, 1.0)


def _weight(utilization: Floats, squares: Floats) -> Floats:
    """Return how far merged streams keep their own variability: all where one is all there is."""
    streams = 1 / np.where(squares > 0, squares, 1.0)
    return np.asarray(1 / (1 + 4 * (1 - utilization) ** 2 * (streams - 1)))


def _wait(flow: _Flow, seen: Floats, k: int) -> float:
    """Return the mean wait in seconds at station `k`, of a job that comes in for the first time."""
    rho, arrivals, service = flow.utilization[k], seen[k], flow.scv[k]
    if rho == 0:
        return 0.0
    both = arrivals + service
    if flow.servers[k] > 1:
        servers = int(flow.servers[k])
        offered = rho * servers
        return float(both / 2 * erlang_c(servers, offered) * flow.mean[k] / (servers - offered))
    less = 1.0
    if arrivals < 1 and both > 0:
        less = np.exp(-2 * (1 - rho) * (1 - arrivals) ** 2 / (3 * rho * both))
    return float(flow.mean[k] * rho * both * less / (2 * (1 - rho)))


def _checked(network: Network, arrivals: Mapping[str, float]) -> Floats:
    """Return the scv of each class's arrivals, or refuse what the method cannot take."""
    names = [job.name for job in network.classes]
    for name in arrivals:
        if name not in names:
            raise ValueError(f"arrivals must name classes of {names}, got {name!r}")
    for job in network.classes:
        if not job.is_open:
            raise ValueError(f"class {job.name!r} must be open, got population {job.population}")
    for station in network.stations:
        if station.discipline not in ("FCFS", "delay") or station.speeds:
            raise ValueError(
                f"station {station.name!r} must be FCFS or delay with one speed, got "
                f"{station.discipline!r}, speeds {station.speeds}"
            )
        if station.capacity < np.inf:
            raise ValueError(
                f"capacity of station {station.name!r} must be unlimited, got {station.capacity:g}"
            )
    network.check_stable()
    return np.array(
        [float(non_negative(f"arrivals of {n!r}", arrivals.get(n, 1.0))) for n in names]
    )


def _is_exact(flow: _Flow, seen: Floats) -> bool:
    """Tell whether all arrivals are Poisson: from outside alone, or after exponential services.

    The former are M/G/1 queues, whose mean wait two moments do tell.
    """
    if not (np.allclose(seen, 1) and np.allclose(flow.outside_scv, 1)):
        return False
    exponential = np.isclose(flow.scv, 1) | np.isinf(flow.servers) | (flow.rate == 0)
    alone = not flow.route.any() and not flow.back.any()
    return bool((exponential | (alone & (flow.servers == 1))).all())


def _warning(network: Network, flow: _Flow, seen: Floats) -> str:
    """Say where, in heavy traffic, a busy station would see more or less variability than here.

    A station far busier than those before it sees their streams over a long time, in which their
    delays hardly matter.
    """
    reasons = []
    for k in np.flatnonzero(flow.utilization > BUSY):
        others = np.where(np.arange(seen.size) == k, flow.mean, 0.0)
        heavy = _arrival_scv(replace(flow, mean=others))[k]
        if abs(heavy - seen[k]) > ROUGH * (seen[k] + flow.scv[k]):
            reasons.append(
                f"wait at {network.stations[k].name!r} (utilization {flow.utilization[k]:.2f}) may "
                f"be far off: arrivals of scv {seen[k]:.3g} may act like {heavy:.3g} there"
            )
    return "; ".join(reasons)
