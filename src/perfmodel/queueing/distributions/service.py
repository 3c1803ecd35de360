"""Laws of service times, interarrival times and job sizes: frozen dataclasses with one interface.

Take the sizes of jobs at a disk: their mean sets the utilization, their second moment the waiting
(Pollaczek-Khinchine), and how much of the work is in jobs up to a size x, the `partial_moment`,
what a scheduler that favours short jobs can do. Every law here knows these three.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.heavy_tail import BoundedPareto, Empirical, Lognormal
from perfmodel.queueing.distributions.light_tail import (
    Deterministic,
    Erlang,
    Exponential,
    Hyperexponential,
    Uniform,
)
from perfmodel.queueing.distributions.quadrature import Complex
from perfmodel.validation import Floats

__all__ = [
    "BoundedPareto",
    "Deterministic",
    "Empirical",
    "Erlang",
    "Exponential",
    "Hyperexponential",
    "Lognormal",
    "Service",
    "Uniform",
    "cdf",
    "checked_service",
    "mean_residual",
    "scv",
    "tail",
]


class Service(Protocol):
    """What every law offers; times are in seconds."""

    def moment(self, order: int) -> float:
        """Return E[S^order]; order 0 gives 1 and order 1 the mean."""

    def partial_moment(self, order: int, size: ArrayLike) -> Floats:
        """Return E[S^order; S <= size]: order 0 is the distribution function."""

    def laplace(self, s: ArrayLike) -> Complex:
        """Return E[exp(-s S)], for complex s with a real part of 0 or more."""

    def sample(self, rng: np.random.Generator, count: int) -> Floats:
        """Return `count` independent draws from the generator `rng`."""

    def breaks(self) -> Floats:
        """Return points from 0 to the end of the support between which the law is smooth."""

    def quadrature(self) -> tuple[Floats, Floats]:
        """Return nodes x and weights w such that E[g(S)] is the sum of w g(x)."""


def checked_service(name: str, distribution: Service) -> Service:
    """Return `distribution`, refusing a number or anything else that is no law.

    >>> checked_service("service", 2.0)
    Traceback (most recent call last):
        ...
    ValueError: service must be a law such as Exponential(1.0), got 2.0
    """
    if isinstance(distribution, type) or not (
        hasattr(distribution, "moment") and hasattr(distribution, "laplace")
    ):
        raise ValueError(f"{name} must be a law such as Exponential(1.0), got {distribution!r}")
    return distribution


def scv(distribution: Service) -> float:
    """Return the squared coefficient of variation of a law, Var(S) / E[S]^2.

    The `distribution` is any law of the package.

    >>> scv(Exponential(2.0)), scv(Deterministic(2.0)), scv(Erlang(1.0, 4))
    (1.0, 0.0, 0.25)
    """
    checked_service("distribution", distribution)
    return max(0.0, distribution.moment(2) / distribution.moment(1) ** 2 - 1)


def mean_residual(distribution: Service) -> float:
    """Return the mean time that is left of an interval of a law when a random observer lands in it.

    Long intervals are hit more often than short ones, so it is E[S^2] / (2 E[S]) and not half
    the mean (the inspection paradox); in the seconds of `distribution`.

    >>> mean_residual(Exponential(10.0)), mean_residual(Deterministic(10.0))
    (10.0, 5.0)
    """
    checked_service("distribution", distribution)
    return distribution.moment(2) / (2 * distribution.moment(1))


def cdf(distribution: Service, size: ArrayLike) -> Floats:
    """Return P(S <= size), the distribution function of a law.

    Parameters
    ----------
    distribution : Service
        Law of the sizes.
    size : array_like
        In the law's unit, seconds.

    Returns
    -------
    ndarray
        Probability from 0 to 1.

    Examples
    --------
    >>> print(cdf(Uniform(0, 4), [1, 3]))
    [0.25 0.75]
    """
    return checked_service("distribution", distribution).partial_moment(0, size)


def tail(distribution: Service, size: ArrayLike) -> Floats:
    """Return P(S > size), the share of a law beyond a size.

    Parameters
    ----------
    distribution : Service
        Law of the sizes.
    size : array_like
        In the law's unit, seconds.

    Returns
    -------
    ndarray
        Probability from 0 to 1.

    Examples
    --------
    >>> print(tail(Uniform(0, 4), [1, 3]))
    [0.75 0.25]
    """
    return 1 - checked_service("distribution", distribution).partial_moment(0, size)
