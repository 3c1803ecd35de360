"""Exact mean value analysis: closed networks from one job upwards, without any probabilities.

A job that arrives at a station finds what an observer would see with that job taken out of the
network (the arrival theorem). From an empty network, this gives the next population's response
times, then its throughput by Little's law, then its queue lengths.

>>> from perfmodel.queueing.network.model import JobClass, Network, Station
>>> users = JobClass("users", population=3, think_time=15)
>>> stations = [Station("cpu"), Station("disk 1"), Station("disk 2")]
>>> exact = exact_mva(Network(stations, [users], service=[0.605, 2.1, 1.35]))
>>> print(exact.throughput.round(3), exact.response_time.round(2), exact.exact)
[0.152] [4.8] True
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.compilation import compiled_if_long
from perfmodel.queueing.network import convolution
from perfmodel.queueing.network.compiled_recursions import multi_class_mva, single_class_mva
from perfmodel.queueing.network.model import Network
from perfmodel.queueing.network.solution import (
    Solution,
    check_closed,
    check_size,
    checked_demands,
    checked_solution,
)
from perfmodel.validation import Floats, check_shapes, non_negative, one_number, positive, whole

MAX_STEPS = 5e9
"""Elementary steps that are taken at most: about 20 s when compiled."""
_CHAINED = 4
"""Steps' time that one of a single class takes, which waits for the division before it."""
_LONGEST_CURVE = 100_000


def exact_mva(network: Network, max_steps: float | None = None) -> Solution:
    """Solve a closed network exactly: throughput, residence times and queue lengths.

    Single-server and delay stations take the mean value recursion, which only adds positive
    terms. A multi-server or load-dependent station would need its probability of being empty by
    subtraction, which loses all digits under load; such networks are solved by convolution in
    the log domain instead, and `Solution.method` says so.

    Parameters
    ----------
    network : Network
        All classes closed.
    max_steps : float, optional
        Elementary steps to take at most; about 20 s' worth if left out.

    Returns
    -------
    Solution
        Throughput in cycles/s by class, residence times in seconds by class and station.

    Raises
    ------
    TooBigError
        If the population vectors are too many; names the approximation that fits.
    ValueError
        If a class is open, or a station has a finite capacity.

    References
    ----------
    M. Reiser, S. S. Lavenberg, Journal of the ACM 27(2), 1980.
    """
    check_closed(network)
    if not all(s.is_delay or (s.servers == 1 and not s.speeds) for s in network.stations):
        return convolution.convolution_algorithm(
            network, convolution.MAX_STEPS if max_steps is None else max_steps
        )
    delay = np.array([s.is_delay for s in network.stations])
    demand = network.service_demand
    outside = network.think_time + demand[:, delay].sum(axis=1)
    rate, waits = mva_of_demands(
        demand[:, ~delay],
        network.population,
        outside,
        MAX_STEPS if max_steps is None else max_steps,
    )
    residence = demand.copy()
    residence[:, ~delay] = waits
    return checked_solution(network, "exact MVA", rate, residence)


def mva_of_demands(
    service_demand: ArrayLike,
    population: ArrayLike,
    think_time: ArrayLike,
    max_steps: float = MAX_STEPS,
) -> tuple[Floats, Floats]:
    """Return throughputs and residence times of closed classes at single-server stations.

    Parameters
    ----------
    service_demand : array_like, shape (classes, stations)
        Seconds.
    population : array_like of int, shape (classes,)
        Jobs of each class.
    think_time : array_like, shape (classes,)
        Seconds, delay stations included.
    max_steps : float
        Elementary steps to take at most.

    Returns
    -------
    throughput : ndarray, shape (classes,)
        Cycles per second; 0 for a class without jobs.
    residence_time : ndarray, shape (classes, stations)
        Seconds; 0 for a class without jobs.

    Raises
    ------
    TooBigError
        If there are too many population vectors.
    ValueError
        If a shape does not fit, a population is not whole, a time is negative or not finite, or a
        class with jobs asks for no time at all.

    Examples
    --------
    >>> rate, residence = mva_of_demands([[1, 3], [2, 4]], [1, 1], [0, 0])
    >>> print(residence.round(3).tolist())
    [[1.333, 5.0], [2.5, 7.0]]
    """
    demand, people, think = checked_demands(service_demand, population, think_time)
    one_number("max_steps", max_steps, positive)
    residence = np.zeros(demand.shape)
    order = np.argsort(-people, kind="stable")
    order = order[people[order] > 0]
    if order.size == 1:
        only = order[0]
        steps = float(people[only]) * demand.shape[1]
        check_size("exact MVA", people, _CHAINED * steps, 0.0, max_steps)
        walk = compiled_if_long(single_class_mva, steps)
        residence[only] = demand[only] * walk(demand[only], int(people[only]), float(think[only]))
    elif order.size:
        seen = _walk(demand[order], people[order], think[order], max_steps)
        residence[order] = demand[order] * seen
    cycle = think + residence.sum(axis=1)
    return np.divide(people, cycle, out=np.zeros(people.size), where=people > 0), residence


def _walk(demand: Floats, people: np.ndarray, think: Floats, most_steps: float) -> Floats:
    """Return 1 + the queue lengths that a job of each class finds, for two classes or more."""
    between = people[1:-1] + 1
    rows, length = math.prod(between.tolist()), int(people[-1]) + 1
    steps = float(rows) * length * (int(people[0]) + 1) * demand.size
    check_size("exact MVA", people, steps, 8.0 * rows * length * demand.shape[1], most_steps)
    strides = [0] + [math.prod(between[j + 1 :].tolist()) for j in range(between.size)]
    seen = np.ones((demand.shape[1], rows, length))
    compiled_if_long(multi_class_mva, steps)(demand, people, think, np.array(strides), seen)
    queues = [seen[:, rows - 1 - stride, -1] for stride in strides]
    return np.array([*queues, seen[:, -1, -2]])


def throughput_curve(
    service_demand: ArrayLike, population: int, think_time: ArrayLike = 0.0
) -> Floats:
    """Return one class's throughput with 1, 2, ... `population` jobs, for many networks at once.

    Parameters
    ----------
    service_demand : array_like, shape (..., stations)
        Seconds at single-server stations; leading axes are networks of a sweep.
    population : int
        Most jobs, up to 100,000.
    think_time : array_like, shape (...)
        Seconds; broadcasts with the leading axes.

    Returns
    -------
    ndarray, shape (..., population)
        Cycles per second.

    Raises
    ------
    ValueError
        If an argument is out of range, shapes do not fit, or a network asks for no time at all.

    Examples
    --------
    >>> print(throughput_curve([[1.0], [0.5]], 3, think_time=1.0).round(3))
    [[0.5   0.8   0.938]
     [0.667 1.2   1.579]]
    """
    demand = non_negative("service_demand", service_demand)
    think = non_negative("think_time", think_time)
    if not demand.ndim or not demand.size:
        raise ValueError(f"service_demand must have shape (..., stations), got {demand.shape}")
    check_shapes(service_demand=demand[..., 0], think_time=think)
    cycle = demand.sum(axis=-1) + think
    if not (cycle > 0).all():
        raise ValueError(f"service_demand must not be all 0 without a think time, got {demand}")
    think = np.broadcast_to(think, cycle.shape)
    queue, rates = np.zeros((*cycle.shape, demand.shape[-1])), []
    for jobs in range(1, whole("population", population, 1, _LONGEST_CURVE) + 1):
        residence = demand * (1 + queue)
        rates.append(jobs / (think + residence.sum(axis=-1)))
        queue = rates[-1][..., None] * residence
    return np.stack(rates, axis=-1)
