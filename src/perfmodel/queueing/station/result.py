"""The result of solving one station: the means, how they were found, and when to doubt them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, within


@dataclass(frozen=True)
class StationResult:
    """Means of a station in its steady state; arrays where the inputs were arrays."""

    arrival_rate: Floats
    """Jobs per second that are offered."""
    throughput: Floats
    """Jobs per second that are served; below `arrival_rate` where jobs are turned away."""
    utilization: Floats
    """Mean share of the servers that are busy (mean number busy where there is no limit)."""
    response_time: Floats
    """Mean seconds from arrival to departure, of the jobs that are served."""
    waiting_time: Floats
    """Mean seconds before service starts (response time less service time under preemption)."""
    queue_length: Floats
    """Mean number of jobs at the station, waiting or in service."""
    waiting_length: Floats
    """Mean number of jobs that wait."""
    method: str
    """Name of the formula or algorithm."""
    exact: bool = True
    """False for an approximation, a bound or a limit."""
    warning: str = ""
    """When not to trust the figures; empty where there is nothing to say."""
    loss_probability: Floats = field(default_factory=lambda: np.zeros(()))
    """Share of the offered jobs that are turned away."""


def from_waiting(
    arrival_rate: Floats,
    service_time: ArrayLike,
    waiting_time: Floats,
    method: str,
    *,
    servers: ArrayLike = 1,
    exact: bool = True,
    warning: str = "",
) -> StationResult:
    """Return the result of a station that turns no job away, the rest by Little's law.

    >>> result = from_waiting(np.float64(0.5), 1.0, np.float64(1.0), "M/M/1")
    >>> print(result.response_time, result.queue_length, result.utilization)
    2.0 1.0 0.5
    """
    service = np.asarray(service_time, dtype=np.float64)
    response = waiting_time + service
    rate, response, waiting = np.broadcast_arrays(arrival_rate, response, waiting_time)
    return StationResult(
        arrival_rate=rate[()],
        throughput=rate[()],
        utilization=rate * service / np.asarray(servers, dtype=np.float64),
        response_time=response[()],
        waiting_time=waiting[()],
        queue_length=rate * response,
        waiting_length=rate * waiting,
        method=method,
        exact=exact,
        warning=warning,
    )


def stable(utilization: ArrayLike) -> Floats:
    """Return the utilization, refusing 1 and above, where the queue has no steady state.

    >>> stable(1.25)
    Traceback (most recent call last):
        ...
    ValueError: utilization must be below 1 for a steady state, got 1.25
    """
    load = np.asarray(utilization, dtype=np.float64)
    if not (load < 1).all():
        raise ValueError(
            f"utilization must be below 1 for a steady state, got {float(np.max(load)):g}"
        )
    return load


def whole_numbers(name: str, value: ArrayLike, low: int) -> Floats:
    """Return an array of whole numbers of `low` or more, as floats.

    >>> whole_numbers("servers", 2.5, 1)
    Traceback (most recent call last):
        ...
    ValueError: servers must be whole and 1 or more, got 2.5
    """
    array = np.asarray(value)
    fine = array.dtype.kind in "iuf" and (np.isfinite(array) & (array >= low)).all()
    if not fine or (array != np.floor(array)).any():
        raise ValueError(f"{name} must be whole and {low} or more, got {value!r}")
    return array.astype(np.float64)


def invert_tail(tail: Callable[[Floats], Floats], probability: ArrayLike) -> Floats:
    """Return the smallest t of 0 or more with tail(t) <= 1 - probability, by bisection.

    `tail` must fall to 0 from whatever it is at 0, and take an array like `probability`.

    >>> print(invert_tail(lambda t: np.exp(-t), [0.0, 0.5]).round(6))
    [0.       0.693147]
    """
    target = 1 - probabilities(probability)
    low, high = np.zeros_like(target), np.full_like(target, 1e-12)
    while (late := tail(high) > target).any():
        low, high = np.where(late, high, low), np.where(late, 4 * high, high)
    for _ in range(64):
        middle = (low + high) / 2
        late = tail(middle) > target
        low, high = np.where(late, middle, low), np.where(late, high, middle)
    return np.where(tail(np.zeros_like(target)) <= target, 0.0, high)[()]


def probabilities(probability: ArrayLike) -> Floats:
    """Return `probability` as an array of values from 0 to below 1.

    >>> probabilities(1.0)
    Traceback (most recent call last):
        ...
    ValueError: probability must be from 0 to below 1, got 1.0
    """
    p = within("probability", probability, 0, 1)
    if (p == 1).any():
        raise ValueError(f"probability must be from 0 to below 1, got {probability!r}")
    return p
