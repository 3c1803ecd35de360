"""Percentiles of the waiting time in M/G/1, for any law of the service time.

A mean says little about a queue whose users notice the slowest request in a hundred. The transform
of the waiting time is known for every law of service (Pollaczek-Khinchine), and is inverted here
numerically at the times asked for.

Sources: L. Kleinrock, "Queueing Systems", vol. 1, 1975, equation 5.105; J. Abate and W. Whitt,
"Numerical inversion of Laplace transforms of probability distributions", ORSA Journal on Computing
7(1), 1995 (the EULER algorithm); G. J. Franx, "A simple solution for the M/D/c waiting time
distribution", Operations Research Letters 29(5), 2001.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.quadrature import Complex
from perfmodel.queueing.distributions.service import Service
from perfmodel.queueing.distributions.tails import invert_tail
from perfmodel.queueing.station.result import stable
from perfmodel.validation import Floats, non_negative, positive

_A, _TERMS, _AVERAGED = 22.0, 40, 14


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
        Probability from 0 to 1, to about 1e-8 where the law is smooth, and 1e-3 near a kink,
        which a law with atoms has; see `md1_waiting_tail` for constant service.

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
    t, rate = non_negative("time", time), float(positive("arrival_rate", arrival_rate))
    rho = float(stable(rate * service.moment(1)))
    later = np.where(t > 0, t, 1.0)
    tail = _euler(lambda s: _tail_transform(s, rate, rho, service), later)
    return np.clip(np.where(t > 0, tail, rho), 0.0, 1.0)[()]


def mg1_waiting_quantile(probability: ArrayLike, arrival_rate: float, service: Service) -> Floats:
    """Return the waiting time in seconds that a share `probability` of M/G/1's jobs stays within.

    Parameters
    ----------
    probability : array_like
        p from 0 to below 1 (up to about 1 - 1e-7, where the inversion ends).
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
    return invert_tail(lambda t: mg1_waiting_tail(t, arrival_rate, service), probability)


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
        Probability from 0 to 1. All terms are positive, unlike those of Erlang's own sum.

    Raises
    ------
    ValueError
        If an argument is out of range or the utilization is not below 1.

    Examples
    --------
    >>> print(md1_waiting_tail([0.0, 1.0], 0.5, 1.0).round(6))
    [0.5      0.175639]
    """
    t, rate = non_negative("time", time), float(positive("arrival_rate", arrival_rate))
    step = float(positive("service_time", service_time))
    rho = float(stable(rate * step))
    periods = np.floor(t / step).astype(int) + 1
    waiting = np.cumsum(_departure_law(rho, int(periods.max()) + 1))[1:]
    tail = [
        1 - _franx(waiting[:count], rate * (count * step - moment))
        for count, moment in zip(periods.ravel(), t.ravel(), strict=True)
    ]
    return np.asarray(np.clip(np.array(tail).reshape(t.shape), 0.0, 1.0))[()]


def _franx(waiting: Floats, mean: float) -> float:
    """Weigh P(at most j jobs waiting) with the Poisson chances of mean `mean`."""
    ranks = np.arange(waiting.size)
    logs = ranks * np.log(mean) - np.cumsum(np.log(np.maximum(ranks, 1))) - mean
    return float(np.exp(logs) @ waiting[::-1])


def _departure_law(rho: float, count: int) -> Floats:
    """Return P(n jobs present), n below `count`, in M/D/1, by the chain seen at departures."""
    ranks = np.arange(count + 1)
    arrivals = np.exp(ranks * np.log(rho) - np.cumsum(np.log(np.maximum(ranks, 1))) - rho)
    more = 1 - np.cumsum(arrivals)
    law = np.zeros(count)
    law[0] = 1 - rho
    for n in range(1, count):
        below = law[0] * more[n - 1] + law[1:n] @ more[n - 1 : 0 : -1]
        law[n] = below / arrivals[0]
    return law


def _tail_transform(s: Complex, rate: float, rho: float, service: Service) -> Complex:
    waiting = (1 - rho) * s / (s - rate + rate * service.laplace(s))
    return np.asarray((1 - waiting) / s)


def _euler(transform: Callable[[Complex], Complex], time: Floats) -> Floats:
    """Invert a transform by the Fourier series of its real part, with Euler summation."""
    ranks = np.arange(_TERMS + _AVERAGED + 1)
    points = np.asarray((_A + 2j * np.pi * ranks) / (2 * time[..., np.newaxis]), dtype=complex)
    values = np.real(transform(points))
    terms = np.where(ranks == 0, 0.5, (-1.0) ** ranks) * values
    sums = np.cumsum(terms, axis=-1)[..., _TERMS:]
    weights = np.array([comb(_AVERAGED, k) for k in range(_AVERAGED + 1)]) / 2.0**_AVERAGED
    return np.asarray(np.exp(_A / 2) / time * (sums @ weights))
