"""Stations with Poisson arrivals and exponential service: M/M/1, M/M/c and M/M/inf.

A post office with c clerks and one queue. Times between arrivals and times at the counter have no
memory, so the number of people inside is all there is to know, and everything about it is known:
means as well as percentiles. `mmck` has the stations that turn jobs away.

Source: L. Kleinrock, "Queueing Systems", vol. 1, Wiley, 1975, chapter 3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.tails import checked_probability, invert_tail
from perfmodel.queueing.station.erlang import erlang_c
from perfmodel.queueing.station.result import StationResult, stable
from perfmodel.validation import Floats, check_shapes, non_negative, positive, whole_numbers


def mm1(arrival_rate: ArrayLike, service_rate: ArrayLike) -> StationResult:
    """Solve the M/M/1 queue: one server, first come first served.

    Parameters
    ----------
    arrival_rate : array_like
        lambda in jobs per second (not the time between arrivals), 0 or more. Both broadcast.
    service_rate : array_like
        mu in jobs per second, above 0.

    Returns
    -------
    StationResult
        Response time 1 / (mu - lambda) and what follows by Little's law.

    Raises
    ------
    ValueError
        If an argument is out of range or the utilization lambda / mu is not below 1.

    Examples
    --------
    >>> print(mm1([0.5, 0.9], 1.0).response_time.round(6))
    [ 2. 10.]
    """
    rate, mu = non_negative("arrival_rate", arrival_rate), positive("service_rate", service_rate)
    check_shapes(arrival_rate=rate, service_rate=mu)
    utilization = stable(rate / mu)
    return StationResult.from_waiting(rate, 1 / mu, utilization / (mu - rate), "M/M/1")


def mmc(arrival_rate: ArrayLike, service_rate: ArrayLike, servers: ArrayLike) -> StationResult:
    """Solve the M/M/c queue: c servers, one queue, first come first served.

    Parameters
    ----------
    arrival_rate : array_like
        lambda in jobs per second, 0 or more. All three arguments broadcast.
    service_rate : array_like
        mu of one server in jobs per second, above 0.
    servers : array_like
        c, whole, 1 or more; a million is fine.

    Returns
    -------
    StationResult
        Waiting time C(c, lambda / mu) / (c mu - lambda) and what follows by Little's law.

    Raises
    ------
    ValueError
        If an argument is out of range or the utilization is not below 1.

    Examples
    --------
    >>> print(mmc(3.2, 1.0, 4).response_time.round(4))
    1.7455
    """
    rate, mu = non_negative("arrival_rate", arrival_rate), positive("service_rate", service_rate)
    c = whole_numbers("servers", servers, 1)
    check_shapes(arrival_rate=rate, service_rate=mu, servers=c)
    waiting = erlang_c(c, rate / mu) / (c * mu - rate)
    return StationResult.from_waiting(rate, 1 / mu, waiting, "M/M/c", servers=c)


def mm_infinity(arrival_rate: ArrayLike, service_rate: ArrayLike) -> StationResult:
    """Solve the station where every job has a server of its own (a delay station, M/M/inf).

    Parameters
    ----------
    arrival_rate : array_like
        lambda in jobs per second, 0 or more; broadcasts with `service_rate`.
    service_rate : array_like
        mu of one server in jobs per second, above 0.

    Returns
    -------
    StationResult
        No waiting. `utilization` is the mean number of busy servers, lambda / mu; the number is
        Poisson with this mean, for any distribution of the service time.

    Examples
    --------
    >>> print(mm_infinity(6.0, 2.0).queue_length)
    3.0
    """
    rate, mu = non_negative("arrival_rate", arrival_rate), positive("service_rate", service_rate)
    check_shapes(arrival_rate=rate, service_rate=mu)
    return StationResult.from_waiting(
        rate, 1 / mu, np.zeros(np.broadcast(rate, mu).shape)[()], "M/M/inf"
    )


def mmc_waiting_tail(
    time: ArrayLike, arrival_rate: ArrayLike, service_rate: ArrayLike, servers: ArrayLike = 1
) -> Floats:
    """Return P(waiting time > t) in M/M/c, first come first served: C exp(-(c mu - lambda) t).

    Parameters
    ----------
    time : array_like
        t in seconds, 0 or more. All arguments broadcast.
    arrival_rate, service_rate, servers : array_like
        As for `mmc`.

    Returns
    -------
    ndarray
        Probability from 0 to 1; at t = 0 it is the probability of having to wait.

    Raises
    ------
    ValueError
        If an argument is out of range or the utilization is not below 1.

    Examples
    --------
    >>> print(mmc_waiting_tail([0, 10], 0.8, 1.0).round(4))
    [0.8    0.1083]
    """
    t, spare = non_negative("time", time), _spare(arrival_rate, service_rate, servers)
    check_shapes(time=t, arrival_rate=spare)
    return np.asarray(_wait_probability(arrival_rate, service_rate, servers) * np.exp(-spare * t))


def mmc_waiting_quantile(
    probability: ArrayLike, arrival_rate: ArrayLike, service_rate: ArrayLike, servers: ArrayLike = 1
) -> Floats:
    """Return the waiting time in seconds that a share `probability` of the jobs stays within.

    Parameters
    ----------
    probability : array_like
        p from 0 to below 1: 0.95 for the 95th percentile. All arguments broadcast.
    arrival_rate, service_rate, servers : array_like
        As for `mmc`.

    Returns
    -------
    ndarray
        log(C / (1 - p)) / (c mu - lambda), or 0 where a share p does not wait at all.

    Raises
    ------
    ValueError
        If an argument is out of range or the utilization is not below 1.

    Examples
    --------
    >>> print(mmc_waiting_quantile(0.9, 1 / 6, 0.05, 5).round(4))
    14.2053
    """
    late = 1 - checked_probability(probability)
    spare = _spare(arrival_rate, service_rate, servers)
    delayed = _wait_probability(arrival_rate, service_rate, servers)
    check_shapes(probability=late, arrival_rate=spare)
    return np.asarray(np.log(np.maximum(delayed / late, 1)) / spare)


def mmc_response_tail(
    time: ArrayLike, arrival_rate: ArrayLike, service_rate: ArrayLike, servers: ArrayLike = 1
) -> Floats:
    """Return P(response time > t) in M/M/c, first come first served.

    Parameters
    ----------
    time : array_like
        t in seconds, 0 or more. All arguments broadcast.
    arrival_rate, service_rate, servers : array_like
        As for `mmc`.

    Returns
    -------
    ndarray
        Probability from 0 to 1: service alone, plus what waiting adds.

    Raises
    ------
    ValueError
        If an argument is out of range or the utilization is not below 1.

    Examples
    --------
    >>> print(mmc_response_tail([0, 5], 0.8, 1.0).round(6))
    [1.       0.367879]
    """
    t, mu = non_negative("time", time), positive("service_rate", service_rate)
    spare = _spare(arrival_rate, service_rate, servers)
    check_shapes(time=t, arrival_rate=spare)
    delayed = _wait_probability(arrival_rate, service_rate, servers)
    gap = np.abs(spare - mu)
    apart = np.where(gap == 0, t, -np.expm1(-gap * t) / np.where(gap == 0, 1, gap))
    added = delayed * mu * np.exp(-np.minimum(spare, mu) * t) * apart
    return np.asarray(np.exp(-mu * t) + added)


def mmc_response_quantile(
    probability: ArrayLike, arrival_rate: ArrayLike, service_rate: ArrayLike, servers: ArrayLike = 1
) -> Floats:
    """Return the response time in seconds that a share `probability` of the jobs stays within.

    Parameters
    ----------
    probability : array_like
        p from 0 to below 1. All arguments broadcast.
    arrival_rate, service_rate, servers : array_like
        As for `mmc`.

    Returns
    -------
    ndarray
        The root of `mmc_response_tail` at 1 - p.

    Raises
    ------
    ValueError
        If an argument is out of range or the utilization is not below 1.

    Examples
    --------
    >>> print(mmc_response_quantile([0.5, 0.99], 0.8, 1.0).round(4))
    [ 3.4657 23.0259]
    """
    p, spare = checked_probability(probability), _spare(arrival_rate, service_rate, servers)
    check_shapes(probability=p, arrival_rate=spare)
    solve = np.vectorize(_response_quantile, otypes=[float])
    return np.asarray(solve(probability, arrival_rate, service_rate, servers))[()]


def _response_quantile(probability: float, rate: float, mu: float, servers: float) -> float:
    return float(invert_tail(lambda t: mmc_response_tail(t, rate, mu, servers), probability))


def _wait_probability(
    arrival_rate: ArrayLike, service_rate: ArrayLike, servers: ArrayLike
) -> Floats:
    rate, mu = non_negative("arrival_rate", arrival_rate), positive("service_rate", service_rate)
    return erlang_c(servers, rate / mu)


def _spare(arrival_rate: ArrayLike, service_rate: ArrayLike, servers: ArrayLike) -> Floats:
    """Return the rate that the servers have to spare, c mu - lambda, once that is above 0."""
    rate, mu = non_negative("arrival_rate", arrival_rate), positive("service_rate", service_rate)
    c = whole_numbers("servers", servers, 1)
    check_shapes(arrival_rate=rate, service_rate=mu, servers=c)
    stable(rate / (c * mu))
    return np.asarray(c * mu - rate)
