"""When a network has a product form, so that exact solvers apply: the conditions of BCMP.

A network of stations behaves as if each stood alone if every station is FCFS with exponential
service of one mean for all classes, or PS, LCFS with preemption, or a delay with any law.

>>> from perfmodel.queueing.network.model import JobClass, Network, Station
>>> users = [JobClass("a", population=1), JobClass("b", population=1)]
>>> product_form_violations(Network([Station("disk")], users, [[1], [2]]))
("station 'disk' is FCFS with means that differ by class, 1 and 2 s: solved as if it were PS",)
"""

from __future__ import annotations

import math

import numpy as np

from perfmodel.queueing.network.elements import scv_of
from perfmodel.queueing.network.model import Network, Station, checked_network

INSENSITIVE = ("PS", "LCFS-PR", "delay")


def product_form_violations(network: Network) -> tuple[str, ...]:
    """Return one sentence for each station that breaks the product form; none if it holds.

    Parameters
    ----------
    network : Network
        Open, closed or mixed.

    Returns
    -------
    tuple of str
        What breaks the form and how a product-form solver treats the station. A finite capacity
        is not among them: see `check_unlimited`.

    References
    ----------
    F. Baskett, K. M. Chandy, R. R. Muntz, F. G. Palacios, Journal of the ACM 22(2), 1975.
    """
    reasons = [
        _violation(network, k, station)
        for k, station in enumerate(checked_network(network).stations)
    ]
    return tuple(reason for reason in reasons if reason)


def _violation(network: Network, k: int, station: Station) -> str:
    here = f"station {station.name!r}"
    if station.discipline in INSENSITIVE:
        return ""
    if station.discipline != "FCFS":
        return f"{here} is {station.discipline}, which has no product form: solved as if it were PS"
    visiting = network.service_demand[:, k] > 0
    means = network.mean_service[visiting, k]
    if means.size and not np.allclose(means, means[0], rtol=1e-12):
        ends = f"{means.min():g} and {means.max():g} s"
        return f"{here} is FCFS with means that differ by class, {ends}: solved as if it were PS"
    laws = [row[k] for row, comes in zip(network.service, visiting, strict=True) if comes]
    odd = [scv for scv in map(scv_of, laws) if abs(scv - 1) > 1e-9]
    if odd:
        return f"{here} is FCFS with service of scv {odd[0]:.4g}, not 1: solved as if exponential"
    return ""


def check_unlimited(network: Network) -> None:
    """Refuse a finite capacity, which no product-form solver may leave out."""
    for station in network.stations:
        if station.capacity != math.inf:
            raise ValueError(
                f"station {station.name!r} must have unlimited capacity for a product form, got "
                f"{station.capacity:g}: use state_space.global_balance or the simulation"
            )
