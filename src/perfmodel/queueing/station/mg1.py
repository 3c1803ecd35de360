"""One server with Poisson arrivals and any service distribution: M/G/1 and its variants.

Variability costs as much as utilization does: 30 % busy, a server with job sizes of scv 50 keeps a
job waiting for 11 service times. The variants add what a real server does besides serving: it
takes breaks, warms up, or gets its work in batches.

Sources: L. Kleinrock, "Queueing Systems", vol. 1, 1975, chapter 5; M. Harchol-Balter,
"Performance Modeling and Design of Computer Systems", 2013, chapters 23 and 27; H. Takagi,
"Queueing Analysis", vol. 1, 1991, for vacations, set-up and batches.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.service import Service, checked_service, mean_residual
from perfmodel.queueing.station.result import StationResult, stable
from perfmodel.validation import Floats, at_least, check_shapes, non_negative, positive


def mg1(*, arrival_rate: ArrayLike, mean_service: ArrayLike, scv: ArrayLike) -> StationResult:
    """Solve M/G/1, first come first served, by the Pollaczek-Khinchine formula.

    Parameters
    ----------
    arrival_rate : array_like
        lambda in jobs per second, 0 or more. All three arguments broadcast.
    mean_service : array_like
        E[S] in seconds, above 0.
    scv : array_like
        Squared coefficient of variation of the service time (not its square root), 0 or more.

    Returns
    -------
    StationResult
        Waiting time rho / (1 - rho) (1 + scv) / 2 E[S] and what follows by Little's law.

    Raises
    ------
    ValueError
        If an argument is out of range or the utilization is not below 1.

    Examples
    --------
    >>> print(mg1(arrival_rate=0.8, mean_service=1.0, scv=[0, 0.25, 1, 4]).response_time.round(9))
    [ 3.   3.5  5.  11. ]
    """
    rate, mean = non_negative("arrival_rate", arrival_rate), positive("mean_service", mean_service)
    squared_cv = non_negative("scv", scv)
    check_shapes(arrival_rate=rate, mean_service=mean, scv=squared_cv)
    rho = stable(rate * mean)
    waiting = rho / (1 - rho) * (1 + squared_cv) / 2 * mean
    return StationResult.from_waiting(rate, mean, waiting, "M/G/1, Pollaczek-Khinchine")


def mg1_waiting_variance(arrival_rate: ArrayLike, service: Service) -> Floats:
    """Return the variance of the waiting time in M/G/1, first come first served, in seconds^2.

    Parameters
    ----------
    arrival_rate : array_like
        lambda in jobs per second, 0 or more.
    service : Service
        Law of the service time; its third moment counts.

    Returns
    -------
    ndarray
        E[W]^2 + lambda E[S^3] / (3 (1 - rho)) (Takacs).

    Raises
    ------
    ValueError
        If `arrival_rate` is out of range or the utilization is not below 1.

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import Exponential
    >>> print(mg1_waiting_variance(0.5, Exponential(1.0)).round(9))
    3.0
    """
    rate, rho = _rate_and_utilization(arrival_rate, service)
    mean = rate * service.moment(2) / (2 * (1 - rho))
    return np.asarray(mean**2 + rate * service.moment(3) / (3 * (1 - rho)))


def mg1_busy_period(arrival_rate: ArrayLike, service: Service) -> tuple[Floats, Floats]:
    """Return the mean in seconds and the scv of the time that an M/G/1 server works in one go.

    Parameters
    ----------
    arrival_rate : array_like
        lambda in jobs per second, 0 or more.
    service : Service
        Law of the service time.

    Returns
    -------
    tuple of ndarray
        E[S] / (1 - rho), and the squared coefficient of variation (scv + rho) / (1 - rho).

    Raises
    ------
    ValueError
        If `arrival_rate` is out of range or the utilization is not below 1.

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import Exponential
    >>> mean, scv = mg1_busy_period(0.5, Exponential(1.0))
    >>> print(mean, scv)
    2.0 3.0
    """
    _, rho = _rate_and_utilization(arrival_rate, service)
    mean = service.moment(1) / (1 - rho)
    second = service.moment(2) / (1 - rho) ** 3
    return np.asarray(mean), np.asarray(second / mean**2 - 1)


def mg1_vacations(arrival_rate: ArrayLike, service: Service, vacation: Service) -> StationResult:
    """Solve M/G/1 whose server takes vacations, one after the other, whenever it finds no job.

    Parameters
    ----------
    arrival_rate : array_like
        lambda in jobs per second, 0 or more.
    service, vacation : Service
        Laws of the service time and of the length of a vacation (a polling interval, a garbage
        collection, a scan).

    Returns
    -------
    StationResult
        The M/G/1 waiting time plus the mean residual vacation E[V^2] / (2 E[V]).

    Raises
    ------
    ValueError
        If `arrival_rate` is out of range or the utilization is not below 1.

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import Deterministic, Exponential
    >>> print(mg1_vacations(0.5, Exponential(1.0), Deterministic(2.0)).waiting_time)
    2.0
    """
    waiting = _waiting(arrival_rate, service)
    waiting = waiting + mean_residual(checked_service("vacation", vacation))
    rate = non_negative("arrival_rate", arrival_rate)
    return StationResult.from_waiting(
        rate, service.moment(1), waiting, "M/G/1 with multiple vacations"
    )


def mg1_setup(arrival_rate: ArrayLike, service: Service, setup: Service) -> StationResult:
    """Solve M/G/1 whose server is off when idle and needs a set-up time to come on.

    Parameters
    ----------
    arrival_rate : array_like
        lambda in jobs per second, 0 or more.
    service, setup : Service
        Laws of the service time and of the set-up time.

    Returns
    -------
    StationResult
        The M/G/1 waiting time plus (2 E[I] + lambda E[I^2]) / (2 (1 + lambda E[I])).

    Raises
    ------
    ValueError
        If `arrival_rate` is out of range or the utilization is not below 1.

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import Exponential
    >>> print(mg1_setup(0.5, Exponential(1.0), Exponential(4.0)).waiting_time)
    5.0
    """
    rate = non_negative("arrival_rate", arrival_rate)
    mean, second = checked_service("setup", setup).moment(1), setup.moment(2)
    extra = (2 * mean + rate * second) / (2 * (1 + rate * mean))
    waiting = _waiting(rate, service) + extra
    return StationResult.from_waiting(rate, service.moment(1), waiting, "M/G/1 with set-up")


def mg1_batches(
    batch_rate: ArrayLike, service: Service, mean_batch: ArrayLike, batch_scv: ArrayLike = 0.0
) -> StationResult:
    """Solve M/G/1 to which jobs come in batches (M^X/G/1).

    Parameters
    ----------
    batch_rate : array_like
        Batches per second, 0 or more. The arrays broadcast.
    service : Service
        Law of the service time of one job.
    mean_batch : array_like
        E[X] jobs in a batch, 1 or more.
    batch_scv : array_like
        Squared coefficient of variation of the number of jobs in a batch, 0 or more.

    Returns
    -------
    StationResult
        Of a job taken at random: it waits for the queue that its batch finds, and for
        (E[X^2] / E[X] - 1) / 2 jobs of its own batch; both divided by 1 - rho.

    Raises
    ------
    ValueError
        If an argument is out of range or the utilization is not below 1.

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import Deterministic
    >>> print(mg1_batches(0.1, Deterministic(1.0), 4).waiting_time.round(6))
    2.833333
    """
    batches, size = non_negative("batch_rate", batch_rate), at_least("mean_batch", mean_batch, 1)
    squared_cv = non_negative("batch_scv", batch_scv)
    check_shapes(batch_rate=batches, mean_batch=size, batch_scv=squared_cv)
    rate = batches * size
    fellows = size * (1 + squared_cv) - 1
    waiting = _waiting(rate, service)
    own = fellows / 2 * service.moment(1) / (1 - rate * service.moment(1))
    return StationResult.from_waiting(rate, service.moment(1), waiting + own, "M^X/G/1")


def _rate_and_utilization(arrival_rate: ArrayLike, service: Service) -> tuple[Floats, Floats]:
    rate = non_negative("arrival_rate", arrival_rate)
    check_shapes(arrival_rate=rate)
    return rate, stable(rate * checked_service("service", service).moment(1))


def _waiting(arrival_rate: ArrayLike, service: Service) -> Floats:
    rate, rho = _rate_and_utilization(arrival_rate, service)
    return np.asarray(rate * service.moment(2) / (2 * (1 - rho)))
