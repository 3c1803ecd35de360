"""How long a run must be before an interval can be trusted, told by the laws alone.

A rule that looks only at the run itself can be misled: a run without a long busy period looks calm,
gets an interval and misses. So the network decides before the run.

A queue forgets within about 2 rho^2 (ca^2 + cs^2) / (1 - rho)^2 visits, its relaxation time: the
time after which its diffusion has lost its past. Here rho is the utilization, and ca^2 and cs^2 are
the variability of arrivals and service. And sizes that are so rare that a run sees none of them
must not decide the mean.

>>> from perfmodel.queueing.network.model import JobClass, Network, Station
>>> web = Network([Station("web")], [JobClass("users", arrival_rate=0.9)], [1.0])
>>> relaxation_visits(web, Options(), rates=np.array([[0.9]])).round()
array([324.])

Sources: W. Whitt, Management Science 35(11), 1989, "Planning queueing simulations"; M. Crovella and
L. Lipsky, Winter Simulation Conference 1997 (heavy tails).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from perfmodel.queueing.distributions.phase_type import ArrivalProcess
from perfmodel.queueing.network.elements import ServiceDistribution, Station, mean_of, scv_of
from perfmodel.queueing.network.model import Network
from perfmodel.queueing.simulation.options import Options
from perfmodel.queueing.simulation.streams import Trace
from perfmodel.validation import Floats

UNSEEN = 0.1
"""Most of the mean (or mean square) of the sizes that may lie in sizes too rare for the run."""
OF_MEANS = ("PS", "LCFS-PR", "SRPT", "PSJF", "FB", "delay")
"""Disciplines whose mean delays depend on the sizes' mean; those of the others on its square."""


def relaxation_visits(network: Network, options: Options, rates: Floats) -> Floats:
    """Return the visits to each station within which its queue forgets: one relaxation time.

    `options`: with the laws of arrivals. `rates`, shape (classes, stations): visits per second.
    Shape (stations,). 0 where only closed jobs come, which can't pile up without bound.
    """
    loads = np.minimum(options.load(network), 1.0)
    return np.array([_relaxation_of(network, options, rates, k, x) for k, x in enumerate(loads)])


def sampling_visits(network: Network, rates: Floats, square: bool) -> Floats:
    """Return the visits among which one has a size that the mean can't do without.

    `rates`, shape (classes, stations): visits per second. `square`: whether the mean square counts
    where the discipline makes delays depend on it, not the mean. Shape (stations,).
    """
    orders = [2 if square and s.discipline not in OF_MEANS else 1 for s in network.stations]
    return np.array([_sampling_of(network, rates, k, order) for k, order in enumerate(orders)])


def dispersion(law: float | ServiceDistribution) -> float:
    """Return the variability of a long sum of times: their scv, and more if neighbours are similar.

    >>> dispersion(2.0), dispersion(Trace([1.0, 2.0]))
    (1.0, 0.0)
    """
    if isinstance(law, Trace):
        return 0.0
    return law.dispersion if isinstance(law, ArrivalProcess) else scv_of(law)


def _relaxation_of(network: Network, options: Options, rates: Floats, k: int, load: float) -> float:
    station, flow = network.stations[k], np.where(network.is_open, rates[:, k], 0.0)
    if station.is_delay or flow.sum() == 0 or load == 0:
        return 0.0
    share = flow / flow.sum()
    between = [options.arrivals.get(job.name, 1.0) for job in network.classes]
    arrivals = float(share @ [dispersion(law) for law in between])
    variability = arrivals + _service_scv(network, share, k)
    return float(2 * load**2 * variability / _slack(station, load) ** 2)


def _slack(station: Station, load: float) -> float:
    """Return the share of time left over; a queue of bounded length forgets by its bound."""
    return max(1 - load, 2 / max(station.capacity, 2), 1e-9)


def _service_scv(network: Network, share: Floats, k: int) -> float:
    means = network.mean_service[:, k]
    squares = [
        m**2 * (1 + dispersion(row[k])) for m, row in zip(means, network.service, strict=True)
    ]
    mean = share @ means
    return max(float(share @ squares / mean**2) - 1, 0.0) if mean > 0 else 0.0


def _sampling_of(network: Network, rates: Floats, k: int, order: int) -> float:
    total = rates[:, k].sum()
    needed = [
        total / rate / _probability_of_rest(row[k], order)
        for rate, row in zip(rates[:, k], network.service, strict=True)
        if rate > 0
    ]
    return max(needed, default=0.0)


def _probability_of_rest(law: Any, order: int) -> float:
    """Return P(S > x) for the x beyond which a share `UNSEEN` of E[S^order] lies.

    A law that doesn't tell its partial moments is taken for one without a long tail.
    """
    if not hasattr(law, "partial_moment") or mean_of(law) == 0:
        return 1.0
    from scipy.optimize import brentq

    seen, top = (1 - UNSEEN) * law.moment(order), mean_of(law)
    while float(law.partial_moment(order, top)) < seen:
        top *= 2
    size = brentq(lambda x: float(law.partial_moment(order, x)) - seen, 0, top, xtol=1e-9 * top)
    just_below = size * (1 - 1e-6)
    return max(1 - float(law.partial_moment(0, just_below)), 1e-15)
