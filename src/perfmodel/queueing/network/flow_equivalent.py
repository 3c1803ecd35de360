"""Hierarchical models: a whole subsystem replaced by one station that is as fast as it is.

Short-circuit a subsystem, find its throughput with 1, 2, ... jobs inside, and put one
load-dependent station with these speeds in its place (flow equivalence: exact for product-form
networks). The same idea models what no product form allows, such as a limit on admission.

>>> from perfmodel.queueing.network.model import JobClass, Network, Station
>>> inner = Network([Station("cpu"), Station("disk")], [JobClass("jobs", population=3)], [1, 2])
>>> print(np.round(flow_equivalent(inner).speeds, 4))
[0.3333 0.4286 0.4667]
"""

from __future__ import annotations

import numpy as np

from perfmodel.queueing.network import convolution
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.network.product_form import product_form_violations
from perfmodel.queueing.network.solution import Solution, check_closed, checked_solution
from perfmodel.validation import whole


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
