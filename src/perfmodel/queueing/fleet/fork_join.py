"""Fork-join: a job splits into one task for each of k servers, and is done when all of them are.

The tasks of a job wait in queues that are correlated, since they arrive together; only two servers
have a closed form.

>>> found = fork_join(arrival_rate=0.5, service_rate=1.0, branches=2)
>>> found.response_time, found.exact
(2.875, True)
"""

from __future__ import annotations

from dataclasses import dataclass

from perfmodel.validation import positive, whole


@dataclass(frozen=True)
class ForkJoin:
    """Mean response time of a job that forks, and how it was found."""

    response_time: float
    """Seconds from fork to the last task's end."""
    lower: float
    """Seconds that it takes at least: the slowest of k independent services, after no waiting."""
    upper: float
    """Seconds that it takes at most: the last of k independent queues."""
    method: str
    exact: bool
    warning: str = ""


def fork_join(arrival_rate: float, service_rate: float, branches: int) -> ForkJoin:
    """Return the mean response time of k M/M/1 queues that each get one task of every job.

    Parameters
    ----------
    arrival_rate : float
        Jobs per second.
    service_rate : float
        Tasks per second of each server.
    branches : int
        Servers k.

    Returns
    -------
    ForkJoin
        Exact for one and two branches; for more an approximation, scaled from two.

    Raises
    ------
    ValueError
        If the load is 1 or more, or an argument out of range.

    References
    ----------
    L. Flatto, S. Hahn, SIAM J. Applied Mathematics 44(5), 1984; R. Nelson, A. Tantawi, IEEE
    Transactions on Computers 37(6), 1988, with upper bound H_k / (mu - lambda).

    Examples
    --------
    >>> round(fork_join(0.5, 1.0, 8).response_time, 3)
    4.785
    """
    k, mean = whole("branches", branches, low=1), 1 / positive("service_rate", service_rate).item()
    load = _load(arrival_rate, mean)
    alone = 1 / (service_rate - arrival_rate)
    pair = (12 - load) / 8 * alone
    share = _harmonic(k) / _harmonic(2)
    response = alone if k == 1 else (share + (1 - share) * 4 * load / 11) * pair
    return ForkJoin(
        response_time=response,
        lower=_harmonic(k) / service_rate,
        upper=_harmonic(k) * alone,
        method="M/M/1" if k == 1 else "Flatto-Hahn" if k == 2 else "Nelson-Tantawi",
        exact=k <= 2,
        warning="" if k <= 32 else "fitted to simulations of at most 32 branches",
    )


def split_merge(arrival_rate: float, service_rate: float, branches: int) -> ForkJoin:
    """Return the mean response time where no job starts before the one ahead is joined.

    Parameters
    ----------
    arrival_rate : float
        Jobs per second.
    service_rate : float
        Tasks per second of each server.
    branches : int
        Servers k.

    Returns
    -------
    ForkJoin
        An M/G/1 queue whose service is the slowest of k exponential times: exact.

    Raises
    ------
    ValueError
        If the load, arrival rate times H_k / service rate, is 1 or more.

    Examples
    --------
    >>> found = split_merge(0.5, 1.0, 2)
    >>> round(found.response_time, 6)
    5.0
    """
    k = whole("branches", branches, low=1)
    mean = _harmonic(k) / positive("service_rate", service_rate).item()
    load = _load(arrival_rate, mean)
    variance = sum(1 / (i * service_rate) ** 2 for i in range(1, k + 1))
    response = mean + arrival_rate * (variance + mean**2) / (2 * (1 - load))
    return ForkJoin(response, mean, response, "M/G/1 of the slowest task", exact=True)


def _harmonic(k: int) -> float:
    return sum(1 / i for i in range(1, k + 1))


def _load(arrival_rate: float, service_time: float) -> float:
    rate = positive("arrival_rate", arrival_rate).item()
    load = float(rate * service_time)
    if load >= 1:
        raise ValueError(f"utilization must be below 1 for a steady state, got {load:.6g}")
    return load
