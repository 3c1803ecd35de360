"""Ranks of jobs whose sizes are unknown but whose law is known: SERPT and Gittins.

A job has run for a while; is it about to end, or one of the long ones? The law of sizes and the
job's age together give an expected remaining size (SERPT) or, better, the best ratio of work
invested to chance of completion (Gittins). The lowest rank runs.

Source: M. Harchol-Balter and Z. Scully, "The most common queueing theory questions asked by
computer systems practitioners", TeaPACS 2021; J. C. Gittins, "Multi-armed Bandit Allocation
Indices", Wiley, 1989.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.service import Service
from perfmodel.validation import Floats, non_negative


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
        Service a that the job has had, in seconds, 0 or more.
    service : Service
        Law of the job sizes; stops D are tried at its atoms, or at some 1,000 quadrature nodes.

    Returns
    -------
    ndarray
        Seconds of work per completion, at most the SERPT rank; the lowest rank runs first.

    Raises
    ------
    ValueError
        If an age is negative or no job grows so old.

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import Empirical
    >>> print(gittins_rank([0, 9], Empirical((1, 13))))
    [2. 4.]
    """
    a, older = _older("age", age, service)
    ends = service.quadrature()[0]
    start = a[..., np.newaxis]
    done = service.partial_moment(0, ends) - service.partial_moment(0, start)
    work = service.partial_moment(1, ends) - service.partial_moment(1, start) - start * done
    invested = work + (ends - start) * (1 - service.partial_moment(0, ends))
    tried = (ends > start) & (done > 1e-9 * older[..., np.newaxis])
    ratio = np.where(tried, invested / np.where(tried, done, 1), np.inf)
    return np.asarray(np.minimum(ratio.min(-1), serpt_rank(a, service)))


def _older(name: str, age: ArrayLike, service: Service) -> tuple[Floats, Floats]:
    a = non_negative(name, age)
    older = np.asarray(1 - service.partial_moment(0, a))
    if not (older > 1e-12).all():
        raise ValueError(f"{name} must be below the largest size, got {age!r}")
    return a, older
