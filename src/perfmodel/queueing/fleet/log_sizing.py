"""How many servers does a log need: the log replayed with 1, 2, ... servers, and formulas beside.

A formula knows the means and the variabilities of a log. A replay also knows the order: bursts,
slow hours and the long request that came at the wrong moment. Where they disagree the replay
counts. It starts empty as the log does and leaves out nothing of its beginning.

Sources: J. Kiefer and J. Wolfowitz, Transactions of the American Mathematical Society 78(1), 1955
(the recursion); H. R. Künsch, "The jackknife and the bootstrap for general stationary
observations", Annals of Statistics 17(3), 1989 (resampled stretches).
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import partial
from math import floor, log
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.compilation import compiled_if_long
from perfmodel.measurement.statistics.intervals import check_level, percentile_interval
from perfmodel.measurement.statistics.quantiles import sample_quantile
from perfmodel.queueing.operational_analysis.sample_path import checked_path
from perfmodel.queueing.station.erlang import erlang_c
from perfmodel.validation import Floats, non_negative, one_number, one_of, whole

SizingTarget = Literal["wait", "response"]
_STRETCHES = 20
"""Stretches of consecutive requests that a resampled log is put together from."""
_HALVINGS = 7
"""Replays that the search for one count takes."""
_STEPS = 1.5e8
"""Steps of replays that are spent on resampling: some seconds when compiled."""
_MOST_SERVERS = 10_000_000
_ROUNDING = 1 + 1e-9
"""A time that exceeds the limit by less, relatively, keeps it."""


@dataclass(frozen=True, eq=False)
class LogSizing:
    """The fewest servers that meet a limit on a log, by replay and by formulas."""

    servers: int | None
    """By replay; None if no number of servers meets the limit."""
    interval: tuple[int, int] | None
    """Of `servers` over logs resampled from the log's stretches; None if one of them
    needs more servers than any number gives."""
    markovian: int | None
    """By M/M/c, which takes arrivals and service for memoryless; None for a response time."""
    two_moments: int | None
    """By Allen-Cunneen with the log's variabilities; None for a response time."""
    requests: int
    arrival_rate: float
    """Requests per second between the first and the last arrival."""
    mean_service: float
    """Seconds."""
    gap_scv: float
    """Squared coefficient of variation of the times between arrivals; 1 for Poisson."""
    service_scv: float
    expected_exceedances: float
    """Requests that the limit's percentile leaves above it; all of them for the mean."""
    tied: float
    """Share of the requests that arrive at the same instant as the one before."""

    @property
    def offered_load(self) -> float:
        """Servers that are busy on average."""
        return self.arrival_rate * self.mean_service


def replay_waits(arrivals: ArrayLike, sizes: ArrayLike, servers: int = 1) -> Floats:
    """Return how long each request of a log waits for one of `servers`, first come first served.

    Parameters
    ----------
    arrivals : array_like, shape (n,)
        Instants in seconds, not falling.
    sizes : array_like, shape (n,)
        Service times in seconds, 0 or more.
    servers : int
        1 or more; all are free at the beginning.

    Returns
    -------
    ndarray, shape (n,)
        Seconds.

    Raises
    ------
    ValueError
        If the arrivals fall, a size is negative, or the lengths differ.

    Examples
    --------
    >>> print(replay_waits([0, 1, 2, 3], [5, 5, 5, 5], servers=2))
    [0. 0. 3. 3.]
    """
    when, work = checked_path(arrivals, sizes)
    return _replayed(when, work, whole("servers", servers, 1, _MOST_SERVERS))


def size_from_log(
    arrivals: ArrayLike,
    sizes: ArrayLike,
    *,
    limit: float,
    level: float | None = 0.99,
    target: SizingTarget = "wait",
    confidence: float = 0.95,
    resamples: int = 100,
    seed: int = 0,
) -> LogSizing:
    """Return the fewest servers with which a log meets a limit on its waits or response times.

    Parameters
    ----------
    arrivals : array_like, shape (n,)
        Instants in seconds, not falling; 20 requests or more.
    sizes : array_like, shape (n,)
        Service times in seconds, 0 or more: how long a request holds a server, without its wait.
    limit : float
        Seconds, 0 or more.
    level : float or None
        The quantile that must stay at the limit or below, from 0 to 1; None for the mean.
    target : {'wait', 'response'}
        Which time the limit is for.
    confidence : float
        Level of the interval, above 0 and below 1.
    resamples : int
        Logs that are resampled for the interval; a long log gets fewer, at least 20.
    seed : int
        Of the resampling.

    Returns
    -------
    LogSizing
        The count is at least the smallest that is busy less than all the time.

    Raises
    ------
    ValueError
        If an argument is out of range, the log is too short, or all its requests come at once.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> when, work = np.cumsum(rng.exponential(0.1, 2000)), rng.exponential(0.5, 2000)
    >>> found = size_from_log(when, work, limit=0.5, level=0.95)
    >>> found.servers, found.markovian
    (7, 8)
    """
    when, work = checked_path(arrivals, sizes)
    if when.size < _STRETCHES:
        raise ValueError(f"arrivals must be {_STRETCHES} requests or more, got {when.size}")
    if when[-1] == when[0] or not work.any():
        raise ValueError("arrivals and sizes must take time, got a log of length or work 0")
    most = one_number("limit", limit, non_negative)
    check_level(confidence)
    quantile = None if level is None else one_number("level", level)
    if quantile is not None and not 0 < quantile < 1:
        raise ValueError(f"level must be above 0 and below 1, got {level!r}")
    of_response = one_of("target", target, ("wait", "response")) == "response"
    gaps = np.diff(when)
    rate, mean = (when.size - 1) / float(when[-1] - when[0]), float(work.mean())
    least = floor(rate * mean) + 1
    count = int(min(whole("resamples", resamples, 20), max(20, _STEPS / (50 * when.size))))
    search = partial(
        _fewest,
        limit=most,
        level=quantile,
        of_response=of_response,
        least=least,
        replays=_HALVINGS * count,
    )
    servers = search(when, work)
    gap_scv, service_scv = float(gaps.var() / gaps.mean() ** 2), float(work.var() / mean**2)
    found = [search(*log) for log in _resampled(when, work, count, np.random.default_rng(seed))]
    ends = None
    if servers is not None and None not in found:
        low, high = percentile_interval([float(c or 0) for c in found], confidence)
        ends = min(servers, floor(low)), max(servers, -floor(-high))
    formulas: tuple[int | None, ...] = (None, None)
    if not of_response:
        load = rate * mean
        formulas = tuple(
            _by_formula(load, mean, stretch, most, quantile, least)
            for stretch in (1.0, (gap_scv + service_scv) / 2)
        )
    return LogSizing(
        servers=servers,
        interval=ends,
        markovian=formulas[0],
        two_moments=formulas[1],
        requests=when.size,
        arrival_rate=rate,
        mean_service=mean,
        gap_scv=gap_scv,
        service_scv=service_scv,
        expected_exceedances=when.size * (1 - (quantile or 0.0)),
        tied=float((gaps == 0).mean()),
    )


def _fewest(
    when: Floats,
    work: Floats,
    limit: float,
    level: float | None,
    of_response: bool,
    least: int,
    replays: int,
) -> int | None:
    """Return the fewest servers that meet the limit; waits fall with every further server."""
    if _figure(work if of_response else np.zeros(1), level) > limit * _ROUNDING:
        return None

    def keeps(servers: int) -> bool:
        waits = _replayed(when, work, servers, replays)
        return _figure(waits + work if of_response else waits, level) <= limit * _ROUNDING

    most = max(least, _most_inside(when, work))
    return least + bisect_left(range(least, most), True, key=keeps)


def _figure(times: Floats, level: float | None) -> float:
    return float(times.mean() if level is None else sample_quantile(times, level))


def _most_inside(when: Floats, work: Floats) -> int:
    """Return how many requests are inside at once if none has to wait."""
    ends = np.sort(when + work)
    inside = np.arange(1, when.size + 1) - np.searchsorted(ends, when, side="right")
    return int(inside.max())


def _resampled(
    when: Floats, work: Floats, count: int, rng: np.random.Generator
) -> list[tuple[Floats, Floats]]:
    """Return logs of stretches drawn from the log, each gap with the request that ends it."""
    gaps = np.diff(when, prepend=when[0] - np.diff(when).mean())
    length = -(-when.size // _STRETCHES)
    starts = rng.integers(0, when.size - length + 1, (count, _STRETCHES))
    places = (starts[:, :, None] + np.arange(length)).reshape(count, -1)[:, : when.size]
    return [(np.cumsum(gaps[place]), work[place]) for place in places]


def _by_formula(
    load: float, mean: float, stretch: float, limit: float, level: float | None, least: int
) -> int | None:
    """Return the fewest servers by Erlang's C, with its conditional wait stretched."""

    def keeps(servers: int) -> bool:
        delayed = float(erlang_c(servers, load))
        wait = stretch * mean / (servers - load)
        if level is None:
            return delayed * wait <= limit
        return wait * log(max(delayed / (1 - level), 1.0)) <= limit

    most = least
    while not keeps(most) and most < _MOST_SERVERS:
        most *= 2
    return least + bisect_left(range(least, most), True, key=keeps)


def _replayed(when: Floats, work: Floats, servers: int, replays: int = 1) -> Floats:
    waits = np.empty(when.size)
    loop = compiled_if_long(_serve, float(replays * when.size))
    loop(when, work, np.full(min(servers, when.size), when[0]), waits)
    return waits


def _serve(when: Floats, work: Floats, free: Floats, waits: Floats) -> None:
    """Fill `waits`; `free` is a heap of the instants at which servers become free."""
    count = free.size
    for i in range(when.size):
        start = max(when[i], free[0])
        waits[i] = start - when[i]
        until = start + work[i]
        place = 0
        while 2 * place + 1 < count:
            child = 2 * place + 1
            if child + 1 < count and free[child + 1] < free[child]:
                child += 1
            if free[child] >= until:
                break
            free[place] = free[child]
            place = child
        free[place] = until
