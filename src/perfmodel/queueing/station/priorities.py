"""Priority classes at one or several servers, and the order that costs least.

A hospital's emergency room: a more urgent patient goes first. Class 0 is the most urgent.
Priorities move waiting from one class to another. As long as no server idles while a job waits,
none is interrupted and the order doesn't look at single sizes, the sum of the classes' waits, each
weighed by its load, stays what it was at one server (Kleinrock's conservation law).

Sources: A. Cobham, "Priority assignment in waiting line problems", Operations Research 2(1), 1954;
L. Kleinrock, "Queueing Systems", vol. 2, Wiley, 1976, chapter 3; D. R. Cox and W. L. Smith,
"Queues", 1961, for the c-mu rule.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.queueing.station.erlang import erlang_c
from perfmodel.queueing.station.result import StationResult, stable
from perfmodel.validation import Floats, non_negative, one_number, positive, sample, whole


def nonpreemptive_priorities(
    arrival_rates: ArrayLike, mean_services: ArrayLike, scvs: ArrayLike = 1.0
) -> StationResult:
    """Solve M/G/1 with priority classes; a job that runs is never interrupted (Cobham).

    Parameters
    ----------
    arrival_rates : array_like, shape (classes,)
        Jobs per second of each class, 0 or more, the most urgent class first.
    mean_services : array_like, shape (classes,)
        E[S] of each class in seconds, above 0.
    scvs : array_like, shape (classes,) or scalar
        Squared coefficients of variation of the service times, 0 or more; exponential by default.

    Returns
    -------
    StationResult
        Arrays of one value a class; `utilization` is what each class contributes.

    Raises
    ------
    ValueError
        If an argument is out of range, the shapes differ or the total utilization is not below 1.

    Examples
    --------
    >>> result = nonpreemptive_priorities([0.2, 0.3, 0.25], [0.5, 1.0, 1.2])
    >>> print(result.response_time.round(6))
    [1.288889 2.314815 5.144444]
    """
    rates, means, seconds = _classes(arrival_rates, mean_services, scvs)
    above, upto = _loads(rates * means)
    waiting = (rates @ seconds) / 2 / ((1 - above) * (1 - upto))
    return StationResult.from_waiting(rates, means, waiting, "M/G/1, non-preemptive priorities")


def preemptive_priorities(
    arrival_rates: ArrayLike, mean_services: ArrayLike, scvs: ArrayLike = 1.0
) -> StationResult:
    """Solve M/G/1 with priority classes; an urgent arrival interrupts, work done is kept.

    Parameters
    ----------
    arrival_rates, mean_services, scvs : array_like
        As for `nonpreemptive_priorities`.

    Returns
    -------
    StationResult
        Arrays of one value a class; `waiting_time` counts the interruptions too.

    Raises
    ------
    ValueError
        If an argument is out of range, the shapes differ or the total utilization is not below 1.

    Examples
    --------
    >>> print(preemptive_priorities([0.5, 0.3], [1.0, 1.0]).response_time.round(6))
    [ 2. 10.]
    """
    rates, means, seconds = _classes(arrival_rates, mean_services, scvs)
    above, upto = _loads(rates * means)
    waiting = np.cumsum(rates * seconds) / 2 / ((1 - above) * (1 - upto))
    waiting = waiting + means * above / (1 - above)
    return StationResult.from_waiting(rates, means, waiting, "M/G/1, preemptive-resume priorities")


def multiserver_priorities(
    arrival_rates: ArrayLike, mean_service: float, servers: int
) -> StationResult:
    """Solve M/M/c with non-preemptive priority classes that share one service law.

    Parameters
    ----------
    arrival_rates : array_like, shape (classes,)
        Jobs per second of each class, 0 or more, the most urgent class first.
    mean_service : float
        E[S] of every class in seconds, above 0.
    servers : int
        c, 1 or more.

    Returns
    -------
    StationResult
        Arrays of one value a class.

    Raises
    ------
    ValueError
        If an argument is out of range or the total utilization is not below 1.

    Examples
    --------
    >>> print(multiserver_priorities([1.6, 1.6], 1.0, 4).waiting_time.round(4))
    [0.2485 1.2426]
    """
    rates = non_negative("arrival_rates", sample("arrival_rates", arrival_rates))
    mean, c = one_number("mean_service", mean_service, positive), whole("servers", servers, 1)
    above, upto = _loads(rates * mean / c)
    remaining = erlang_c(c, rates.sum() * mean) * mean / c
    waiting = np.asarray(remaining / ((1 - above) * (1 - upto)))
    return StationResult.from_waiting(
        rates, mean, waiting, "M/M/c, non-preemptive priorities", servers=c
    )


def cmu_order(costs: ArrayLike, sizes: ArrayLike) -> NDArray[np.intp]:
    """Return the order in which one server runs jobs at the least cost: highest cost / size first.

    For jobs that are all there and whose sizes are known; on several servers another order may cost
    less. Where sizes are unknown and jobs may be
    interrupted, their Gittins rank takes the place of the size, not the expected remaining work.

    Parameters
    ----------
    costs : array_like, shape (jobs,)
        What each job costs for every second that it is in the system, 0 or more.
    sizes : array_like, shape (jobs,)
        Seconds of work of each, above 0.

    Returns
    -------
    ndarray of int, shape (jobs,)
        Positions of the jobs, the first to run first; ties keep the order given.

    Raises
    ------
    ValueError
        If an argument is out of range or the two differ in length.

    Examples
    --------
    >>> print(cmu_order([8, 3, 1], [4, 1, 2]))
    [1 0 2]
    """
    cost, size = _jobs(costs, sizes)
    return np.argsort(-cost / size, kind="stable")


def holding_cost(costs: ArrayLike, sizes: ArrayLike, order: ArrayLike) -> float:
    """Return the total cost of running the jobs that are present in a given order.

    Parameters
    ----------
    costs, sizes : array_like, shape (jobs,)
        As for `cmu_order`.
    order : array_like of int, shape (jobs,)
        Positions of the jobs, the first to run first.

    Returns
    -------
    float
        Sum of each job's cost times the second at which it ends.

    Raises
    ------
    ValueError
        If an argument is out of range or `order` does not name every job once.

    Examples
    --------
    >>> holding_cost([8, 3, 1], [4, 1, 2], [1, 0, 2])
    50.0
    """
    cost, size = _jobs(costs, sizes)
    places = sample("order", order)
    if not np.array_equal(np.sort(places), np.arange(cost.size)):
        raise ValueError(f"order must name each of {cost.size} jobs once, got {order!r}")
    turn = places.astype(np.intp)
    return float(cost[turn] @ np.cumsum(size[turn]))


def _classes(
    arrival_rates: ArrayLike, mean_services: ArrayLike, scvs: ArrayLike
) -> tuple[Floats, Floats, Floats]:
    rates = non_negative("arrival_rates", sample("arrival_rates", arrival_rates))
    means = positive("mean_services", sample("mean_services", mean_services))
    squared_cv = non_negative("scvs", scvs)
    for name, values in (("mean_services", means), ("scvs", squared_cv)):
        if values.ndim and values.shape != rates.shape:
            raise ValueError(f"{name} must be {rates.size} values, one a class, got {values.size}")
    return rates, means, means**2 * (1 + squared_cv)


def _loads(loads: Floats) -> tuple[Floats, Floats]:
    """Return the utilization by the classes above each, and that with its own."""
    upto = np.cumsum(loads)
    stable(upto[-1])
    return upto - loads, upto


def _jobs(costs: ArrayLike, sizes: ArrayLike) -> tuple[Floats, Floats]:
    cost = non_negative("costs", sample("costs", costs))
    size = positive("sizes", sample("sizes", sizes))
    if cost.shape != size.shape:
        raise ValueError(f"sizes must be {cost.size} values as costs, got {size.size}")
    return cost, size
