"""How many servers: exact minima by Erlang's formulas, and the square-root rule.

A call centre of R erlangs needs R agents to keep up and some c sqrt(R) more to keep up well: the
safety margin grows with the square root, so that large sites need relatively little of it.

Sources: S. Halfin and W. Whitt, "Heavy-traffic limits for queues with many exponential servers",
Operations Research 29(3), 1981; M. Harchol-Balter, "Performance Modeling and Design of Computer
Systems", 2013, chapter 15.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr

from perfmodel.queueing.station.erlang import erlang_b, erlang_c
from perfmodel.queueing.station.mmc import mmc_waiting_tail
from perfmodel.validation import Floats, check_shapes, non_negative, one_number, positive

_MOST_LOAD = 1e9
_ROOT_TWO_PI = math.sqrt(2 * math.pi)


def servers_for_waiting(offered_load: ArrayLike, wait_probability: ArrayLike) -> Floats:
    """Return the fewest servers that make at most a given share of the jobs wait (M/M/c).

    Parameters
    ----------
    offered_load : array_like
        R = arrival rate times mean service time, in erlangs, above 0, up to 1e9. Both broadcast.
    wait_probability : array_like
        Largest share of the jobs that may have to wait, above 0 and below 1.

    Returns
    -------
    ndarray
        Whole numbers, the exact minima by Erlang's C.

    Examples
    --------
    >>> print(servers_for_waiting([25, 100, 1000, 10000], 0.2))
    [   31.   111.  1034. 10107.]
    """
    offered, target = _offered(offered_load), _share(wait_probability)
    check_shapes(offered_load=offered, wait_probability=target)
    search = np.vectorize(_fewest_for_waiting, otypes=[float])
    return np.asarray(search(offered, target))[()]


def servers_for_blocking(offered_load: ArrayLike, loss_probability: ArrayLike) -> Floats:
    """Return the fewest servers without a waiting room that lose at most a given share (M/G/c/c).

    Parameters
    ----------
    offered_load : array_like
        a in erlangs, above 0, up to 1e9. Both broadcast.
    loss_probability : array_like
        Largest share of the jobs that may be lost, above 0 and below 1.

    Returns
    -------
    ndarray
        Whole numbers, the exact minima by Erlang's B.

    Examples
    --------
    >>> print(servers_for_blocking([1.0, 100.0], 0.01))
    [  5. 117.]
    """
    offered, target = _offered(offered_load), _share(loss_probability, "loss_probability")
    check_shapes(offered_load=offered, loss_probability=target)
    search = np.vectorize(
        lambda a, p: _fewest(lambda c: float(erlang_b(c, a)) <= p, 1), otypes=[float]
    )
    return np.asarray(search(offered, target))[()]


def servers_for_percentile(
    *, arrival_rate: float, service_rate: float, time: float, probability: float
) -> int:
    """Return the fewest servers that start a share of the jobs within a given time (M/M/c).

    Parameters
    ----------
    arrival_rate, service_rate : float
        Jobs per second that arrive, and that one server can do, above 0.
    time : float
        Waiting time in seconds that is promised, 0 or more.
    probability : float
        Share of the jobs that the promise must hold for, above 0 and below 1.

    Returns
    -------
    int
        The exact minimum.

    Examples
    --------
    >>> servers_for_percentile(arrival_rate=10, service_rate=1, time=0.5, probability=0.9)
    13
    """
    rate = one_number("arrival_rate", arrival_rate, positive)
    mu = one_number("service_rate", service_rate, positive)
    t = one_number("time", time, non_negative)
    late = 1 - one_number("probability", probability, lambda name, value: _share(value, name))
    if rate / mu > _MOST_LOAD:
        raise ValueError(
            f"arrival_rate must be at most {_MOST_LOAD:g} times service_rate, got {rate / mu:g}"
        )
    fewest = math.floor(rate / mu) + 1
    return _fewest(lambda c: float(mmc_waiting_tail(t, rate, mu, c)) <= late, fewest)


def square_root_staffing(offered_load: ArrayLike, wait_probability: ArrayLike) -> Floats:
    """Return the rule's number of servers, R + c sqrt(R) rounded up.

    Parameters
    ----------
    offered_load : array_like
        R in erlangs, above 0. Both broadcast.
    wait_probability : array_like
        Share of the jobs that may have to wait, above 0 and below 1; it sets c.

    Returns
    -------
    ndarray
        Whole numbers; a first guess that can be one off, see `servers_for_waiting`.

    Examples
    --------
    >>> print(square_root_staffing([25, 40, 400], 0.2))
    [ 31.  47. 422.]
    """
    offered, target = positive("offered_load", offered_load), _share(wait_probability)
    check_shapes(offered_load=offered, wait_probability=target)
    return np.ceil(offered + safety_factor(wait_probability) * np.sqrt(offered))


def halfin_whitt_wait(safety: ArrayLike) -> Floats:
    """Return the share of jobs that wait with R + c sqrt(R) servers, as R grows without limit.

    Parameters
    ----------
    safety : array_like
        c, 0 or more.

    Returns
    -------
    ndarray
        1 / (1 + c Phi(c) / phi(c)), with the standard normal distribution and density.

    Examples
    --------
    >>> print(halfin_whitt_wait([0, 1, 1.0615]).round(3))
    [1.    0.223 0.2  ]
    """
    c = non_negative("safety", safety)
    with np.errstate(over="ignore"):
        hazard = np.exp(log_ndtr(c) + c**2 / 2) * _ROOT_TWO_PI
        return np.asarray(1 / (1 + c * hazard))


def safety_factor(wait_probability: ArrayLike) -> Floats:
    """Return the c of the square-root rule at which a given share of the jobs waits.

    Parameters
    ----------
    wait_probability : array_like
        Share of the jobs that may have to wait, above 0 and below 1.

    Returns
    -------
    ndarray
        c above 0, the inverse of `halfin_whitt_wait`.

    Examples
    --------
    >>> print(safety_factor(0.2).round(4))
    1.0615
    """
    solve = np.vectorize(_safety_factor, otypes=[float])
    return np.asarray(solve(_share(wait_probability)))[()]


def _safety_factor(target: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(lambda c: float(halfin_whitt_wait(c)) - target, 0.0, 40.0))


def _fewest_for_waiting(offered_load: float, target: float) -> float:
    enough = math.floor(offered_load) + 1
    return _fewest(lambda c: float(erlang_c(c, offered_load)) <= target, enough)


def _fewest(enough: Callable[[int], bool], least: int) -> int:
    """Return the smallest whole number of `least` or more that is enough, by doubling steps."""
    step, high = 1, least
    low = least - 1
    while not enough(high):
        low, high, step = high, high + step, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _offered(value: ArrayLike) -> Floats:
    offered = positive("offered_load", value)
    if (offered > _MOST_LOAD).any():
        raise ValueError(f"offered_load must be at most {_MOST_LOAD:g}, got {value!r}")
    return offered


def _share(value: ArrayLike, name: str = "wait_probability") -> Floats:
    share = positive(name, value)
    if not (share < 1).all():
        raise ValueError(f"{name} must be above 0 and below 1, got {value!r}")
    return share
