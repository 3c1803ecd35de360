"""Fork-join: a job splits into one task for each of k servers, and is done when all of them are.

The tasks of a job wait in queues that are correlated, since they arrive together; only two servers
have a closed form.

>>> pair = fork_join(arrival_rate=0.5, service_rate=1.0, branches=2)
>>> print(pair.response_time, pair.exact)
2.875 True
"""

from __future__ import annotations

from dataclasses import dataclass

from perfmodel.queueing.station.mg1 import mg1
from perfmodel.queueing.station.result import StationResult, stable
from perfmodel.validation import one_number, positive, whole

_MOST_BRANCHES = 1_000_000


@dataclass(frozen=True, kw_only=True, repr=False)
class ForkJoinQueue(StationResult):
    """A station at which jobs fork: times run from the fork to the end of the last task."""

    lower: float
    """Seconds that it takes at least: the slowest of k independent services, after no waiting."""
    upper: float
    """Seconds that it takes at most: the last of k independent queues."""


def fork_join(arrival_rate: float, service_rate: float, branches: int) -> ForkJoinQueue:
    """Return the mean response time of k M/M/1 queues that each get one task of every job.

    Parameters
    ----------
    arrival_rate : float
        Jobs per second, above 0.
    service_rate : float
        Tasks per second of each server, above 0.
    branches : int
        Servers k, 1 to a million.

    Returns
    -------
    ForkJoinQueue
        Exact for one and two branches; for more an approximation, scaled from two. The waiting
        time is what the response time is above `lower`.

    Raises
    ------
    ValueError
        If the utilization is 1 or more, or an argument out of range.

    References
    ----------
    L. Flatto, S. Hahn, SIAM J. Applied Mathematics 44(5), 1984; R. Nelson, A. Tantawi, IEEE
    Transactions on Computers 37(6), 1988, with upper bound H_k / (mu - lambda).

    Examples
    --------
    >>> print(fork_join(0.5, 1.0, 8).response_time.round(3))
    4.785
    """
    k, mean = (
        whole("branches", branches, 1, _MOST_BRANCHES),
        1 / one_number("service_rate", service_rate, positive),
    )
    rate, rho = _checked(arrival_rate, mean)
    alone = mean / (1 - rho)
    pair = (12 - rho) / 8 * alone
    share = _harmonic(k) / _harmonic(2)
    response = alone if k == 1 else (share + (1 - share) * 4 * rho / 11) * pair
    lower = _harmonic(k) * mean
    return ForkJoinQueue.from_waiting(
        rate,
        lower,
        response - lower,
        "M/M/1" if k == 1 else "Flatto-Hahn" if k == 2 else "Nelson-Tantawi",
        utilization=rho,
        exact=k <= 2,
        warning="" if k <= 32 else "fitted to simulations of at most 32 branches",
        lower=lower,
        upper=_harmonic(k) * alone,
    )


def split_merge(arrival_rate: float, service_rate: float, branches: int) -> ForkJoinQueue:
    """Return the mean response time where no job starts before the one ahead is joined.

    Parameters
    ----------
    arrival_rate : float
        Jobs per second.
    service_rate : float
        Tasks per second of each server, above 0.
    branches : int
        Servers k, 1 to a million.

    Returns
    -------
    ForkJoinQueue
        An M/G/1 queue whose service is the slowest of k exponential times: exact.

    Raises
    ------
    ValueError
        If the utilization, arrival rate times H_k / service rate, is 1 or more.

    Examples
    --------
    >>> print(split_merge(0.5, 1.0, 2).response_time.round(6))
    5.0
    """
    k, mu = (
        whole("branches", branches, 1, _MOST_BRANCHES),
        one_number("service_rate", service_rate, positive),
    )
    mean = _harmonic(k) / mu
    rate, _ = _checked(arrival_rate, mean)
    squared_cv = sum(1 / i**2 for i in range(1, k + 1)) / _harmonic(k) ** 2
    merged = mg1(arrival_rate=rate, mean_service=mean, scv=squared_cv)
    upper = float(merged.response_time)
    return ForkJoinQueue.from_waiting(
        rate, mean, merged.waiting_time, "M/G/1 of the slowest task", lower=mean, upper=upper
    )


def _harmonic(k: int) -> float:
    return sum(1 / i for i in range(1, k + 1))


def _checked(arrival_rate: float, service_time: float) -> tuple[float, float]:
    """Return the arrival rate and the utilization."""
    rate = one_number("arrival_rate", arrival_rate, positive)
    return rate, float(stable(rate * service_time))
