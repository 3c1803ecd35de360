"""M/G/1 under the policies that decide whose job runs: FCFS, PS, SJF, PSJF, SRPT and FB.

One server, Poisson arrivals, sizes of any law. Which job runs costs nothing and changes everything:
for heavy-tailed sizes the mean response time differs by a factor of thousands. Every policy is a
function of the job's size, so that its fairness to large jobs can be seen as well.

Sources: L. E. Schrage and L. W. Miller, "The queue M/G/1 with the shortest remaining processing
time discipline", Operations Research 14(4), 1966; L. Kleinrock, "Queueing Systems", vol. 2, 1976,
chapter 4; M. Harchol-Balter, "Performance Modeling and Design of Computer Systems", 2013, chapters
28-33.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.quadrature import panel_nodes
from perfmodel.queueing.distributions.service import Service, checked_service
from perfmodel.queueing.station.result import StationResult, stable
from perfmodel.validation import Floats, at_most, check_shapes, non_negative, one_of, positive

_Policy = Callable[[Floats, Floats, Service], Floats]


def mean_response(policy: str, arrival_rate: ArrayLike, service: Service) -> StationResult:
    """Solve M/G/1 under a scheduling policy.

    Parameters
    ----------
    policy : str
        One of `MG1_POLICIES`: FCFS, LCFS (non-preemptive), PLCFS (preemptive, resume), PS, SJF,
        PSJF, SRPT, FB (least attained service, LAS).
    arrival_rate : array_like
        lambda in jobs per second, 0 or more.
    service : Service
        Law of the job sizes, in seconds of work.

    Returns
    -------
    StationResult
        The mean over all jobs; `waiting_time` is the response time less the size.

    Raises
    ------
    ValueError
        If the policy is unknown, `arrival_rate` negative or the utilization not below 1.

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import Exponential
    >>> for policy in ("FCFS", "PS", "SJF", "PSJF", "SRPT"):
    ...     print(policy, mean_response(policy, 0.8, Exponential(1.0)).response_time.round(4))
    FCFS 5.0
    PS 5.0
    SJF 2.8822
    PSJF 2.6589
    SRPT 2.3528
    """
    nodes, weights = checked_service("service", service).quadrature()
    rate = non_negative("arrival_rate", arrival_rate)
    response = response_by_size(policy, nodes, rate[..., np.newaxis], service) @ weights
    waiting = response - service.moment(1)
    return StationResult(
        arrival_rate=rate,
        throughput=rate,
        utilization=rate * service.moment(1),
        response_time=response,
        waiting_time=waiting,
        queue_length=rate * response,
        waiting_length=rate * waiting,
        method=f"M/G/1-{policy}",
    )


def response_by_size(
    policy: str, size: ArrayLike, arrival_rate: ArrayLike, service: Service
) -> Floats:
    """Return the mean response time of the jobs of one size in M/G/1, in seconds.

    Parameters
    ----------
    policy : str
        One of `MG1_POLICIES`.
    size : array_like
        Size x of the job in seconds, above 0, up to 1e100; broadcasts with `arrival_rate`.
    arrival_rate : array_like
        lambda in jobs per second, 0 or more.
    service : Service
        Law of all jobs' sizes.

    Returns
    -------
    ndarray
        E[T(x)]. Jobs of equal size are served in the order of their arrival.

    Raises
    ------
    ValueError
        If the policy is unknown, an argument is out of range or the utilization not below 1.

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import Exponential
    >>> print(response_by_size("PS", [1.0, 2.0], 0.5, Exponential(1.0)))
    [2. 4.]
    """
    one_of("policy", policy, MG1_POLICIES)
    x = at_most("size", positive("size", size), 1e100)
    rate = non_negative("arrival_rate", arrival_rate)
    check_shapes(size=x, arrival_rate=rate)
    checked_service("service", service)
    stable(rate * service.moment(1))
    return MG1_POLICIES[policy](x, rate, service)


def slowdown_by_size(
    policy: str, size: ArrayLike, arrival_rate: ArrayLike, service: Service
) -> Floats:
    """Return the mean response time of the jobs of one size over that size.

    Parameters
    ----------
    policy, size, arrival_rate, service
        As for `response_by_size`.

    Returns
    -------
    ndarray
        Slowdown, 1 or more; 1 / (1 - rho) for every size under PS, the measure of fairness.

    Raises
    ------
    ValueError
        As `response_by_size`.

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import BoundedPareto
    >>> law = BoundedPareto(1.0, 1.0, 1e4)
    >>> print(slowdown_by_size("SRPT", 1e4, 0.9 / law.moment(1), law).round(2))
    10.89
    """
    response = response_by_size(policy, size, arrival_rate, service)
    return np.asarray(response / np.asarray(size, dtype=float))


def _fcfs(size: Floats, rate: Floats, service: Service) -> Floats:
    rho = rate * service.moment(1)
    return np.asarray(size + rate * service.moment(2) / (2 * (1 - rho)))


def _processor_sharing(size: Floats, rate: Floats, service: Service) -> Floats:
    return np.asarray(size / (1 - rate * service.moment(1)))


def _shortest_job(size: Floats, rate: Floats, service: Service) -> Floats:
    residual = rate * service.moment(2) / 2
    return np.asarray(size + residual / _free(size, rate, service))


def _preemptive_shortest(size: Floats, rate: Floats, service: Service) -> Floats:
    residual = rate * service.partial_moment(2, size) / 2
    shorter = 1 - rate * service.partial_moment(1, np.nextafter(size, 0))
    return np.asarray(residual / _free(size, rate, service) + size / shorter)


def _shortest_remaining(size: Floats, rate: Floats, service: Service) -> Floats:
    residual = rate * _capped_second_moment(size, service) / 2
    return np.asarray(residual / _free(size, rate, service) + _residence(size, rate, service))


def _foreground_background(size: Floats, rate: Floats, service: Service) -> Floats:
    longer = 1 - service.partial_moment(0, size)
    free = 1 - rate * (service.partial_moment(1, size) + size * longer)
    residual = rate * _capped_second_moment(size, service) / 2
    return np.asarray((size * free + residual) / free**2)


def _capped_second_moment(size: Floats, service: Service) -> Floats:
    """Return E[min(S, x)^2]."""
    longer = 1 - service.partial_moment(0, size)
    return np.asarray(service.partial_moment(2, size) + size**2 * longer)


def _free(size: Floats, rate: Floats, service: Service) -> Floats:
    """Return (1 - rho of sizes below x) (1 - rho of sizes up to x); they differ at an atom."""
    below = service.partial_moment(1, np.nextafter(size, 0))
    return np.asarray((1 - rate * below) * (1 - rate * service.partial_moment(1, size)))


def _residence(size: Floats, rate: Floats, service: Service) -> Floats:
    """Return the integral of 1 / (1 - rho of sizes up to t) over t from 0 to x."""
    sizes, rates = np.broadcast_arrays(size, rate)
    total = np.empty(sizes.shape)
    for value in np.unique(rate):
        chosen = rates == value
        total[chosen] = _residence_at(sizes[chosen], float(value), service)
    return total


def _residence_at(size: Floats, rate: float, service: Service) -> Floats:
    breaks = service.breaks()
    inside = np.minimum(size, breaks[-1])
    last = np.clip(np.searchsorted(breaks, inside) - 1, 0, breaks.size - 2)
    panels = _integral(breaks[:-1], breaks[1:], rate, service)
    before = np.concatenate([[0.0], np.cumsum(panels)])[last]
    beyond = (size - inside) / (1 - rate * service.moment(1))
    return np.asarray(before + _integral(breaks[last], inside, rate, service) + beyond)


def _integral(low: Floats, high: Floats, rate: float, service: Service) -> Floats:
    nodes, weights = panel_nodes(low, high)
    return np.asarray((weights / (1 - rate * service.partial_moment(1, nodes))).sum(-1))


MG1_POLICIES: dict[str, _Policy] = {
    "FCFS": _fcfs,
    "LCFS": _fcfs,
    "PLCFS": _processor_sharing,
    "PS": _processor_sharing,
    "SJF": _shortest_job,
    "PSJF": _preemptive_shortest,
    "SRPT": _shortest_remaining,
    "FB": _foreground_background,
}
"""Orders of service of M/G/1, each with the mean response time of a job of one size."""
