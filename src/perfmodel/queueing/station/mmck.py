"""M/M/c/K: stations whose waiting room is finite, so that a full one turns jobs away.

A car park with K places. However high the offered load, there is a steady state: what is lost
bounds what waits. A large room loses few jobs and keeps those it takes waiting long.

Source: L. Kleinrock, "Queueing Systems", vol. 1, Wiley, 1975, sections 3.5 to 3.7.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincc

from perfmodel.queueing.distributions.tails import invert_tail
from perfmodel.queueing.station.birth_death import birth_death_probabilities
from perfmodel.queueing.station.erlang import erlang_b
from perfmodel.queueing.station.result import StationResult
from perfmodel.validation import (
    Floats,
    check_shapes,
    non_negative,
    one_number,
    positive,
    whole,
    whole_numbers,
)

_MOST_PLACES = 10_000_000
_OVERHEAD, _MOST_STEPS = 150, 2e7
"""Of each value, and of all, in terms of the sums over places."""


def mmck(
    arrival_rate: ArrayLike, service_rate: ArrayLike, servers: ArrayLike, capacity: ArrayLike
) -> StationResult:
    """Solve the M/M/c/K queue: c servers and room for K jobs. A job that finds K is lost.

    Parameters
    ----------
    arrival_rate : array_like
        Offered jobs per second, above 0; they may be more than the servers can do.
    service_rate : array_like
        mu of one server in jobs per second, above 0.
    servers : array_like
        c, whole, 1 or more. All four arguments broadcast, to 100,000 values if each has less than
        50 places to wait, to 2 if it has ten million.
    capacity : array_like
        K, whole, at least c; it counts the jobs in service. K = c is Erlang's loss system.

    Returns
    -------
    StationResult
        `throughput` of the accepted jobs, times of those, and `loss_probability`.

    Raises
    ------
    ValueError
        If an argument is out of range, not whole, the capacity is below the servers, or there are
        more values than take some seconds.

    Examples
    --------
    >>> finite = mmck(3, 2, servers=2, capacity=5)
    >>> print(finite.loss_probability.round(6), finite.waiting_time.round(6))
    0.085114 0.230858
    """
    rate, mu = positive("arrival_rate", arrival_rate), positive("service_rate", service_rate)
    c, room = whole_numbers("servers", servers, 1), whole_numbers("capacity", capacity, 1)
    check_shapes(arrival_rate=rate, service_rate=mu, servers=c, capacity=room)
    if (room < c).any() or (room - c > _MOST_PLACES).any():
        raise ValueError(
            f"capacity must be from servers = {servers!r} to {_MOST_PLACES} more, got {capacity!r}"
        )
    whole("number of values", np.broadcast(rate, mu, c, room).size, 1, _most_values(c, room))
    solve = np.vectorize(_finite_queue, otypes=[float, float, float])
    served, lost, line = solve(erlang_b(c - 1, rate / mu), rate / mu / c, room - c)
    throughput = rate * served
    return StationResult(
        arrival_rate=np.broadcast_to(rate, throughput.shape),
        throughput=throughput,
        utilization=throughput / (c * mu),
        response_time=line / throughput + 1 / mu,
        waiting_time=line / throughput,
        queue_length=line + throughput / mu,
        waiting_length=line,
        method="M/M/c/K",
        loss_probability=lost,
    )


def mmck_waiting_tail(
    time: ArrayLike, arrival_rate: float, service_rate: float, servers: int, capacity: int
) -> Floats:
    """Return P(waiting time > t) of the jobs that an M/M/c/K station accepts.

    Parameters
    ----------
    time : array_like
        t in seconds, 0 or more.
    arrival_rate, service_rate, servers, capacity : float or int
        As for `mmck`, one station.

    Returns
    -------
    ndarray
        Probability from 0 to 1: a job that finds n >= c jobs waits for n - c + 1 departures.

    Examples
    --------
    >>> print(mmck_waiting_tail([0.0, 0.5], 3, 2, 2, 5).round(4))
    [0.51   0.1809]
    """
    t = non_negative("time", time)
    accepted = mmck_probabilities(arrival_rate, service_rate, servers, capacity)[:-1]
    queued = accepted[whole("servers", servers, 1) :] / accepted.sum()
    departures = np.arange(1, queued.size + 1)
    check_shapes(time=t)
    clock = servers * float(service_rate) * t[..., np.newaxis]
    return np.asarray((queued * gammaincc(departures, clock)).sum(-1))


def mmck_waiting_quantile(
    probability: ArrayLike, arrival_rate: float, service_rate: float, servers: int, capacity: int
) -> Floats:
    """Return the waiting time in seconds that a share of the accepted jobs stays within.

    Parameters
    ----------
    probability : array_like
        p from 0 to below 1.
    arrival_rate, service_rate, servers, capacity : float or int
        As for `mmck`, one station.

    Returns
    -------
    ndarray
        The root of `mmck_waiting_tail` at 1 - p; 0 where a share p does not wait.

    Examples
    --------
    >>> print(mmck_waiting_quantile([0.5, 0.9], 3, 2, 2, 5).round(4))
    [0.0113 0.7361]
    """
    return invert_tail(
        lambda t: mmck_waiting_tail(t, arrival_rate, service_rate, servers, capacity),
        probability,
    )


def mmck_probabilities(
    arrival_rate: float, service_rate: float, servers: int, capacity: int
) -> Floats:
    """Return the probabilities of 0 to K jobs in an M/M/c/K station.

    Parameters
    ----------
    arrival_rate, service_rate, servers, capacity : float or int
        As for `mmck`, one station.

    Returns
    -------
    ndarray, shape (K + 1,)
        Steady-state probabilities; an arrival sees the same ones (PASTA).

    Raises
    ------
    ValueError
        If an argument is out of range or not whole, or the capacity is below the servers.

    Examples
    --------
    >>> print(mmck_probabilities(3, 2, 2, 5).round(4))
    [0.1793 0.269  0.2018 0.1513 0.1135 0.0851]
    """
    rate = one_number("arrival_rate", arrival_rate, positive)
    mu = one_number("service_rate", service_rate, positive)
    c = whole("servers", servers, 1, _MOST_PLACES)
    room = whole("capacity", capacity, c, _MOST_PLACES)
    return birth_death_probabilities(
        np.full(room, rate), mu * np.minimum(np.arange(1, room + 1), c)
    )


def _most_values(servers: Floats, capacity: Floats) -> int:
    """Return how many values take some seconds: each sums over its places."""
    steps = _OVERHEAD + (capacity - servers).max() + 10 * np.sqrt(servers.max())
    return max(1, int(_MOST_STEPS / steps))


def _finite_queue(lost: float, ratio: float, waiting: float) -> tuple[float, float, float]:
    """Return the share served, the share lost and the mean number waiting.

    `lost` is Erlang's B of one server less, `ratio` the offered load over the servers.
    """
    places = np.arange(waiting + 1)
    full = lost * ratio
    shift = places[-1] if ratio > 1 else 0.0
    some_free = ratio**-shift
    weights = full * ratio ** (places - shift)
    total = some_free + weights.sum()
    return (
        (some_free + weights[:-1].sum()) / total,
        weights[-1] / total,
        places @ weights / total,
    )
