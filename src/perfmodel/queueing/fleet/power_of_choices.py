"""Many servers and a dispatcher that looks at d of them, or sends a copy to each of d.

Looking at two queues instead of one removes most of the waiting; the third adds little. Copies of
which the first counts help only while they are independent of each other and cheap to cancel.

Sources: M. Mitzenmacher, "The power of two choices in randomized load balancing", PhD thesis, UC
Berkeley, 1996; N. D. Vvedenskaya, R. L. Dobrushin and F. I. Karpelevich, Problems of Information
Transmission 32(1), 1996; K. Gardner et al., "Redundancy-d: the power of d choices for redundancy",
Operations Research 65(4), 2017.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import hyp2f1

from perfmodel.queueing.station.result import probabilities, stable
from perfmodel.validation import Floats, non_negative, positive, whole

_LIMIT = "the limit of many servers; 100 of them are about 2 % off"


@dataclass(frozen=True)
class ManyServers:
    """Mean response time in seconds in the limit of many servers, with what it rests on."""

    response_time: Floats
    method: str
    warning: str
    exact: bool = False


def power_of_choices_tail(load: float, choices: int, length: int) -> Floats:
    """Return the shares of servers with at least 0, 1, ... jobs when the best of d is chosen.

    Parameters
    ----------
    load : float
        lambda of each server in units of its service rate, from 0 to below 1.
    choices : int
        d queues that are looked at, 1 or more.
    length : int
        How many shares to return, 1 or more.

    Returns
    -------
    ndarray, shape (length,)
        load^((d^i - 1) / (d - 1)), and load^i for d = 1, in the limit of many servers.

    Raises
    ------
    ValueError
        If an argument is out of range or not whole.

    Examples
    --------
    >>> print(power_of_choices_tail(0.9, 2, 4).round(4))
    [1.     0.9    0.729  0.4783]
    """
    rho = float(stable(non_negative("load", load)))
    d, ranks = whole("choices", choices, 1), np.arange(whole("length", length, 1), dtype=float)
    with np.errstate(over="ignore"):
        exponents = ranks if d == 1 else (float(d) ** ranks - 1) / (d - 1)
    return np.asarray(rho**exponents)


def power_of_choices(load: float, choices: int, mean_service: float = 1.0) -> ManyServers:
    """Return the mean response time when each job joins the shortest of d random queues.

    Parameters
    ----------
    load : float
        Utilization of each server, from 0 to below 1.
    choices : int
        d, 1 or more.
    mean_service : float
        Mean of the exponential sizes in seconds, above 0.

    Returns
    -------
    ManyServers
        By Little's law from `power_of_choices_tail`.

    Raises
    ------
    ValueError
        If an argument is out of range or not whole.

    Examples
    --------
    >>> print(power_of_choices(0.9, 2).response_time.round(6))
    2.614057
    """
    mean, d = positive("mean_service", mean_service), whole("choices", choices, 1)
    rho = float(stable(non_negative("load", load)))
    if d == 1:
        return ManyServers(np.asarray(mean / (1 - rho)), "power of 1 choice, M/M/1", "", True)
    tail = power_of_choices_tail(rho, d, 1100)
    powers = tail[:-1] ** d
    return ManyServers(np.asarray(mean * powers.sum()), f"power of {d} choices", _LIMIT)


def redundancy(load: float, copies: int, mean_service: float = 1.0) -> ManyServers:
    """Return the mean response time when each job goes to d queues and its first copy counts.

    Parameters
    ----------
    load : float
        Arrival rate of jobs (not of copies) for each server over its service rate, 0 to below 1.
    copies : int
        d, 2 or more; their sizes are independent and exponential, the rest is cancelled at once.
    mean_service : float
        Mean of the exponential sizes in seconds, above 0.

    Returns
    -------
    ManyServers
        Optimistic for real copies: where the size travels with the job, copies burn capacity.

    Raises
    ------
    ValueError
        If an argument is out of range or not whole.

    Examples
    --------
    >>> print(redundancy(0.5, 2).response_time.round(4))
    0.7726
    """
    mean, d = positive("mean_service", mean_service), whole("copies", copies, 2)
    rho = float(stable(non_negative("load", load)))
    power = d / (d - 1)
    response = np.asarray(mean / d * hyp2f1(1, power, power + 1, rho))
    warning = f"independent copies, cancelled at no cost; {_LIMIT}"
    return ManyServers(response, f"redundancy-{d}", warning)


def redundancy_quantile(
    probability: ArrayLike, load: float, copies: int, mean_service: float = 1.0
) -> Floats:
    """Return the response time that a share `probability` of the jobs stays within.

    Parameters
    ----------
    probability : array_like
        p from 0 to below 1.
    load, copies, mean_service
        As for `redundancy`.

    Returns
    -------
    ndarray
        Seconds, from P(T > t) = (rho + (1 - rho) exp((d - 1) t))^(-d / (d - 1)).

    Raises
    ------
    ValueError
        If an argument is out of range or not whole.

    Examples
    --------
    >>> print(redundancy_quantile([0.5, 0.99], 0.5, 2).round(4))
    [0.6035 2.9444]
    """
    mean, d = positive("mean_service", mean_service), whole("copies", copies, 2)
    rho = float(stable(non_negative("load", load)))
    growth = (1 - probabilities(probability)) ** (-(d - 1) / d)
    return np.asarray(mean * np.log((growth - rho) / (1 - rho)) / (d - 1))
