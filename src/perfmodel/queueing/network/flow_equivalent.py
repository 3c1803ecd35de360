"""Hierarchical models: a whole subsystem replaced by one station that is as fast as it is.

Short-circuit a subsystem, find its throughput with 1, 2, ... jobs inside, and put one
load-dependent station with these speeds in its place (flow equivalence: exact for product-form
networks). The same idea models what no product form allows: a limit on admission, and servers
whose threads wait for servers below.

>>> from perfmodel.queueing.network.model import JobClass, Network, Station
>>> inner = Network([Station("cpu"), Station("disk")], [JobClass("jobs", population=3)], [1, 2])
>>> print(np.round(flow_equivalent(inner).speeds, 4))
[0.3333 0.4286 0.4667]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from perfmodel.queueing.network import convolution
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.network.product_form import product_form_violations
from perfmodel.queueing.network.solution import Solution, check_closed, checked_solution
from perfmodel.queueing.station.result import StationResult
from perfmodel.validation import non_negative, one_number, positive, whole


def flow_equivalent(network: Network, name: str = "subsystem") -> Station:
    """Return the station that stands for a closed network of one class in a larger one.

    Parameters
    ----------
    network : Network
        One closed class, whose think time is left out (short-circuited).
    name : str
        Of the new station.

    Returns
    -------
    Station
        Its speed with n jobs is the network's throughput with n; use it with a service time
        of 1 s a visit, so that a visit does one cycle's work.

    Raises
    ------
    ValueError
        If there is more than one class, or it is open.

    References
    ----------
    K. M. Chandy, U. Herzog, L. Woo, IBM Journal of Research and Development 19(1), 1975.
    """
    _check_one_class(network, "flow equivalence")
    speeds = [convolution.station_speeds(network, k) for k in range(len(network.stations))]
    _, _, log_g, _ = convolution.convolution_of_demands(
        network.service_demand, network.population, np.zeros(1), speeds
    )
    return Station(name, speeds=tuple(np.exp(log_g[:-1] - log_g[1:]).tolist()))


def admission_limit(network: Network, limit: int) -> Solution:
    """Solve a closed network of one class of which only `limit` jobs are let in at once.

    Memory, licences or a pool of connections: the others wait outside, which no product form
    allows. The network is replaced by its flow equivalent, whose speed stops growing at `limit`.

    Parameters
    ----------
    network : Network
        One closed class; its think time is spent outside the limit. With several classes the
        station's speed would depend on which of them are inside, and in what order they came.
    limit : int
        Jobs inside at most.

    Returns
    -------
    Solution
        Of two levels: one station "inside and waiting for it"; an approximation.

    Raises
    ------
    ValueError
        If `limit` is below 1, if there is more than one class, or it is open.

    References
    ----------
    E. D. Lazowska et al., Quantitative System Performance, 1984, chapter 9 (memory constraints).

    Examples
    --------
    >>> users = JobClass("users", population=10, think_time=5)
    >>> server = Network([Station("cpu"), Station("disk")], [users], [0.5, 0.4])
    >>> [float(admission_limit(server, n).throughput[0].round(3)) for n in (1, 10)]
    [1.077, 1.429]
    """
    _check_one_class(network, "an admission limit")
    held = min(whole("limit", limit, low=1), int(network.population[0]))
    inside = JobClass(network.classes[0].name, population=held)
    rows = [network.service[0]]
    level = Network(network.stations, [inside], rows, visits=network.visits[:1])
    station = flow_equivalent(level, "inside and waiting for it")
    upper = convolution.convolution_algorithm(Network([station], network.classes, [1.0]))
    reasons = "; ".join(product_form_violations(network))
    return checked_solution(
        upper.network,
        "flow equivalence, two levels",
        upper.throughput,
        upper.residence_time,
        exact=held == network.population[0] and not reasons,
        warning=reasons,
    )


def _check_one_class(network: Network, what: str) -> None:
    check_closed(network)
    if len(network.classes) > 1:
        names = [job.name for job in network.classes]
        raise ValueError(f"classes must be one for {what}, got {names}")


@dataclass(frozen=True)
class ServerLayer:
    """A server program: its own processors, its threads, and its calls to the layer below.

    >>> ServerLayer("database", service_time=0.02, threads=8, processors=2).calls
    0.0
    """

    name: str
    service_time: float
    """Seconds of its own processors for one request."""
    threads: int
    """Requests that it works on at once; a thread is held while the layer below is called."""
    processors: int = 1
    calls: float = 0.0
    """Mean requests to the next layer for one of its own."""

    def __post_init__(self) -> None:
        """Refuse a layer that cannot serve."""
        if not isinstance(self.name, str):
            raise ValueError(f"name of a layer must be a word, got {self.name!r}")
        one_number(f"service_time of layer {self.name!r}", self.service_time, positive)
        whole(f"threads of layer {self.name!r}", self.threads, low=1)
        whole(f"processors of layer {self.name!r}", self.processors, low=1)
        one_number(f"calls of layer {self.name!r}", self.calls, non_negative)


def solve_layers(
    layers: Sequence[ServerLayer], population: int, think_time: float = 0.0
) -> StationResult:
    """Solve a chain of servers that each hold a thread while they call the next.

    From the bottom: the threads of a layer circulate between its processors and the station that
    stands for the layers below; the throughputs with 1, 2, ... threads busy make the station
    that the layer above sees.

    Parameters
    ----------
    layers : sequence of ServerLayer
        From the one that clients call down.
    population : int
        Clients.
    think_time : float
        Seconds between a client's requests.

    Returns
    -------
    StationResult
        What clients see; an approximation. `utilization` is that of each layer's processors, shape
        (layers,), and a client waits while no processor works for its request.

    Raises
    ------
    ValueError
        If there are no layers, or the last one calls a next.

    Examples
    --------
    >>> web = ServerLayer("web", service_time=0.01, threads=4, processors=2, calls=2)
    >>> base = ServerLayer("database", service_time=0.02, threads=1)
    >>> site = solve_layers([web, base], 50, think_time=1)
    >>> print(site.throughput.round(2), site.utilization.round(3))
    24.99 [0.125 1.   ]
    """
    fine = isinstance(layers, Sequence) and all(isinstance(x, ServerLayer) for x in layers)
    if not fine or not layers or layers[-1].calls:
        raise ValueError(f"layers must end with one that makes no calls, got {layers!r}")
    below: Station | None = None
    for layer in reversed(layers):
        below = _seen_from_above(layer, below)
    top = convolution.convolution_algorithm(
        Network(
            [below] if below else [],
            [JobClass("clients", population=population, think_time=think_time)],
            [1.0],
        )
    )
    requests = np.cumprod([1.0, *(layer.calls for layer in layers[:-1])])
    work = requests * np.array([layer.service_time for layer in layers])
    rate, response = top.throughput[0], top.response_time[0]
    return StationResult.from_waiting(
        rate,
        work.sum(),
        response - work.sum(),
        "nested flow equivalence",
        utilization=rate * work / np.array([layer.processors for layer in layers]),
        exact=False,
        warning="each layer is taken to settle before the layer above changes",
    )


def _seen_from_above(layer: ServerLayer, below: Station | None) -> Station:
    own = Station(f"processors of {layer.name}", servers=layer.processors, discipline="PS")
    stations, visits = [own], [1.0]
    if below is not None and layer.calls:
        stations, visits = [own, below], [1.0, layer.calls]
    threads = JobClass(f"threads of {layer.name}", population=layer.threads)
    service = [layer.service_time, 1.0][: len(stations)]
    return flow_equivalent(Network(stations, [threads], service, visits=visits), layer.name)
