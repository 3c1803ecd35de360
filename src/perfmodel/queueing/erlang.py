"""Erlang's B and C formulas, from one line to a million, without overflow.

A telephone exchange with c lines loses a call that finds all of them busy (B); a call centre with
c agents makes it wait (C). The sums of a^k / k! in textbooks overflow beyond some 150 lines, and
the usual recursion takes a million steps; here B is the ratio of a Poisson probability to an
incomplete gamma function, each computed where it is accurate.

Sources: A. K. Erlang, 1917; L. Kleinrock, "Queueing Systems", vol. 1, 1975, sections 3.5 and 3.6;
C. Loader, "Fast and accurate computation of binomial probabilities", 2000, for the Poisson term.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincc

from perfmodel.queueing.result import stable, whole_numbers
from perfmodel.validation import Floats, non_negative

_FRACTION_TERMS = 60
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)


def erlang_b(servers: ArrayLike, offered_load: ArrayLike) -> Floats:
    """Return the probability that a job is lost at c servers without a waiting room (M/G/c/c).

    Parameters
    ----------
    servers : array_like
        Number of servers c, whole, 0 or more; broadcasts with `offered_load`.
    offered_load : array_like
        a = arrival rate times mean service time, in erlangs, 0 or more; it may exceed c.

    Returns
    -------
    ndarray
        B(c, a) to a relative 1e-12 for up to a million servers; 0 below the smallest double. It
        does not depend on the law of the service time beyond its mean.

    Raises
    ------
    ValueError
        If `servers` is not whole, or an argument is negative or not finite.

    Examples
    --------
    >>> print(erlang_b(2, 1.0))
    0.2
    >>> print(erlang_b(1_000_000, 1_000_000.0).round(9))
    0.00079746
    """
    c, a = np.broadcast_arrays(
        whole_numbers("servers", servers, 0), non_negative("offered_load", offered_load)
    )
    lost = np.where(c == 0, 1.0, 0.0)
    busy = (c > 0) & (a > 0)
    steep = busy & (a - c > 6 * np.sqrt(c) + 1)
    near = busy & ~steep
    lost[steep] = _continued_fraction(c[steep], a[steep])
    lost[near] = _poisson(c[near], a[near]) / gammaincc(c[near] + 1, a[near])
    return lost[()]


def erlang_c(servers: ArrayLike, offered_load: ArrayLike) -> Floats:
    """Return the probability that a job has to wait at c servers with one queue (M/M/c).

    Parameters
    ----------
    servers : array_like
        Number of servers c, whole, 1 or more; broadcasts with `offered_load`.
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
    c = whole_numbers("servers", servers, 1)
    a = non_negative("offered_load", offered_load)
    stable(a / c)
    lost = erlang_b(c, a)
    return np.asarray(c * lost / (c - a + a * lost))[()]


def _continued_fraction(c: Floats, a: Floats) -> Floats:
    """Legendre's fraction for the incomplete gamma function, quick where a is well above c."""
    tail = a - c + 2 * _FRACTION_TERMS
    for i in range(_FRACTION_TERMS, 0, -1):
        tail = a - c + 2 * (i - 1) + i * (c + 1 - i) / tail
    return tail / a


def _poisson(c: Floats, a: Floats) -> Floats:
    """Probability of c at mean a > 0, by Stirling's series and Loader's deviance."""
    inverse = 1 / c
    series = np.zeros_like(c)
    for coefficient in reversed(_STIRLING):
        series = series * inverse**2 + coefficient
    big = np.exp(-series * inverse - _deviance(c, a)) / np.sqrt(2 * np.pi * c)
    return np.where(c < 16, _poisson_product(c, a), big)


def _poisson_product(c: Floats, a: Floats) -> Floats:
    product = np.exp(-a)
    for i in range(1, 16):
        product = np.where(i <= c, product * a / i, product)
    return product


def _deviance(c: Floats, a: Floats) -> Floats:
    """Return c log(c / a) + a - c without cancellation where the two are close."""
    v = (c - a) / (c + a)
    term, total = 2 * c * v, (c - a) * v
    for j in range(1, 20):
        term = term * v**2
        total = total + term / (2 * j + 1)
    return np.where(np.abs(v) < 0.3, total, c * np.log(c / a) + a - c)
