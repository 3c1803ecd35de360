"""Sending jobs to a few servers: at random, to the least work, or by size.

A supermarket with k tills. Where a job is sent decides whom it waits behind. Sending by size (SITA)
keeps short jobs out of the way of long ones. `power_of_choices` has dispatchers of many servers.

Source: M. Harchol-Balter, "Performance Modeling and Design of Computer Systems", Cambridge, 2013,
chapter 24.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.service import Service, checked_service, scv
from perfmodel.queueing.station.ggc import allen_cunneen
from perfmodel.queueing.station.mg1 import mg1
from perfmodel.queueing.station.result import StationResult
from perfmodel.validation import Floats, non_negative, one_number, positive, sample, whole

_MOST_HOSTS = 100_000


@dataclass(frozen=True)
class SizeIntervalHosts:
    """A farm whose hosts take one range of sizes each; arrays of one value a host."""

    cutoffs: Floats
    """Largest size that each host but the last takes, in seconds."""
    job_fraction: Floats
    """Share of the jobs that each host serves."""
    host: StationResult
    """Each host as an M/G/1 queue."""
    response_time: float
    """Mean over all jobs in seconds."""


def random_split(arrival_rate: ArrayLike, service: Service, servers: int) -> StationResult:
    """Solve k FCFS servers that jobs are sent to at random: k independent M/G/1 queues.

    Parameters
    ----------
    arrival_rate : array_like
        lambda of the whole farm in jobs per second, 0 or more.
    service : Service
        Law of the job sizes.
    servers : int
        k, 1 or more.

    Returns
    -------
    StationResult
        Of one of the servers.

    Raises
    ------
    ValueError
        If an argument is out of range or the utilization is not below 1.

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import Exponential
    >>> print(random_split(3.2, Exponential(1.0), 4).response_time.round(6))
    5.0
    """
    share = non_negative("arrival_rate", arrival_rate) / whole("servers", servers, 1)
    checked_service("service", service)
    return mg1(arrival_rate=share, mean_service=service.moment(1), scv=scv(service))


def least_work_left(arrival_rate: ArrayLike, service: Service, servers: int) -> StationResult:
    """Approximate k FCFS servers that jobs are sent to by least work left: the queue M/G/k.

    Parameters
    ----------
    arrival_rate, service, servers
        As for `random_split`.

    Returns
    -------
    StationResult
        M/M/k times (1 + scv) / 2: an approximation unless sizes are exponential.

    Raises
    ------
    ValueError
        If an argument is out of range or the utilization is not below 1.

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import Exponential
    >>> print(least_work_left(3.2, Exponential(1.0), 4).response_time.round(4))
    1.7455
    """
    checked_service("service", service)
    return allen_cunneen(arrival_rate, service.moment(1), 1.0, scv(service), servers)


def equal_utilization_cutoffs(service: Service, servers: int) -> Floats:
    """Return the sizes that cut the work into equal parts (SITA-E).

    Parameters
    ----------
    service : Service
        Law of the job sizes.
    servers : int
        k, 1 to 100,000.

    Returns
    -------
    ndarray, shape (servers - 1,)
        Sizes in seconds.

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import BoundedPareto
    >>> print(equal_utilization_cutoffs(BoundedPareto(1.0, 1.0, 1e4), 2).round(6))
    [100.]
    """
    k = whole("servers", servers, 1, _MOST_HOSTS)
    wanted = np.arange(1, k) / k * checked_service("service", service).moment(1)
    low, high = np.zeros(k - 1), np.full(k - 1, service.breaks()[-1])
    for _ in range(120):  # halving also ends where the work jumps, at sizes that many jobs share
        middle = (low + high) / 2
        under = service.partial_moment(1, middle) < wanted
        low, high = np.where(under, middle, low), np.where(under, high, middle)
    return high


def size_interval(
    arrival_rate: float, service: Service, cutoffs: ArrayLike | None = None, servers: int = 2
) -> SizeIntervalHosts:
    """Solve FCFS servers of which each takes one range of sizes (SITA).

    Parameters
    ----------
    arrival_rate : float
        lambda of the whole farm in jobs per second, above 0.
    service : Service
        Distribution of the job sizes; the dispatcher must know each job's size.
    cutoffs : array_like, shape (servers - 1,), optional
        Rising sizes in seconds; by default those that give every host the same utilization.
    servers : int
        k where no cutoffs are given.

    Returns
    -------
    SizeIntervalHosts
        Each host as an M/G/1 queue with its own part of the law.

    Raises
    ------
    ValueError
        If an argument is out of range, a host would get no jobs or have a utilization of 1.

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import BoundedPareto
    >>> law = BoundedPareto(1.0, 1.0, 1e4)
    >>> farm = size_interval(2 * 0.7 / law.moment(1), law)
    >>> print(farm.job_fraction.round(3), round(farm.response_time, 1))
    [0.99 0.01] 58.9
    """
    rate = one_number("arrival_rate", arrival_rate, positive)
    whole("servers", servers, 1, _MOST_HOSTS)
    cuts = (
        equal_utilization_cutoffs(service, servers)
        if cutoffs is None
        else non_negative("cutoffs", sample("cutoffs", cutoffs))
    )
    checked_service("service", service)
    parts = [_part(service, order, cuts) for order in range(3)]
    if not (parts[0] > 0).all():
        raise ValueError(f"cutoffs must rise and leave jobs to every host, got {cutoffs!r}")
    means = parts[1] / parts[0]
    host = mg1(
        arrival_rate=rate * parts[0],
        mean_service=means,
        scv=np.maximum(parts[2] / parts[0] / means**2 - 1, 0),
    )
    return SizeIntervalHosts(cuts, parts[0], host, float(parts[0] @ host.response_time))


def _part(service: Service, order: int, cutoffs: Floats) -> Floats:
    """Return E[S^order] over each range of sizes."""
    sums = np.append(service.partial_moment(order, cutoffs), service.moment(order))
    return np.diff(sums, prepend=0.0)
