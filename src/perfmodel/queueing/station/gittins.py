"""Ranks of jobs whose sizes are unknown but whose law is known: SERPT and Gittins.

A job has run for a while; is it about to end, or one of the long ones? The size distribution and
the job's age together give an expected remaining size (SERPT) or, better, the best ratio of work
invested to chance of completion (Gittins). The lowest rank runs.

Source: M. Harchol-Balter and Z. Scully, "The most common queueing theory questions asked by
computer systems practitioners", TeaPACS 2021; J. C. Gittins, "Multi-armed Bandit Allocation
Indices", Wiley, 1989.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.service import Service, checked_service
from perfmodel.validation import Floats, check_shapes, non_negative, whole

_LEAST_SHARE = 1e-7
"""Of the jobs, that must end by a stop for its ratio to have digits."""
_SEARCH, _MOST_TRIED, _PIECE = 1000, 10**8, 500_000
"""Stops' worth of the search between two; ages times stops, in all and at once."""


def serpt_rank(age: ArrayLike, service: Service) -> Floats:
    """Return the expected remaining size E[S - a | S > a] of a job of age a.

    Parameters
    ----------
    age : array_like
        Service a that the job has had, in seconds, 0 or more.
    service : Service
        Law of the job sizes.

    Returns
    -------
    ndarray
        Seconds of work; the lowest rank runs first.

    Raises
    ------
    ValueError
        If an age is negative or no job grows so old.

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import Empirical
    >>> print(serpt_rank([0, 9], Empirical((1, 13))))
    [7. 4.]
    """
    a, older = _older("age", age, service)
    return np.asarray((service.moment(1) - service.partial_moment(1, a)) / older - a)


def gittins_rank(age: ArrayLike, service: Service) -> Floats:
    """Return Gittins' rank: the least E[min(S - a, D)] / P(S - a <= D), given S > a, over D > 0.

    Parameters
    ----------
    age : array_like
        Service a that the job has had, in seconds, 0 or more; at most 10^8 ages over the number of
        stops and 1,000: 39,432 for the exponential distribution.
    service : Service
        Law of the job sizes; stops D are tried at its atoms, or at some 1,000 quadrature nodes, and
        between the two neighbours of the best one.

    Returns
    -------
    ndarray
        Seconds of work per completion, to about 1e-5, at most the SERPT rank; the lowest rank runs
        first.

    Raises
    ------
    ValueError
        If an age is negative, no job grows so old, or there are too many ages.

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import Empirical
    >>> print(gittins_rank([0, 9], Empirical((1, 13))))
    [2. 4.]
    """
    a, _ = _older("age", age, service)
    ends = service.quadrature()[0]
    whole("number of ages", a.size, 1, _MOST_TRIED // (ends.size + _SEARCH))
    piece = max(1, _PIECE // (ends.size + _SEARCH))
    pieces = np.split(a.ravel(), range(piece, a.size, piece))
    return np.concatenate([_ranks(ages, ends, service) for ages in pieces]).reshape(a.shape)


def _ranks(age: Floats, ends: Floats, service: Service) -> Floats:
    """Return Gittins' ranks of ages, shape (n,), trying all stops `ends` at once."""
    ratio = _per_completion(age[:, np.newaxis], service)(ends)
    best = ratio.argmin(-1)
    low = np.maximum(age, np.concatenate([[0.0], ends])[best])
    high = np.maximum(low, np.append(ends, ends[-1])[best + 1])
    between = _least_between(low, high, _per_completion(age, service))
    return np.asarray(np.minimum(ratio.min(-1), np.minimum(between, serpt_rank(age, service))))


def _per_completion(age: Floats, service: Service) -> Callable[[Floats], Floats]:
    """Return a function of `stop`: the work done up to that age per job that ends by then."""
    begun, worked = (service.partial_moment(order, age) for order in (0, 1))
    older = 1 - begun

    def ratio(stop: Floats) -> Floats:
        ended = service.partial_moment(0, stop)
        done = ended - begun
        work = service.partial_moment(1, stop) - worked - age * done
        invested = work + (stop - age) * (1 - ended)
        tried = (stop > age) & (done > _LEAST_SHARE * older)
        return np.where(tried, invested / np.where(tried, done, 1), np.inf)

    return ratio


def _least_between(low: Floats, high: Floats, value: Callable[[Floats], Floats]) -> Floats:
    """Return the least value between two ends by golden sections, for all elements at once."""
    golden = (np.sqrt(5) - 1) / 2
    for _ in range(32):
        left, right = high - golden * (high - low), low + golden * (high - low)
        lower = value(left) < value(right)
        low, high = np.where(lower, low, left), np.where(lower, right, high)
    return np.minimum(value(low), value(high))


def _older(name: str, age: ArrayLike, service: Service) -> tuple[Floats, Floats]:
    a = non_negative(name, age)
    check_shapes(age=a)
    checked_service("service", service)
    older = np.asarray(1 - service.partial_moment(0, a))
    if not (older > 1e-12).all():
        raise ValueError(f"{name} must be below the largest size, got {age!r}")
    return a, older
