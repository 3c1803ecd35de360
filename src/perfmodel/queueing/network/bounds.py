"""Bounds on throughput and response time of a closed or batch system from its demands alone.

An asymptotic bound needs the total and the largest service demand; balanced job bounds and
geometric bounds need little more and come closer. All hold for separable networks; the asymptotic
ones hold for any.

Sources: E. D. Lazowska et al., "Quantitative System Performance", 1984, chapter 5; J. Zahorjan et
al., "Balanced job bound analysis of queueing networks", CACM 25(2), 1982; G. Casale, R. R. Muntz
and G. Serazzi, "Geometric bounds", IEEE Transactions on Computers 57(6), 2008.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import (
    Floats,
    at_least,
    at_most,
    check_shapes,
    non_negative,
    positive,
    sample,
)

_CAPPED = "not the paper's bound: the asymptotic one, which is tighter here"
_MOST = 1e100  # jobs and seconds whose products stay in the range of floating point


@dataclass(frozen=True)
class Bounds:
    """Bounds at each population: throughput in jobs per second, response times in seconds."""

    population: Floats
    throughput_low: Floats
    throughput_high: Floats
    response_low: Floats
    response_high: Floats
    method: str
    note: str = ""
    """In what they differ from the source's; empty where they don't."""


def bottleneck_station(service_demands: ArrayLike) -> int:
    """Return the position of the station with the largest service demand.

    Parameters
    ----------
    service_demands : array_like, shape (stations,)
        D_k in seconds, 0 or more. For a station of c servers give D_k / c.

    Returns
    -------
    int
        Position of the bottleneck, the first one on a tie.

    Raises
    ------
    ValueError
        If the demands are not a list of numbers of 0 or more with one above 0.

    Examples
    --------
    >>> bottleneck_station([0.5, 2.0, 1.0])
    1
    """
    return int(np.argmax(_demands(service_demands)))


def saturation_population(service_demands: ArrayLike, think_time: ArrayLike = 0.0) -> Floats:
    """Return N* = (D + Z) / D_max, the population at which queueing is certain.

    Parameters
    ----------
    service_demands : array_like, shape (stations,)
        D_k in seconds, 0 or more.
    think_time : array_like
        Z in seconds, 0 or more.

    Returns
    -------
    ndarray
        Where the two asymptotes of the throughput cross, in jobs.

    Examples
    --------
    >>> print(saturation_population([5, 4, 3], 18))
    6.0
    """
    demands, think = _demands(service_demands), non_negative("think_time", think_time)
    return np.asarray((demands.sum() + think) / demands.max())


def population_within(
    service_demands: ArrayLike, response_target: ArrayLike, think_time: ArrayLike = 0.0
) -> Floats:
    """Return the largest population that the asymptotic bound lets meet a response time.

    Parameters
    ----------
    service_demands : array_like, shape (stations,)
        D_k in seconds, 0 or more.
    response_target : array_like
        Response time wanted, in seconds, 0 or more.
    think_time : array_like
        Z in seconds, 0 or more.

    Returns
    -------
    ndarray
        (R + Z) / D_max as a real number; 0 where the target is below the total demand, which no
        population meets. The true limit is at or below it: the bound is optimistic.

    Examples
    --------
    >>> print(population_within([5, 4, 3], 100, 18))
    23.6
    """
    demands, think = _demands(service_demands), non_negative("think_time", think_time)
    target = non_negative("response_target", response_target)
    check_shapes(response_target=target, think_time=think)
    return np.where(target >= demands.sum(), (target + think) / demands.max(), 0.0)


def asymptotic_bounds(
    service_demands: ArrayLike, population: ArrayLike, think_time: ArrayLike = 0.0
) -> Bounds:
    """Return the asymptotic bounds, which hold for every closed system.

    Parameters
    ----------
    service_demands : array_like, shape (stations,)
        D_k in seconds, 0 or more.
    population : array_like
        Number of jobs N, 1 or more; broadcasts with `think_time`.
    think_time : array_like
        Z in seconds, 0 or more.

    Returns
    -------
    Bounds
        N / (N D + Z) <= X <= min(1 / D_max, N / (D + Z)), and R by the response time law.

    Examples
    --------
    >>> bounds = asymptotic_bounds([5, 4, 3], [3, 20], 18)
    >>> print(bounds.throughput_high, bounds.response_low)
    [0.1 0.2] [12. 82.]
    """
    demands = _demands(service_demands)
    n, z = _jobs(population, think_time)
    total, largest = demands.sum(), demands.max()
    high = np.minimum(1 / largest, n / (total + z))
    low = n / (n * total + z)
    return _bounds(n, z, low, high, "asymptotic")


def balanced_job_bounds(
    service_demands: ArrayLike, population: ArrayLike, think_time: ArrayLike = 0.0
) -> Bounds:
    """Return the balanced job bounds of a separable network with single servers.

    Parameters
    ----------
    service_demands : array_like, shape (stations,)
        D_k in seconds, 0 or more; stations with demand 0 count for nothing.
    population : array_like
        Number of jobs N, 1 or more; broadcasts with `think_time`.
    think_time : array_like
        Z in seconds, 0 or more.

    Returns
    -------
    Bounds
        At or inside the asymptotic bounds (Lazowska et al., table 5.1).

    Examples
    --------
    >>> bounds = balanced_job_bounds([5, 4, 3], [2, 5])
    >>> print(bounds.throughput_low.round(6), bounds.throughput_high.round(6))
    [0.117647 0.15625 ] [0.125    0.178571]
    """
    demands = _demands(service_demands)
    n, z = _jobs(population, think_time)
    total, largest = demands.sum(), demands.max()
    average = total / np.count_nonzero(demands)
    low = n / (total + z + (n - 1) * largest * n * total / (n * total + z))
    high = np.minimum(1 / largest, n / (total + z + (n - 1) * average * total / (total + z)))
    return _bounds(n, z, low, high, "balanced job")


def geometric_bounds(
    service_demands: ArrayLike, population: ArrayLike, think_time: ArrayLike = 0.0
) -> Bounds:
    """Return the geometric bounds, which follow each queue's growth as a geometric series.

    Parameters
    ----------
    service_demands : array_like, shape (stations,)
        D_k in seconds, 0 or more.
    population : array_like
        Number of jobs N, 1 or more; broadcasts with `think_time`.
    think_time : array_like
        Z in seconds, 0 or more.

    Returns
    -------
    Bounds
        Tighter than the balanced job bounds as a rule, at the same cost. Where the paper's bound
        lies outside the asymptotic ones, or its root is of a negative number, the asymptotic bound
        stands in its place, and `note` says so.

    References
    ----------
    Casale, Muntz and Serazzi, 2008; the example is in its tables IV and V.

    Examples
    --------
    >>> bounds = geometric_bounds([0.1, 0.1, 0.09, 0.08], [2, 20])
    >>> print(bounds.throughput_low.round(4), bounds.throughput_high.round(4))
    [4.304  9.0947] [4.3174 9.2431]
    """
    demands = _demands(service_demands)
    n, z = _jobs(population, think_time)
    largest, others = demands.max(), n - 1
    room = demands.sum() + z + largest * others
    rising = room - _saved(demands, others, _rate_low(demands, others, z))
    sinking = room - _saved(demands, others, _rate_high(demands, others, z))
    low = 2 * n / (rising + np.sqrt(rising**2 - 4 * z * largest * (n - 1)))
    inside, outer = sinking**2 - 4 * z * largest * n, asymptotic_bounds(demands, n, z)
    root = np.sqrt(np.maximum(inside, 0))
    high = np.where(inside < 0, outer.throughput_high, 2 * n / (sinking + root))
    capped = (inside < 0) | (low < outer.throughput_low) | (high > outer.throughput_high)
    low, high = np.maximum(low, outer.throughput_low), np.minimum(high, outer.throughput_high)
    return _bounds(n, z, low, high, "geometric", _CAPPED if capped.any() else "")


def _saved(demands: Floats, jobs: Floats, rate: Floats) -> Floats:
    """Return what a job saves because the stations off the bottleneck hold shorter queues."""
    rho = demands[demands < demands.max()] * rate[..., np.newaxis]
    queues = (rho - rho ** (jobs[..., np.newaxis] + 1)) / (1 - rho)
    return np.asarray(((demands.max() - demands[demands < demands.max()]) * queues).sum(-1))


def _rate_low(demands: Floats, jobs: Floats, think: Floats) -> Floats:
    return np.asarray(jobs / (think + demands.sum() + demands.max() * jobs))


def _rate_high(demands: Floats, jobs: Floats, think: Floats) -> Floats:
    largest, total = demands.max(), demands.sum()
    fewer = np.maximum(jobs - 1, 0)
    thinking = think * np.minimum(1 / largest, fewer / (total + think))
    waiting = (demands**2).sum() / total * (fewer - thinking)
    return np.asarray(np.minimum(1 / largest, jobs / (think + total + waiting)))


def _jobs(population: ArrayLike, think_time: ArrayLike) -> tuple[Floats, Floats]:
    n = at_most("population", at_least("population", population, 1), _MOST)
    z = at_most("think_time", non_negative("think_time", think_time), _MOST)
    check_shapes(population=n, think_time=z)
    return n, z


def _demands(service_demands: ArrayLike) -> Floats:
    demands = non_negative("service_demands", sample("service_demands", service_demands))
    at_most("the largest of service_demands", demands.max(), _MOST)
    positive("the largest of service_demands", demands.max())
    return demands


def _bounds(n: Floats, z: Floats, low: Floats, high: Floats, method: str, note: str = "") -> Bounds:
    return Bounds(n, low, high, n / high - z, n / low - z, method, note)
