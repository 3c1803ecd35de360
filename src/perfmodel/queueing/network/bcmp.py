"""Open, closed and mixed networks of product form: every station as if it stood alone.

In an open network (Jackson) each station has the distribution that it would have under Poisson
arrivals, whatever feeds it. In a mixed one the open classes slow the stations down for the closed
classes, whose number then stretches the queues of the open ones.

>>> from perfmodel.queueing.network.model import JobClass, Network, Station
>>> stations = [Station("cpu", discipline="PS"), Station("disk", discipline="PS")]
>>> two = [JobClass("queries", arrival_rate=3 / 19), JobClass("updates", arrival_rate=2 / 19)]
>>> mixed = bcmp(Network(stations, two, service=[[1, 3], [2, 4]]))
>>> print(mixed.queue_length.round(3).tolist())
[[0.25, 4.5], [0.333, 4.0]]
"""

from __future__ import annotations

import numpy as np

from perfmodel.queueing.network import convolution, mva
from perfmodel.queueing.network.model import Network, Station, checked_network
from perfmodel.queueing.network.solution import Solution, checked_solution
from perfmodel.queueing.station.erlang import erlang_c
from perfmodel.validation import Floats


def bcmp(network: Network) -> Solution:
    """Solve a network of open and closed classes exactly, where it has a product form.

    Parameters
    ----------
    network : Network
        Classes of either kind; a network of closed classes only goes to `mva.exact_mva`.

    Returns
    -------
    Solution
        Throughputs of open classes are their arrival rates.

    Raises
    ------
    ValueError
        If a station is unstable (its utilization by open classes is 1 or more) or has a finite
        capacity.
    TooBigError
        If the closed classes are too large to solve exactly.

    References
    ----------
    J. R. Jackson, Operations Research 5(4), 1957; F. Baskett et al., Journal of the ACM 22(2),
    1975; E. D. Lazowska et al., Quantitative System Performance, 1984, chapter 7 (mixed).
    """
    opened = checked_network(network).is_open
    if not opened.any():
        return mva.exact_mva(network)
    offered = network.check_stable().arrival_rate @ network.service_demand
    rate, residence = network.arrival_rate.copy(), network.service_demand.copy()
    method, marginals = "BCMP, open", [np.ones(1) for _ in network.stations]
    if not opened.all():
        method, rate[~opened], residence[~opened], marginals = _closed(network, offered)
    for k, station in enumerate(network.stations):
        if not station.is_delay:
            residence[opened, k] *= _stretch(station, offered[k], marginals[k])
    return checked_solution(network, method, rate, residence, marginals=tuple(marginals))


def _stretch(station: Station, offered: float, marginal: Floats) -> float:
    """Return how many times its demand an open job stays, given P(n closed jobs)."""
    n = np.arange(marginal.size)
    if _is_single(station):
        return float(((n + 1) * marginal).sum() / (1 - offered))
    if marginal.size == 1 and not station.speeds:
        spare = station.servers - offered
        return float(1 + erlang_c(station.servers, offered) / spare) if spare else np.inf
    present = [_beside(station, offered, int(jobs))[1] for jobs in n[marginal > 0]]
    return float(np.dot(present, marginal[marginal > 0]) / offered) if offered else 1.0


def _closed(network: Network, offered: Floats) -> tuple[str, Floats, Floats, list[Floats]]:
    """Return method, throughputs, residence times and marginals of the closed classes."""
    closed = ~network.is_open
    demand, people = network.service_demand[closed], network.population[closed]
    think = network.think_time[closed]
    if all(s.is_delay or _is_single(s) for s in network.stations):
        delay = np.array([s.is_delay for s in network.stations])
        slow = np.where(delay, 1.0, 1 - offered)
        waits = demand.copy()
        rate, waits[:, ~delay] = mva.mva_of_demands(
            (demand / slow)[:, ~delay], people, think + demand[:, delay].sum(axis=1)
        )
        mean = rate @ waits
        # An open job's stay is linear in the closed jobs it finds, so that two atoms do.
        return "BCMP, mixed (MVA)", rate, waits, [_with_mean(m) for m in mean]
    speeds = [
        _slowed(s, a, int(people.sum())) for s, a in zip(network.stations, offered, strict=True)
    ]
    rate, queues, _, laws = convolution.convolution_of_demands(demand, people, think, speeds)
    marginals = [p if p.size else np.ones(1) for p in laws]
    return "BCMP, mixed (convolution)", rate, queues / rate[:, None], marginals


def _with_mean(mean: float) -> Floats:
    """Return a distribution on 0, 1, ... of the given mean.

    >>> print(_with_mean(1.25))
    [0.   0.75 0.25]
    """
    below = int(mean)
    chance = np.zeros(below + 2)
    chance[below], chance[below + 1] = 1 - (mean - below), mean - below
    return chance


def _is_single(station: Station) -> bool:
    return not station.is_delay and station.servers == 1 and not station.speeds


def _slowed(station: Station, offered: float, most: int) -> Floats:
    """Return the speeds that 1, 2, ... closed jobs together get while open jobs are there."""
    if station.is_delay:
        return np.zeros(0)
    if _is_single(station):
        return np.array([1 - offered])
    if not offered:
        return station.speed(np.arange(1, most + 1))
    varied = min(most, _levels(station) + 1)
    logs = np.array([_beside(station, offered, n)[0] for n in range(varied + 1)])
    return np.asarray(np.exp(logs[:-1] - logs[1:]))


def _levels(station: Station) -> int:
    """Return the number of jobs from which the speed stays the same."""
    return len(station.speeds) or station.servers


def _beside(station: Station, offered: float, closed: int) -> tuple[float, float]:
    """Return log F and the mean number of open jobs, given `closed` jobs.

    F(n) is the sum over m of (n + m choose m) offered^m / (speed(1) ... speed(n + m)), a negative
    binomial series where the station is at full speed with the closed jobs alone.
    """
    from scipy.special import gammaln, logsumexp

    slow = np.log(station.speed(np.arange(1, closed + 1))).sum()
    if closed >= _levels(station) or not offered:
        spare = 1 - offered / float(station.speed(_levels(station)))
        return float(-slow - (closed + 1) * np.log(spare)), (closed + 1) * (1 / spare - 1)
    size = 64
    while True:
        m = np.arange(size)
        slow = np.log(station.speed(np.arange(1, closed + size)))
        slow = np.concatenate([[0.0], np.cumsum(slow)])[closed : closed + size]
        terms = gammaln(closed + m + 1) - gammaln(closed + 1) - gammaln(m + 1)
        terms += m * np.log(offered) - slow
        top = logsumexp(terms)
        if terms[-1] < top - 45 and terms[-1] < terms[-2]:
            return float(top), float((m * np.exp(terms - top)).sum())
        size *= 2
