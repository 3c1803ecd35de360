"""Percentiles of the waiting time in M/G/1, for any distribution of the service time.

A mean says little about a queue whose users notice the slowest request in a hundred. The transform
of the waiting time is known for every service distribution (Pollaczek-Khinchine). It is inverted
numerically at the given times.

Sources: L. Kleinrock, "Queueing Systems", vol. 1, 1975, equation 5.105; J. Abate and W. Whitt,
"Numerical inversion of Laplace transforms of probability distributions", ORSA Journal on Computing
7(1), 1995 (the EULER algorithm); G. J. Franx, "A simple solution for the M/D/c waiting time
distribution", Operations Research Letters 29(5), 2001.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb, factorial

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, pdtrc

from perfmodel.queueing.distributions.quadrature import Complex, transform
from perfmodel.queueing.distributions.service import Service, checked_service
from perfmodel.queueing.distributions.tails import checked_probability, invert_tail
from perfmodel.queueing.station.result import stable
from perfmodel.validation import (
    Floats,
    at_most,
    check_shapes,
    non_negative,
    one_number,
    positive,
)

_A, _TERMS, _AVERAGED = 22.0, 40, 14
_LARGEST = 1 - 1e-7
_SMALL = 0.1
"""Below it, in mean service times, a transform has too few digits left to be subtracted from 1."""
_SERIES = [(-1) ** k / factorial(k + 2) for k in range(9, -1, -1)]
_PERIODS = 256
"""Service times after which M/D/1's tail is its last exponential, to all digits."""


def mg1_waiting_tail(time: ArrayLike, arrival_rate: float, service: Service) -> Floats:
    """Return P(waiting time > t) in M/G/1, first come first served.

    Parameters
    ----------
    time : array_like
        t in seconds, 0 or more.
    arrival_rate : float
        lambda in jobs per second, above 0.
    service : Service
        Law of the service time; only its transform is used.

    Returns
    -------
    ndarray
        Probability from 0 to 1, to about 1e-8 where the law is smooth, up to a utilization of
        0.9999, and 1e-3 near a kink, which a law with atoms has; see `md1_waiting_tail` for
        constant service.

    Raises
    ------
    ValueError
        If an argument is out of range or the utilization is not below 1.

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import Exponential
    >>> print(mg1_waiting_tail([0.0, 10.0], 0.8, Exponential(1.0)).round(7))
    [0.8       0.1082682]
    """
    t, rate = non_negative("time", time), one_number("arrival_rate", arrival_rate, positive)
    check_shapes(time=t)
    rho = float(stable(rate * checked_service("service", service).moment(1)))
    later = np.where(t > 0, t, 1.0)
    tail = _euler(lambda s: _tail_transform(s, rate, rho, service), later)
    return np.clip(np.where(t > 0, tail, rho), 0.0, 1.0)[()]


def mg1_waiting_quantile(probability: ArrayLike, arrival_rate: float, service: Service) -> Floats:
    """Return the waiting time in seconds that a share `probability` of M/G/1's jobs stays within.

    Parameters
    ----------
    probability : array_like
        p from 0 to 0.9999999, where the inversion ends.
    arrival_rate : float
        lambda in jobs per second, above 0.
    service : Service
        Law of the service time.

    Returns
    -------
    ndarray
        The root of `mg1_waiting_tail` at 1 - p; 0 where a share p does not wait.

    Raises
    ------
    ValueError
        If an argument is out of range or the utilization is not below 1.

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import Exponential
    >>> print(mg1_waiting_quantile([0.5, 0.95], 0.8, Exponential(1.0)).round(5))
    [ 2.35002 13.86294]
    """
    p = at_most("probability", checked_probability(probability), _LARGEST)
    return invert_tail(lambda t: mg1_waiting_tail(t, arrival_rate, service), p)


def md1_waiting_tail(time: ArrayLike, arrival_rate: float, service_time: float) -> Floats:
    """Return P(waiting time > t) in M/D/1, first come first served, by Franx's sum.

    Parameters
    ----------
    time : array_like
        t in seconds, 0 or more.
    arrival_rate : float
        lambda in jobs per second, above 0.
    service_time : float
        D in seconds, the same for every job, above 0.

    Returns
    -------
    ndarray
        Probability from 0 to 1, to a relative 1e-10 however small: all terms are positive, and
        nothing is subtracted from 1. Beyond 256 service times it falls exponentially.

    Raises
    ------
    ValueError
        If an argument is out of range or the utilization is not below 1.

    Examples
    --------
    >>> print(md1_waiting_tail([0.0, 1.0], 0.5, 1.0).round(6))
    [0.5      0.175639]
    >>> print(f"{md1_waiting_tail(30.0, 0.5, 1.0):.6g}")
    2.82076e-17
    """
    t, rate = non_negative("time", time), one_number("arrival_rate", arrival_rate, positive)
    check_shapes(time=t)
    step = one_number("service_time", service_time, positive)
    rho = float(stable(rate * step))
    periods = t / step
    near = periods < _PERIODS
    tail = _last_exponential(periods, rho)
    longest = int(periods[near].max(initial=0.0)) + 1
    more = _departure_tail(rho, longest)
    tail[near] = [_franx(more[: int(p) + 1], rho * (int(p) + 1 - p)) for p in periods[near]]
    return tail[()]


def _franx(more: Floats, mean: float) -> float:
    """Weigh P(more than j jobs waiting) with the Poisson chances of mean `mean`."""
    ranks = np.arange(more.size)
    logs = ranks * np.log(mean) - gammaln(ranks + 1) - mean
    return float(np.exp(logs) @ more[::-1] + pdtrc(more.size - 1, mean))


def _departure_tail(rho: float, count: int) -> Floats:
    """Return P(more than n + 1 jobs present), n below `count`, seen at M/D/1's departures.

    The rates up across a level and down across it are equal, which gives the law, and their sum
    over all higher levels its tail: both in positive terms only.
    """
    ranks = np.arange(count + 200)
    beyond = pdtrc(ranks, rho)
    excess = np.cumsum(beyond[::-1])[::-1]
    law = np.zeros(count + 1)
    law[0] = 1 - rho
    for n in range(1, count + 1):
        below = law[0] * beyond[n - 1] + law[1:n] @ beyond[n - 1 : 0 : -1]
        law[n] = below * np.exp(rho)
    sums = [law[1 : n + 1] @ excess[n:0:-1] for n in range(1, count + 1)]
    return np.asarray(excess[1 : count + 1] + np.array(sums) / (1 - rho))


def _last_exponential(periods: Floats, rho: float) -> Floats:
    """Return C exp(-decay t), t in service times, from the pole next to 0 of the transform."""
    from scipy.optimize import brentq

    start = 2 * (1 - rho)
    end = start
    while np.log1p(end / rho) > end:
        end *= 2
    decay = float(brentq(lambda x: np.log1p(x / rho) - x, start / 2, end, xtol=1e-15 * start))
    return np.asarray((1 - rho) / (rho + decay - 1) * np.exp(-decay * periods))


def _tail_transform(s: Complex, rate: float, rho: float, service: Service) -> Complex:
    """Return (1 - W(s)) / s by Pollaczek and Khinchine, without the difference."""
    residual = _residual_transform(s, service)
    return np.asarray(rho * residual / (1 - rho + rho * s * residual))


def _residual_transform(s: Complex, service: Service) -> Complex:
    """Return the transform of the tail of the residual service time, (1 - R(s)) / s."""
    mean = service.moment(1)
    small = np.abs(s) * mean < _SMALL
    large = np.where(small, 1 / mean, s)
    values = np.asarray((large * mean - 1 + service.laplace(large)) / large / (large * mean))
    if small.any() and hasattr(service, "quadrature"):
        nodes, weights = service.quadrature()
        rule = nodes, weights * nodes**2 / mean
        values[small] = transform(rule, _second_difference, s[small])
    return values


def _second_difference(z: Complex) -> Complex:
    """Return (exp(-z) - 1 + z) / z^2, by its series where it would cancel.

    >>> print(_second_difference(np.array([0.0, 1.0])).round(6))
    [0.5      0.367879]
    """
    small = np.abs(z) < 0.1
    values, large = np.empty_like(z), z[~small]
    values[small] = np.polyval(_SERIES, z[small])
    values[~small] = (np.exp(-large) - 1 + large) / large**2
    return values


def _euler(transform: Callable[[Complex], Complex], time: Floats) -> Floats:
    """Invert a transform by the Fourier series of its real part, with Euler summation."""
    ranks = np.arange(_TERMS + _AVERAGED + 1)
    points = np.asarray((_A + 2j * np.pi * ranks) / (2 * time[..., np.newaxis]), dtype=complex)
    values = np.real(transform(points))
    terms = np.where(ranks == 0, 0.5, (-1.0) ** ranks) * values
    sums = np.cumsum(terms, axis=-1)[..., _TERMS:]
    weights = np.array([comb(_AVERAGED, k) for k in range(_AVERAGED + 1)]) / 2.0**_AVERAGED
    return np.asarray(np.exp(_A / 2) / time * (sums @ weights))
