"""Operational laws: what counters of one observed interval say, with no assumption at all.

Take a disk watched for a minute: 36 s busy, 1,800 requests completed. That is enough for its
throughput, utilization and service time, and the laws below tie them to the rest of the system.
They hold for any interval in which as many jobs arrive as complete, whatever the distributions.

Source: P. J. Denning and J. P. Buzen, "The operational analysis of queueing network models", ACM
Computing Surveys 10(3), 1978; E. D. Lazowska et al., "Quantitative System Performance",
Prentice-Hall, 1984, chapter 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, check_shapes, non_negative, positive


@dataclass(frozen=True)
class Observed:
    """What one interval's counters amount to: rates in 1/s, times in seconds."""

    throughput: Floats
    """Completions over the length of the interval."""
    utilization: Floats
    """Busy time over the length of the interval; above 1 for several servers."""
    service_time: Floats
    """Busy time over completions."""


def observe(elapsed: ArrayLike, busy: ArrayLike, completions: ArrayLike) -> Observed:
    """Return throughput, utilization and service time from the counters of an interval.

    Parameters
    ----------
    elapsed : array_like
        Length of the interval in seconds, above 0. All three arguments broadcast.
    busy : array_like
        Seconds the resource was busy, 0 or more (over all its servers, where it has several).
    completions : array_like
        Jobs completed, above 0.

    Returns
    -------
    Observed
        X = C / T, U = B / T and S = B / C.

    Examples
    --------
    >>> disk = observe(elapsed=60, busy=36, completions=1800)
    >>> print(disk.throughput, disk.utilization, disk.service_time)
    30.0 0.6 0.02
    """
    time, work = positive("elapsed", elapsed), non_negative("busy", busy)
    count = positive("completions", completions)
    check_shapes(elapsed=time, busy=work, completions=count)
    return Observed(count / time, work / time, work / count)


def utilization(throughput: ArrayLike, service_time: ArrayLike, servers: ArrayLike = 1) -> Floats:
    """Return the mean share of busy servers by the utilization law, X S / c.

    Parameters
    ----------
    throughput : array_like
        X in jobs per second (not seconds between jobs), 0 or more. All arguments broadcast.
    service_time : array_like
        S in seconds, 0 or more.
    servers : array_like
        Number of servers c, above 0.

    Returns
    -------
    ndarray
        Utilization of each server, between 0 and 1.

    Raises
    ------
    ValueError
        If an argument is out of range, or the servers would be busy more than all the time.

    Examples
    --------
    >>> print(utilization(30, 0.02))
    0.6
    """
    x, s = non_negative("throughput", throughput), non_negative("service_time", service_time)
    c = positive("servers", servers)
    check_shapes(throughput=x, service_time=s, servers=c)
    busy = x * s / c
    if (busy > 1 + 1e-12).any():
        raise ValueError(
            f"utilization must be between 0 and 1, got {np.max(busy):g}: "
            f"throughput times service_time is more than the servers can do"
        )
    return busy


def little_population(throughput: ArrayLike, response_time: ArrayLike) -> Floats:
    """Return the mean number of jobs in a system by Little's law, N = X R.

    Parameters
    ----------
    throughput : array_like
        X in jobs per second, 0 or more; broadcasts with `response_time`.
    response_time : array_like
        Mean time R that a job spends inside, in seconds, 0 or more.

    Returns
    -------
    ndarray
        Mean number of jobs inside.

    References
    ----------
    J. D. C. Little, "A proof for the queuing formula L = lambda W", Operations Research 9(3), 1961.

    Examples
    --------
    >>> print(little_population(0.5, 8))
    4.0
    """
    x, r = non_negative("throughput", throughput), non_negative("response_time", response_time)
    check_shapes(throughput=x, response_time=r)
    return x * r


def little_response_time(population: ArrayLike, throughput: ArrayLike) -> Floats:
    """Return the mean time in a system by Little's law, R = N / X, in seconds.

    Parameters
    ----------
    population : array_like
        Mean number of jobs inside, 0 or more; broadcasts with `throughput`.
    throughput : array_like
        X in jobs per second, above 0.

    Returns
    -------
    ndarray
        Mean time inside, in seconds.

    Examples
    --------
    >>> print(little_response_time(4, 0.5))
    8.0
    """
    n, x = non_negative("population", population), positive("throughput", throughput)
    check_shapes(population=n, throughput=x)
    return n / x


def station_throughput(throughput: ArrayLike, visits: ArrayLike) -> Floats:
    """Return a station's completions per second by the forced flow law, X_k = X V_k.

    Parameters
    ----------
    throughput : array_like
        The system's X in jobs per second, 0 or more; broadcasts with `visits`.
    visits : array_like
        Mean number of visits V_k that a job makes to the station, 0 or more.

    Returns
    -------
    ndarray
        Completions per second at the station.

    Examples
    --------
    >>> print(station_throughput(0.6, 20))
    12.0
    """
    x, v = non_negative("throughput", throughput), non_negative("visits", visits)
    check_shapes(throughput=x, visits=v)
    return x * v


def system_throughput(station: ArrayLike, visits: ArrayLike) -> Floats:
    """Return the system's throughput from one station's by the forced flow law, X = X_k / V_k.

    Parameters
    ----------
    station : array_like
        Completions per second at the station, 0 or more; broadcasts with `visits`.
    visits : array_like
        Mean number of visits that a job makes to the station, above 0.

    Returns
    -------
    ndarray
        Jobs per second that leave the system.

    Examples
    --------
    >>> print(system_throughput(12, 20))
    0.6
    """
    x, v = non_negative("station", station), positive("visits", visits)
    check_shapes(station=x, visits=v)
    return x / v


def service_demand(visits: ArrayLike, service_time: ArrayLike) -> Floats:
    """Return the seconds of service that a job needs at a station in all, D = V S.

    Parameters
    ----------
    visits : array_like
        Mean number of visits V, 0 or more; broadcasts with `service_time`.
    service_time : array_like
        Mean service time S of a visit in seconds, 0 or more.

    Returns
    -------
    ndarray
        Service demand in seconds. By the utilization law it is U / X as well.

    Examples
    --------
    >>> print(service_demand(20, 0.025))
    0.5
    """
    v, s = non_negative("visits", visits), non_negative("service_time", service_time)
    check_shapes(visits=v, service_time=s)
    return v * s


def interactive_response_time(
    population: ArrayLike, throughput: ArrayLike, think_time: ArrayLike
) -> Floats:
    """Return the response time that users see, by the interactive response time law, N / X - Z.

    Parameters
    ----------
    population : array_like
        Number of users N, 0 or more. All three arguments broadcast.
    throughput : array_like
        X in requests per second, above 0.
    think_time : array_like
        Mean time Z between a response and the next request, in seconds, 0 or more.

    Returns
    -------
    ndarray
        Mean response time in seconds.

    Raises
    ------
    ValueError
        If an argument is out of range, or N / X is below Z, so that the three contradict.

    Examples
    --------
    >>> print(round(interactive_response_time(25, 0.6, 18), 4))
    23.6667
    """
    n, x = non_negative("population", population), positive("throughput", throughput)
    z = non_negative("think_time", think_time)
    check_shapes(population=n, throughput=x, think_time=z)
    response = n / x - z
    if (response < -1e-12 * z).any():
        raise ValueError(
            f"think_time must be at most population / throughput = {n / x!r}, got {think_time!r}"
        )
    return np.maximum(response, 0.0)
