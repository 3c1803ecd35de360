"""Many servers and a dispatcher that looks at d of them, or sends a copy to each of d.

A job joins the shortest queue of d drawn at random: JSQ(d), the power of d choices. Looking at two
queues instead of one removes most of the waiting; the third adds little. Copies of which the first
counts help only while they are independent of each other and cheap to cancel.

Sources: M. Mitzenmacher, "The power of two choices in randomized load balancing", PhD thesis, UC
Berkeley, 1996; N. D. Vvedenskaya, R. L. Dobrushin and F. I. Karpelevich, Problems of Information
Transmission 32(1), 1996; K. Gardner et al., "Redundancy-d: the power of d choices for redundancy",
Operations Research 65(4), 2017.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import hyp2f1

from perfmodel.queueing.distributions.tails import checked_probability
from perfmodel.queueing.station.mmc import mm1
from perfmodel.queueing.station.result import StationResult, stable
from perfmodel.validation import Floats, non_negative, one_number, positive, whole

_MOST_SHARES = 1_000_000
_LIMIT = "the limit of many servers; 100 of them are about 2 % off"


def power_of_choices_tail(utilization: float, choices: int, length: int) -> Floats:
    """Return the shares of servers with at least 0, 1, ... jobs when the best of d is chosen.

    Parameters
    ----------
    utilization : float
        rho of each server, its arrival rate in units of its service rate, from 0 to below 1.
    choices : int
        d queues that are looked at, 1 or more.
    length : int
        How many shares to return, 1 to a million.

    Returns
    -------
    ndarray, shape (length,)
        rho^((d^i - 1) / (d - 1)), and rho^i for d = 1, in the limit of many servers.

    Examples
    --------
    >>> print(power_of_choices_tail(0.9, 2, 4).round(4))
    [1.     0.9    0.729  0.4783]
    """
    rho, d = _utilization(utilization), whole("choices", choices, 1)
    ranks = np.arange(whole("length", length, 1, _MOST_SHARES), dtype=float)
    with np.errstate(over="ignore"):
        exponents = ranks if d == 1 else (float(d) ** ranks - 1) / (d - 1)
    return np.asarray(rho**exponents)


def power_of_choices(utilization: float, choices: int, mean_service: float = 1.0) -> StationResult:
    """Solve one of many servers where each job joins the shortest of d random queues.

    Parameters
    ----------
    utilization : float
        rho of each server, from 0 to below 1.
    choices : int
        d, 1 or more.
    mean_service : float
        Mean of the exponential sizes in seconds, above 0.

    Returns
    -------
    StationResult
        By Little's law from `power_of_choices_tail`; M/M/1 for one choice.

    Examples
    --------
    >>> print(power_of_choices(0.9, 2).response_time.round(6))
    2.614057
    """
    mean, d = one_number("mean_service", mean_service, positive), whole("choices", choices, 1)
    rho = _utilization(utilization)
    if d == 1:
        return mm1(rho / mean, 1 / mean)
    waiting = mean * (power_of_choices_tail(rho, d, 1100)[1:-1] ** d).sum()
    method = f"power of {d} choices"
    return StationResult.from_waiting(
        rho / mean, mean, waiting, method, exact=False, warning=_LIMIT
    )


def redundancy(utilization: float, copies: int, mean_service: float = 1.0) -> StationResult:
    """Solve one of many servers where each job goes to d queues and its first copy counts.

    P(T > t) = v(t)^(-d / (d - 1)) for the response time and rho^d v(t)^(-d^2 / (d - 1)) for the
    waiting time, with v(t) = rho + (1 - rho) exp((d - 1) t) and t in mean service times.

    Parameters
    ----------
    utilization : float
        rho: arrival rate of jobs (not of copies) for each server over its service rate, from 0 to
        below 1. As copies are cancelled at once, it is also the share of time that it is busy.
    copies : int
        d, 2 or more; their sizes are independent and exponential, the rest is cancelled at once.
    mean_service : float
        Mean of the exponential sizes in seconds, above 0.

    Returns
    -------
    StationResult
        Of one server's jobs; a job waits until the first of its copies starts. Optimistic for real
        copies: where the size travels with the job, copies burn capacity.

    Examples
    --------
    >>> system = redundancy(0.5, 2)
    >>> print(system.response_time.round(4), system.waiting_time.round(4))
    0.7726 0.1059
    """
    mean, d = one_number("mean_service", mean_service, positive), whole("copies", copies, 2)
    rho = _utilization(utilization)
    response = mean * _mean_of_power(d / (d - 1), rho, d - 1)
    waiting = mean * rho**d * _mean_of_power(d**2 / (d - 1), rho, d - 1)
    return StationResult.from_waiting(
        rho / mean,
        response - waiting,
        waiting,
        f"redundancy-{d}",
        utilization=rho,
        exact=False,
        warning=f"independent copies, cancelled at no cost; {_LIMIT}",
    )


def redundancy_quantile(
    probability: ArrayLike, utilization: float, copies: int, mean_service: float = 1.0
) -> Floats:
    """Return the response time that a share `probability` of the jobs stays within.

    Parameters
    ----------
    probability : array_like
        p from 0 to below 1.
    utilization, copies, mean_service
        As for `redundancy`.

    Returns
    -------
    ndarray
        Seconds, from P(T > t) = (rho + (1 - rho) exp((d - 1) t))^(-d / (d - 1)).

    Examples
    --------
    >>> print(redundancy_quantile([0.5, 0.99], 0.5, 2).round(4))
    [0.6035 2.9444]
    """
    mean, d = one_number("mean_service", mean_service, positive), whole("copies", copies, 2)
    rho = _utilization(utilization)
    growth = (1 - checked_probability(probability)) ** (-(d - 1) / d)
    return np.asarray(mean * np.log((growth - rho) / (1 - rho)) / (d - 1))


def _mean_of_power(power: float, rho: float, pace: float) -> float:
    """Return the integral of (rho + (1 - rho) exp(pace t))^-power over t from 0."""
    return float(hyp2f1(1, power, power + 1, rho)) / (power * pace)


def _utilization(value: float) -> float:
    return float(stable(one_number("utilization", value, non_negative)))
