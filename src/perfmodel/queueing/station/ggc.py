"""G/G/1 and G/G/c by two moments: Kingman, Allen and Cunneen, Kraemer and Langenbach-Belz, Marchal.

No exact formula exists once neither arrivals nor service are memoryless. These four say how the
waiting grows with utilization and with the two variabilities, and each result says that it is not
exact.

Sources: J. F. C. Kingman, "Some inequalities for the queue GI/G/1", Biometrika 49, 1962 (the
bound), and "The single server queue in heavy traffic", Proc. Cambridge Philosophical Society 57,
1961 (the approximation);
A. O. Allen, "Probability, Statistics, and Queueing Theory", 1990 (Allen and Cunneen); W. Kraemer
and M. Langenbach-Belz, ITC 8, 1976; W. G. Marchal, "An approximate formula for waiting time in
single server queues", AIIE Transactions 8(4), 1976; G. Bolch et al., "Queueing Networks and Markov
Chains", 2006, section 6.3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.station.erlang import erlang_c
from perfmodel.queueing.station.result import StationResult, stable
from perfmodel.validation import (
    Floats,
    at_most,
    check_shapes,
    non_negative,
    positive,
    whole_numbers,
    within,
)

_TWO_MOMENTS = (
    "uses two moments of independent times: heavy tails and correlated arrivals can wait longer"
)


def kingman_bound(
    arrival_rate: ArrayLike, mean_service: ArrayLike, arrival_scv: ArrayLike, service_scv: ArrayLike
) -> StationResult:
    """Return Kingman's upper bound on the waiting in G/G/1, first come first served.

    Parameters
    ----------
    arrival_rate : array_like
        lambda in jobs per second, above 0. All arguments broadcast.
    mean_service : array_like
        E[S] in seconds, above 0.
    arrival_scv, service_scv : array_like
        Squared coefficients of variation of the times between arrivals and of service, 0 or more.

    Returns
    -------
    StationResult
        Waiting time lambda (Var A + Var S) / (2 (1 - rho)): a bound, tight in heavy traffic.

    Raises
    ------
    ValueError
        If an argument is out of range or the utilization is not below 1.

    Examples
    --------
    >>> print(kingman_bound(0.8, 1.0, 0.5, 2.0).waiting_time.round(4))
    5.5625
    """
    rate, mean = positive("arrival_rate", arrival_rate), positive("mean_service", mean_service)
    ca2, cs2 = _scv("arrival_scv", arrival_scv), _scv("service_scv", service_scv)
    check_shapes(arrival_rate=rate, mean_service=mean, arrival_scv=ca2, service_scv=cs2)
    rho = stable(rate * mean)
    waiting = (ca2 / rate + rho * cs2 * mean) / (2 * (1 - rho))
    return StationResult.from_waiting(
        rate, mean, waiting, "G/G/1, Kingman's bound", exact=False, warning="an upper bound"
    )


def allen_cunneen(
    arrival_rate: ArrayLike,
    mean_service: ArrayLike,
    arrival_scv: ArrayLike,
    service_scv: ArrayLike,
    servers: ArrayLike = 1,
    wait_probability: ArrayLike | None = None,
) -> StationResult:
    """Approximate G/G/c: the waiting in M/M/c times (Ca2 + Cs2) / 2.

    With one server it is Kingman's formula, rho / (1 - rho) (Ca2 + Cs2) / 2 E[S], and equal to
    Pollaczek-Khinchine where arrivals are Poisson.

    Parameters
    ----------
    arrival_rate : array_like
        lambda in jobs per second, above 0. All arguments broadcast.
    mean_service : array_like
        E[S] in seconds, above 0.
    arrival_scv, service_scv : array_like
        Squared coefficients of variation of the times between arrivals and of service, 0 or more.
    servers : array_like
        c, whole, 1 or more.
    wait_probability : array_like, optional
        Probability of having to wait, from 0 to 1; by default Erlang's C. See
        `approximate_wait_probability`        for the closed form that textbooks use in its place.

    Returns
    -------
    StationResult
        Exact for M/G/1 and M/M/c; otherwise an approximation.

    Raises
    ------
    ValueError
        If an argument is out of range or the utilization is not below 1.

    Examples
    --------
    >>> print(allen_cunneen([0.3, 0.8], 1.0, [1.0, 0.5], [50.0, 2.0]).waiting_time.round(3))
    [10.929  5.   ]
    >>> print(allen_cunneen(3.2, 1.0, 1.0, 1.0, servers=4).response_time.round(4))
    1.7455
    """
    rate, mean = positive("arrival_rate", arrival_rate), positive("mean_service", mean_service)
    c = whole_numbers("servers", servers, 1)
    ca2, cs2 = _scv("arrival_scv", arrival_scv), _scv("service_scv", service_scv)
    sizes = {"arrival_scv": ca2, "service_scv": cs2, "servers": c}
    check_shapes(arrival_rate=rate, mean_service=mean, **sizes)
    rho = stable(rate * mean / c)
    delayed = erlang_c(c, rate * mean) if wait_probability is None else wait_probability
    chance = within("wait_probability", delayed, 0, 1)
    check_shapes(arrival_rate=rate * mean, **sizes, wait_probability=chance)
    waiting = chance * mean / (c * (1 - rho)) * (ca2 + cs2) / 2
    exact = wait_probability is None and _is_exact(ca2, cs2, c)
    warning = "" if exact else _TWO_MOMENTS
    name = "G/G/c, Allen-Cunneen"
    return StationResult.from_waiting(
        rate, mean, waiting, name, servers=c, exact=exact, warning=warning
    )


def kraemer_langenbach_belz(
    arrival_rate: ArrayLike,
    mean_service: ArrayLike,
    arrival_scv: ArrayLike,
    service_scv: ArrayLike,
    servers: ArrayLike = 1,
) -> StationResult:
    """Approximate G/G/c: Allen-Cunneen, corrected where arrivals are not Poisson.

    Parameters
    ----------
    arrival_rate, mean_service, arrival_scv, service_scv, servers : array_like
        As for `allen_cunneen`.

    Returns
    -------
    StationResult
        Closer than Allen-Cunneen at low utilization, equal to it in heavy traffic.

    Raises
    ------
    ValueError
        If an argument is out of range or the utilization is not below 1.

    Examples
    --------
    >>> print(kraemer_langenbach_belz(0.8, 1.0, 0.5, 2.0).waiting_time.round(6))
    4.917357
    """
    plain = allen_cunneen(arrival_rate, mean_service, arrival_scv, service_scv, servers)
    ca2, cs2 = _scv("arrival_scv", arrival_scv), _scv("service_scv", service_scv)
    offered = plain.arrival_rate * positive("mean_service", mean_service)
    delayed = erlang_c(whole_numbers("servers", servers, 1), offered)
    waiting = plain.waiting_time * _correction(plain.utilization, delayed, ca2, cs2)
    return StationResult.from_waiting(
        plain.arrival_rate,
        mean_service,
        waiting,
        "G/G/c, Kraemer-Langenbach-Belz",
        servers=servers,
        exact=plain.exact,
        warning=plain.warning,
    )


def marchal(
    arrival_rate: ArrayLike,
    mean_service: ArrayLike,
    arrival_scv: ArrayLike,
    service_scv: ArrayLike,
    servers: ArrayLike = 1,
) -> StationResult:
    """Approximate G/G/c by Marchal: Kingman's bound, scaled to be exact for Poisson arrivals.

    With one server the bound's factor is (1 + Cs2) / (1 / rho^2 + Cs2); with more, what that makes
    of the waiting in M/M/1 is applied to that in M/M/c.

    Parameters
    ----------
    arrival_rate, mean_service, arrival_scv, service_scv, servers : array_like
        As for `allen_cunneen`.

    Returns
    -------
    StationResult
        Below Allen-Cunneen for regular arrivals, above it for bursty ones, if service varies; equal
        to it in heavy traffic.

    Raises
    ------
    ValueError
        If an argument is out of range or the utilization is not below 1.

    Examples
    --------
    >>> print(marchal(0.8, 1.0, 0.5, 2.0).waiting_time.round(6))
    4.684211
    """
    plain = allen_cunneen(arrival_rate, mean_service, arrival_scv, service_scv, servers)
    ca2, cs2 = _scv("arrival_scv", arrival_scv), _scv("service_scv", service_scv)
    markov = allen_cunneen(arrival_rate, mean_service, 1.0, 1.0, servers).waiting_time
    busy = plain.utilization**2
    factor = (1 + cs2) * (ca2 + busy * cs2) / (2 * (1 + busy * cs2))
    return StationResult.from_waiting(
        plain.arrival_rate,
        mean_service,
        markov * factor,
        "G/G/c, Marchal",
        servers=servers,
        exact=plain.exact,
        warning=plain.warning,
    )


def approximate_wait_probability(servers: ArrayLike, utilization: ArrayLike) -> Floats:
    """Return the textbook approximation of the probability of having to wait at c servers.

    Parameters
    ----------
    servers : array_like
        c, whole, 1 or more; broadcasts with `utilization`.
    utilization : array_like
        rho of each server, from 0 to below 1.

    Returns
    -------
    ndarray
        (rho^c + rho) / 2 above a utilization of 0.7, rho^((c + 1) / 2) below. Erlang's C is exact
        for M/M/c and as easy to compute; this one is for comparing with books (Bolch et al.).

    Raises
    ------
    ValueError
        If an argument is out of range or the utilization is not below 1.

    Examples
    --------
    >>> print(approximate_wait_probability([1, 4], 0.8).round(4))
    [0.8    0.6048]
    """
    c = whole_numbers("servers", servers, 1)
    rho = stable(non_negative("utilization", utilization))
    check_shapes(servers=c, utilization=rho)
    return np.where(rho > 0.7, (rho**c + rho) / 2, rho ** ((c + 1) / 2))[()]


def _scv(name: str, value: ArrayLike) -> Floats:
    return at_most(name, non_negative(name, value), 1e100)


def _correction(rho: Floats, delayed: Floats, ca2: Floats, cs2: Floats) -> Floats:
    # With one server the probability of waiting is rho itself, as the formula is often printed.
    total = np.where(ca2 + cs2 == 0, 1, ca2 + cs2)
    smooth = -2 * (1 - rho) * (1 - ca2) ** 2 / (3 * np.where(delayed == 0, 1, delayed) * total)
    bursty = -(1 - rho) * (ca2 - 1) / np.where(ca2 + 4 * cs2 == 0, 1, ca2 + 4 * cs2)
    return np.exp(np.where(ca2 <= 1, smooth, bursty))


def _is_exact(ca2: Floats, cs2: Floats, c: Floats) -> bool:
    return bool((ca2 == 1).all() and ((c == 1) | (cs2 == 1)).all())
