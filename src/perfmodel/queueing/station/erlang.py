"""Erlang's B and C formulas, from one line to a million, without overflow.

A telephone exchange with c lines loses a call that finds all of them busy (B); a call centre with
c agents makes it wait (C). The sums of a^k / k! in textbooks overflow beyond some 150 lines, and
the usual recursion takes a million steps, of which B remembers only the last few thousand. So
the recursion starts there; with more servers than load, B comes from a Poisson probability.

Sources: A. K. Erlang, 1917; L. Kleinrock, "Queueing Systems", vol. 1, 1975, sections 3.5 and 3.6;
C. Loader, "Fast and accurate computation of binomial probabilities", 2000, for the Poisson term.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.station.result import stable
from perfmodel.validation import Floats, check_shapes, non_negative, whole_numbers

_MOST_SERVERS = 1e12
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)


def erlang_b(servers: ArrayLike, offered_load: ArrayLike) -> Floats:
    """Return the probability that a job is lost at c servers without a waiting room (M/G/c/c).

    Parameters
    ----------
    servers : array_like
        Number of servers c, whole, 0 to 1e12; broadcasts with `offered_load`.
    offered_load : array_like
        a = arrival rate times mean service time, in erlangs, 0 or more; it may exceed c.

    Returns
    -------
    ndarray
        B(c, a) to a relative 1e-12 for up to a million servers; 0 below the smallest double. It
        depends on the distribution of the service time only through its mean.

    Examples
    --------
    >>> print(erlang_b(2, 1.0))
    0.2
    >>> print(erlang_b(1_000_000, 1_000_000.0).round(9))
    0.00079746
    """
    c = whole_numbers("servers", servers, 0, _MOST_SERVERS)
    a = non_negative("offered_load", offered_load)
    check_shapes(servers=c, offered_load=a)
    return np.asarray(np.vectorize(_blocking, otypes=[float])(c, a))[()]


def erlang_c(servers: ArrayLike, offered_load: ArrayLike) -> Floats:
    """Return the probability that a job has to wait at c servers with one queue (M/M/c).

    Parameters
    ----------
    servers : array_like
        Number of servers c, whole, 1 to 1e12; broadcasts with `offered_load`.
    offered_load : array_like
        a = arrival rate times mean service time, in erlangs, from 0 to below c.

    Returns
    -------
    ndarray
        C(c, a) = c B / (c - a (1 - B)), to a relative 1e-12 for up to a million servers.

    Raises
    ------
    ValueError
        If `servers` is not whole, an argument is negative, or the utilization a / c is not below 1.

    Examples
    --------
    >>> print(erlang_c([1, 2, 4, 10], [0.8, 1.6, 3.2, 8.0]).round(4))
    [0.8    0.7111 0.5964 0.4092]
    """
    c = whole_numbers("servers", servers, 1, _MOST_SERVERS)
    a = non_negative("offered_load", offered_load)
    check_shapes(servers=c, offered_load=a)
    stable(a / c)
    lost = erlang_b(c, a)
    return np.asarray(c * lost / (c - a + a * lost))[()]


def _blocking(c: float, a: float) -> float:
    if c == 0 or a == 0:
        return float(c == 0)
    if a >= c:
        return 1 / _above(c, a)
    last = _poisson(c, a)
    return last / (1 - last * _beyond(c, a))


def _window(c: float, a: float) -> int:
    """Steps after which what lies further off counts for less than 1e-16."""
    near = 9 * math.sqrt(c) + 60
    return int(min(near, 60 + 40 * max(a, c) / abs(a - c))) if a != c else int(near)


def _above(c: float, a: float) -> float:
    """Erlang's recursion for 1 / B, started just as many servers below c as it remembers."""
    inverse = 1.0
    for lower in range(min(int(c), _window(c, a)) - 1, -1, -1):
        inverse = 1 + inverse * (c - lower) / a
    return inverse


def _beyond(c: float, a: float) -> float:
    """Poisson probability of more than c over that of exactly c, for a < c."""
    ratio = 0.0
    for i in range(_window(c, a), 0, -1):
        ratio = (1 + ratio) * a / (c + i)
    return ratio


def _poisson(c: float, a: float) -> float:
    """Probability of c at mean a > 0, by Stirling's series and Loader's deviance."""
    if c < 16:
        return math.exp(-a) * math.prod(a / i for i in range(1, int(c) + 1))
    series = sum(term / c ** (2 * i + 1) for i, term in enumerate(_STIRLING))
    return math.exp(-series - _deviance(c, a)) / math.sqrt(2 * math.pi * c)


def _deviance(c: float, a: float) -> float:
    """Return c log(c / a) + a - c without cancellation where the two are close."""
    v = (c - a) / (c + a)
    if abs(v) > 0.6:
        return c * (math.log(c) - math.log(a)) + a - c
    tail = sum(v ** (2 * j + 1) / (2 * j + 1) for j in range(1, 40))
    return (c - a) * v + 2 * c * tail
