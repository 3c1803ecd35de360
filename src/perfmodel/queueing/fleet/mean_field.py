"""Mean field: very many small parts, each seeing only the average of the others.

As their number grows, the shares of parts in each state stop fluctuating and follow a
differential equation, whose rest point is the steady state.

>>> tail = supermarket(utilization=0.9, choices=2, times=[0.0, 400.0])[-1]
>>> print(tail[:4].round(4))
[1.     0.9    0.729  0.4783]
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.network.model import Network, checked_network
from perfmodel.validation import (
    Floats,
    at_most,
    check_shapes,
    finite,
    function,
    non_negative,
    one_number,
    sample,
    whole,
    within,
)

_MOST_LEVELS = 1000
_MOST_FOLLOWED, _NEGLIGIBLE = 20_000, 1e-10
"""Longest queue that is followed; fraction of servers that may have it, over 1 - rho."""
_MOST_VALUES = 5000
_LATEST = 1e9
_OF_ITSELF, _OF_START = 1e-9, 1e-12
"""Tolerances of a value: relative to the value, and to its start."""
_NOISE = 10 * _OF_START


def follow_drift(drift: Callable[[Floats], Floats], start: ArrayLike, times: ArrayLike) -> Floats:
    """Return the solution of dx/dt = drift(x) at each of `times`.

    Parameters
    ----------
    drift : callable
        Takes and returns an array of the shape of `start`; per second.
    start : array_like
        x at time 0.
    times : array_like, shape (times,)
        Seconds, increasing.

    Returns
    -------
    ndarray, shape (times, ...)
        The error of a step is below 1e-9 of a value, or below 1e-12 of the value's start, if that
        is more. A value that starts from 0 counts as the smallest other one.

    Raises
    ------
    ValueError
        If a time is negative or they do not increase, or the equation cannot be followed.

    Examples
    --------
    >>> print(follow_drift(lambda x: -x, [1.0], [0.0, 1.0]).round(4).tolist())
    [[1.0], [0.3679]]
    """
    begin, when = finite("start", start), non_negative("times", times)
    check_shapes(start=begin)
    whole("number of values in start", begin.size, 1, _MOST_VALUES)
    _check_times(when, times)
    function("drift", drift, "x")
    first = finite("drift at start", drift(begin.copy()))
    if first.shape != begin.shape:
        raise ValueError(f"drift must return the shape {begin.shape} of start, got {first.shape}")
    return _followed(lambda x: drift(x.reshape(begin.shape)).ravel(), begin, first, when)


def _check_times(when: Floats, times: ArrayLike) -> None:
    if when.ndim != 1 or not when.size or (np.diff(when) <= 0).any():
        raise ValueError(f"times must be a list that increases, got {times!r}")


def _followed(
    drift: Callable[[Floats], Floats],
    begin: Floats,
    first: Floats,
    when: Floats,
    **band: int,
) -> Floats:
    """Return the solution at each moment; `first` is the drift at the beginning.

    `band` says how many entries below and above itself a value's drift depends on, as lband and
    uband; on all if left out.
    """
    from scipy.integrate import solve_ivp

    end = float(when[-1])
    if not end:
        return begin[np.newaxis].copy()
    size = np.abs(begin.ravel())
    known = size if size.any() else np.abs(first.ravel()) * end
    least = known[known > 0].min(initial=np.inf)
    floor = _OF_START * np.where(size > 0, size, least if np.isfinite(least) else 1.0)
    path = solve_ivp(
        lambda _, x: drift(x),
        (0.0, end),
        begin.ravel(),
        "LSODA",
        t_eval=when,
        rtol=_OF_ITSELF,
        atol=floor,
        **band,
    )
    if not path.success or not np.isfinite(path.y).all():
        why = "no finite values" if path.success else path.message
        raise ValueError(f"drift must be smooth enough to follow for {end:g} s, got: {why}")
    return np.asarray(path.y.T.reshape(when.size, *begin.shape))


def supermarket(
    utilization: float,
    choices: int,
    times: ArrayLike,
    start: ArrayLike = (1.0,),
    levels: int | None = None,
) -> Floats:
    """Return the share of servers with i jobs or more over time, where each job asks d of them.

    Parameters
    ----------
    utilization : float
        rho of each server, its arrival rate in units of its service rate, from 0 to below 1.
    choices : int
        Servers d that a job asks, joining the shortest queue.
    times : array_like, shape (times,)
        In mean service times, up to 1e9, 0 or more.
    start : array_like
        Shares at time 0, beginning with 1 for i = 0; all servers empty if left out.
    levels : int, optional
        Longest queue that is returned, up to 1,000; longer ones are followed all the same. If left
        out, 60 or as many as it takes to count all jobs.

    Returns
    -------
    ndarray, shape (times, levels + 1)
        Shares from 0 to 1, which fall with i.

    Raises
    ------
    ValueError
        If an argument is out of range, or `start` does not fall from 1; or if queues of more than
        20,000 jobs would matter.

    References
    ----------
    M. Mitzenmacher, PhD thesis, Berkeley, 1996; N. Vvedenskaya et al., Problems of Information
    Transmission 32(1), 1996: ds_i/dt = rho (s_(i-1)^d - s_i^d) - (s_i - s_(i+1)).
    """
    rate = one_number("utilization", utilization, partial(within, low=0, high=np.nextafter(1, 0)))
    d = whole("choices", choices, low=1)
    begin = within("start", sample("start", start), 0, 1)
    most = _MOST_LEVELS if levels is None else whole("levels", levels, 1, _MOST_LEVELS)
    if begin.size > most + 1 or begin[0] != 1 or (np.diff(begin) > 0).any():
        raise ValueError(f"start must fall from 1 over at most {most + 1} shares, got {start!r}")
    when = non_negative("times", at_most("times", times, _LATEST))
    _check_times(when, times)

    def drift(s: Floats) -> Floats:
        joins = rate * (s[:-1] ** d - s[1:] ** d)
        leaves = s[1:] - np.append(s[2:], 0.0)
        return np.concatenate([[0.0], joins - leaves])

    longest, few = max(60, levels or 0, 2 * begin.size), max(_NEGLIGIBLE * (1 - rate), _NOISE)
    while longest <= _MOST_FOLLOWED:
        shares = np.zeros(longest + 1)
        shares[: begin.size] = begin
        path = _followed(drift, shares, drift(shares), when, lband=1, uband=1)
        if np.abs(path[:, -1]).max() <= few:
            falling = np.minimum.accumulate(np.clip(path, 0.0, 1.0), axis=1)
            return np.asarray(falling if levels is None else falling[:, : most + 1])
        longest *= 2
    raise ValueError(
        f"utilization must leave queues of at most {_MOST_FOLLOWED} jobs by {when[-1]:g} mean "
        f"service times, got {utilization!r}"
    )


def fluid_network(network: Network, start: ArrayLike, times: ArrayLike) -> Floats:
    """Return the jobs of each class at each station over time, as a fluid.

    The limit of many jobs and fast servers: each station is drained at its speed for the jobs
    present, shared among them. It shows overload, drains and the way to a steady state; in it
    nobody waits at a station with servers to spare.

    Parameters
    ----------
    network : Network
        Classes open or closed; `start` says where the jobs of closed ones are, and the rest of
        them think.
    start : array_like, shape (classes, stations)
        Jobs at time 0.
    times : array_like, shape (times,)
        Seconds, increasing.

    Returns
    -------
    ndarray, shape (times, classes, stations)

    Raises
    ------
    ValueError
        If `start` has the wrong shape or more jobs than a closed class, or a closed class's
        jobs neither start at a station nor think.

    Examples
    --------
    >>> from perfmodel.queueing.network.model import JobClass, Station
    >>> busy = Network([Station("cpu")], [JobClass("web", arrival_rate=3)], [0.25])
    >>> print(fluid_network(busy, [[10]], [0, 4, 8, 100]).ravel().round(3))
    [10.    6.    2.    0.75]
    """
    checked_network(network)
    jobs = non_negative("start", start)
    if jobs.shape != network.visits.shape:
        raise ValueError(f"start must have shape {network.visits.shape}, got {jobs.shape}")
    _check_start(network, jobs)
    routes = [network.route(j) for j in range(len(network.classes))]
    entry, matrix = np.array([e for e, _ in routes]), np.array([m for _, m in routes])
    rate = np.divide(
        1.0,
        network.mean_service,
        where=network.mean_service > 0,
        out=np.zeros_like(network.mean_service),
    )
    think, leave = network.think_time, 1 - matrix.sum(axis=2)

    def drift(x: Floats) -> Floats:
        x = np.maximum(x, 0.0)
        done = x * rate * _share(network, x.sum(axis=0))
        ended = (done * leave).sum(axis=1)
        thinking = np.maximum(network.population - x.sum(axis=1), 0.0)
        back = np.divide(thinking, think, out=ended.copy(), where=think > 0)
        back = np.where(network.is_open, network.arrival_rate, back)
        moved = np.einsum("jk,jkl->jl", done, matrix)
        return np.asarray(back[:, None] * entry + moved - done)

    return np.maximum(follow_drift(drift, jobs, times), 0.0)


def _share(network: Network, present: Floats) -> Floats:
    """Return the speed that each job gets at each station, interpolated between whole numbers."""
    speeds = []
    for station, n in zip(network.stations, present, strict=True):
        low = np.floor(n)
        near = station.speed([low, low + 1])
        speeds.append(near[0] + (n - low) * (near[1] - near[0]))
    return np.where(present > 0, np.array(speeds) / np.where(present > 0, present, 1.0), 1.0)


def _check_start(network: Network, jobs: Floats) -> None:
    for job, held in zip(network.classes, jobs.sum(axis=1), strict=True):
        if job.population is None:
            continue
        if held > job.population or (held < job.population and not job.think_time):
            raise ValueError(
                f"start of class {job.name!r} must hold its {job.population} jobs (fewer where "
                f"the rest think), got {held:g}"
            )
