"""Which loop a run can take.

>>> from perfmodel.queueing.network.model import JobClass
>>> web = Network([Station("web")], [JobClass("users", arrival_rate=8)], service=[0.1])
>>> loop_of(web, Options()) == CHAIN
True
"""

from __future__ import annotations

import math

import numpy as np

from perfmodel.queueing.distributions.heavy_tail import BoundedPareto, Lognormal
from perfmodel.queueing.distributions.light_tail import (
    Deterministic,
    Erlang,
    Exponential,
    Hyperexponential,
    Uniform,
)
from perfmodel.queueing.network.elements import ServiceDistribution, Station, mean_of
from perfmodel.queueing.network.model import Network
from perfmodel.queueing.simulation.options import Options
from perfmodel.queueing.simulation.state import (
    CHAIN,
    GENERAL,
    POOL,
    RANKING,
    ROUTING,
    SHARING,
)

ENDLESS = (
    float,
    Exponential,
    Deterministic,
    Erlang,
    Hyperexponential,
    Uniform,
    Lognormal,
    BoundedPareto,
)
"""Laws that a run can draw more of than it needs, and that draw no zeros."""


MOST = 32
"""Servers of a pool that are kept in order, beyond which a heap is quicker."""
RANKED = ("LCFS-PR", "SJF", "PSJF", "SRPT", "priority", "preemptive")


def loop_of(network: Network, options: Options) -> int:
    """Return the quickest loop that gives a run the numbers of the general one."""
    stations = network.stations
    if not all(_is_simple(s) for s in stations) or _adds(options):
        return GENERAL
    if _is_plain(network, options) and _in_a_row(network, options):
        if all(s.discipline == "FCFS" and s.servers == 1 for s in stations):
            return CHAIN
        if len(stations) == 1 and network.is_open[0]:
            loop = _of_one(stations[0])
            if loop != GENERAL:
                return loop
    return ROUTING if all(s.discipline in ("FCFS", "delay") for s in stations) else GENERAL


def _of_one(station: Station) -> int:
    """Return the loop of an open network of one station, not FCFS with one server."""
    if station.discipline == "PS":
        return SHARING
    if station.discipline == "FCFS" and station.servers <= MOST:
        return POOL
    return RANKING if station.discipline in RANKED and station.servers == 1 else GENERAL


def _adds(options: Options) -> bool:
    """Tell whether jobs split, are served in batches, or are sent where few are."""
    return any((options.forks, options.batches, options.dispatch))


def _is_plain(network: Network, options: Options) -> bool:
    """Tell whether one class goes its way undisturbed, of times that can be drawn ahead."""
    if len(network.classes) > 1 or network.think_time.any():
        return False
    laws = [*network.service[0], *options.arrivals.values()]
    return all(_is_endless(law) for law in laws)


def _is_endless(law: float | ServiceDistribution) -> bool:
    return isinstance(law, ENDLESS) and mean_of(law) > 0


def _is_simple(station: Station) -> bool:
    return station.capacity == math.inf and not station.speeds


def _in_a_row(network: Network, options: Options) -> bool:
    """Tell whether the jobs visit all stations in their order, each once."""
    entry, matrix = options.route(network, 0)
    size = len(network.stations)
    return bool(
        np.allclose(entry, np.eye(size)[0], atol=1e-9)
        and np.allclose(matrix, np.eye(size, k=1), atol=1e-9)
    )
