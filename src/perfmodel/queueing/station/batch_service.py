"""A server that takes all who wait at once: dynamic batching by formula, chain and simulation.

Take a lift that leaves as soon as it is back, with everyone who has come meanwhile. Its round trip
has a fixed part and a part for each passenger. The busier it gets, the fuller it goes, and the less
of the fixed part each has to pay: so inference servers gather requests into batches.

Source: Y. Inoue, "Queueing Analysis of GPU-Based Inference Servers with Dynamic Batching: A
Closed-Form Characterization", arXiv 1912.06322, 2019 (the bound); the chain is our own derivation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from perfmodel.queueing.distributions.service import Deterministic
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.simulation import Batch, SimulationResult, simulate
from perfmodel.queueing.station.result import StationResult
from perfmodel.validation import (
    Floats,
    at_least,
    check_shapes,
    finite,
    non_negative,
    one_number,
    positive,
    whole,
)

UNLIMITED = 512
"""Largest batch of a simulation that is to have no limit."""
_MOST_STATES = 1024
_MOST_IN_BATCH = 1_000_000
_NEGLIGIBLE = 1e-12


@dataclass(frozen=True, kw_only=True, repr=False)
class BatchQueue(StationResult):
    """A server with dynamic batching: a request waits until its batch starts, and ends with it."""

    mean_batch: float
    """Requests in a batch, over batches."""


def batch_capacity(fixed_time: ArrayLike, item_time: ArrayLike, largest: ArrayLike) -> Floats:
    """Return the most requests per second that full batches can serve, B / (tau0 + alpha B).

    Parameters
    ----------
    fixed_time : array_like
        tau0: seconds of a batch, 0 or more.
    item_time : array_like
        alpha: seconds for each of its requests, above 0.
    largest : array_like
        Requests B in a full batch, 1 or more. All three broadcast.

    Examples
    --------
    >>> print(batch_capacity(0.0015, 0.0003, [1, 32]).round(1))
    [ 555.6 2882.9]
    """
    fixed, item = _times(fixed_time, item_time)
    size = at_least("largest", largest, 1)
    check_shapes(fixed_time=fixed + item, largest=size)
    return np.asarray(size / (fixed + item * size))


def batch_response_bound(
    arrival_rate: ArrayLike, fixed_time: ArrayLike, item_time: ArrayLike
) -> Floats:
    """Return Inoue's bound on the mean response time when batches have no limit, in seconds.

    Parameters
    ----------
    arrival_rate : array_like
        Requests per second (Poisson), lambda, 0 or more. All three broadcast.
    fixed_time, item_time : array_like
        tau0 and alpha in seconds: a batch of b takes tau0 + alpha b.

    Returns
    -------
    ndarray
        The smaller of two bounds; the first is the better one at low rates.

    Raises
    ------
    ValueError
        If an argument is out of range, or lambda alpha is not below 1.

    Examples
    --------
    >>> print(batch_response_bound([0.1, 0.5, 0.9], 1.0, 1.0).round(3))
    [ 2.242  4.667 22.632]
    """
    rate = non_negative("arrival_rate", arrival_rate)
    fixed, item = _times(fixed_time, item_time)
    check_shapes(arrival_rate=rate, fixed_time=fixed + item)
    rho = _below_one(rate * item)
    light = (item + fixed) / (2 * (1 - rho))
    light = light * (1 + 2 * rate * fixed + (1 - rate * fixed) / (1 + rho))
    heavy = 1.5 * fixed / (1 - rho) + item / 2 * (rho + 2) / (1 - rho**2)
    return np.asarray(np.minimum(light, heavy))


def batch_queue(
    arrival_rate: float, fixed_time: float, item_time: float, largest: float = math.inf
) -> BatchQueue:
    """Solve the batching server numerically exactly, with or without a limit on the batch.

    The requests present when a service starts form a Markov chain, cut off where its probability
    is negligible; the area under the queue over a cycle gives the mean response by Little's law.

    Parameters
    ----------
    arrival_rate : float
        Requests per second (Poisson), above 0.
    fixed_time, item_time : float
        tau0 and alpha in seconds.
    largest : float
        Most requests of a batch, whole, 1 or more; or infinity.

    Raises
    ------
    ValueError
        If an argument is out of range, or the rate too near the capacity to solve, or above it.

    Examples
    --------
    >>> print(batch_queue(0.5, 1.0, 1.0).response_time.round(3))
    4.417
    """
    rate = one_number("arrival_rate", arrival_rate, positive)
    fixed, item = _two_times(fixed_time, item_time)
    most = (
        math.inf if np.array_equal(largest, math.inf) else float(whole("largest", largest, low=1))
    )
    full = 1 / item if most == math.inf else most / (fixed + item * most)
    _below_one(np.asarray(rate / full))
    states = 64
    while (chances := _chain(rate, fixed, item, most, states))[-1] > _NEGLIGIBLE:
        states *= 2
        if states > _MOST_STATES:
            raise ValueError(
                f"arrival_rate must be further below the capacity {full:g} 1/s, got {rate:g}"
            )
    present = np.arange(1, states + 1)
    batch = np.minimum(present, most)
    service = fixed + item * batch
    area = chances @ (present * service + rate * service**2 / 2)
    cycle = chances @ (service + (present <= most) * np.exp(-rate * service) / rate)
    mean_batch = float(chances @ batch)
    own = chances @ (batch * service) / mean_batch
    return BatchQueue.from_waiting(
        rate,
        own,
        area / cycle / rate - own,
        "M/D/1 with batch service",
        utilization=chances @ service / cycle,
        mean_batch=mean_batch,
    )


def simulated_batches(
    arrival_rate: float,
    fixed_time: float,
    item_time: float,
    largest: int = UNLIMITED,
    requests: int = 100_000,
    seed: int = 1,
) -> SimulationResult:
    """Simulate the batching server event by event.

    Parameters
    ----------
    arrival_rate, fixed_time, item_time
        As for `batch_queue`.
    largest : int
        Most requests of a batch.
    requests : int
        To serve in all.
    seed : int
        Of the random numbers.

    Raises
    ------
    ValueError
        If an argument is out of range or the rate is not below the capacity.

    Examples
    --------
    >>> seen = simulated_batches(0.5, 1.0, 1.0, requests=20_000).response_time
    >>> bool(abs(seen.value.item() / batch_queue(0.5, 1.0, 1.0).response_time - 1) < 0.05)
    True
    """
    fixed, item = _two_times(fixed_time, item_time)
    count = whole("requests", requests, low=1)
    network = Network(
        [Station("accelerator")],
        [JobClass("requests", arrival_rate=arrival_rate)],
        [[Deterministic(fixed + item)]],
    )
    batches = {"accelerator": stretched_batch(fixed, item, largest)}
    return simulate(network, count, seed, batches=batches, progress=False)


def stretched_batch(fixed_time: float, item_time: float, largest: int) -> Batch:
    """Return the batch rule of a server whose batch of b takes tau0 + alpha b.

    The simulator draws the time of one request, here tau0 + alpha, and stretches it.

    Parameters
    ----------
    fixed_time, item_time : float
        tau0 and alpha in seconds.
    largest : int
        Most requests of a batch, up to a million.

    Returns
    -------
    Batch
        For `simulate(..., batches={station: ...})`.

    Examples
    --------
    >>> stretched_batch(1.0, 1.0, 3).stretch
    (1.0, 1.5, 2.0)
    """
    fixed, item = _two_times(fixed_time, item_time)
    sizes = np.arange(1, whole("largest", largest, 1, _MOST_IN_BATCH) + 1)
    return Batch(int(sizes[-1]), stretch=tuple(((fixed + item * sizes) / (fixed + item)).tolist()))


def _chain(rate: float, fixed: float, item: float, most: float, states: int) -> Floats:
    """Return the chances of 1, 2, ... requests present at the start of a service."""
    present = np.arange(1, states + 1)
    batch = np.minimum(present, most)
    left = (present - batch).astype(np.int64)
    mean = rate * (fixed + item * batch)
    arrived = np.arange(states + 1)
    law = np.exp(arrived * np.log(mean)[:, None] - mean[:, None] - gammaln(arrived + 1))
    step = np.zeros((states, states + 1))
    for row, stay in enumerate(left):
        step[row, stay:] = law[row, : states + 1 - stay]
    step[:, 1] += step[:, 0]
    step = step[:, 1:]
    step[:, -1] += np.maximum(1 - step.sum(axis=1), 0.0)
    equations = np.vstack([(step.T - np.eye(states))[:-1], np.ones(states)])
    return np.asarray(np.linalg.solve(equations, np.append(np.zeros(states - 1), 1.0)))


def _times(fixed_time: ArrayLike, item_time: ArrayLike) -> tuple[Floats, Floats]:
    fixed, item = non_negative("fixed_time", fixed_time), positive("item_time", item_time)
    check_shapes(fixed_time=fixed, item_time=item)
    return fixed, item


def _two_times(fixed_time: float, item_time: float) -> tuple[float, float]:
    fixed = one_number("fixed_time", fixed_time, non_negative)
    return fixed, one_number("item_time", item_time, positive)


def _below_one(utilization: Floats) -> Floats:
    if not (finite("utilization", utilization) < 1).all():
        raise ValueError(
            f"arrival_rate must be below the capacity, got {float(np.max(utilization)):.6g} of it"
        )
    return utilization
