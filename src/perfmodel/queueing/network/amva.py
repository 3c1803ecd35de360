"""Approximate mean value analysis, for closed networks too large to solve exactly.

Exact MVA needs the queue lengths with one job less, and these in turn those with two less, down
to nobody. Bard and Schweitzer close the recursion with a guess: with one job of a class less, that
class's queues shrink by 1/N. Linearizer (Chandy and Neuse) estimates how wrong the guess is.

>>> from perfmodel.queueing.network.model import JobClass, Network, Station
>>> users = JobClass("users", population=3, think_time=15)
>>> stations = [Station("cpu"), Station("disk 1"), Station("disk 2")]
>>> close = bard_schweitzer(Network(stations, [users], service=[0.605, 2.1, 1.35]))
>>> print(close.throughput.round(3), close.response_time.round(2), close.exact)
[0.151] [4.87] False
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perfmodel.queueing.network.model import Network
from perfmodel.queueing.network.solution import Solution, check_closed, checked_solution
from perfmodel.validation import Floats, one_number, positive, whole

SEIDMANN = (
    "stations with c servers are approximated by one server c times as fast and a delay "
    "(Seidmann), worst at middle loads"
)


def bard_schweitzer(
    network: Network, tolerance: float = 1e-10, max_iterations: int = 100_000
) -> Solution:
    """Solve a closed network by the fixed point of Bard and Schweitzer.

    The cost, classes times stations a round, does not depend on the populations. The error of
    throughputs is mostly below 6 %, largest at populations of a few jobs, and nil at one job.

    Parameters
    ----------
    network : Network
        All classes closed; multi-server stations are approximated and labelled so.
    tolerance : float
        Largest change of a queue length, as a share of its class's population, at the end, above 0.
    max_iterations : int
        Rounds to take at most.

    Returns
    -------
    Solution
        `exact` is False unless a job can't find others, or always finds all of them: one job in
        all, or delays only, or one server only. `iterations` are the rounds taken.

    Raises
    ------
    ValueError
        If a class is open, a station is load-dependent or of finite capacity, or the fixed point
        is not reached in `max_iterations`.

    References
    ----------
    P. Schweitzer, Int. Conf. on Stochastic Control and Optimization, Amsterdam, 1979.
    """
    model = _single_servers(network)
    population = model.population
    queue, rounds = _core(
        model, population, model.spread(population), 0.0, tolerance, max_iterations
    )
    residence = model.residence(queue, population, 0.0)
    return _solution(network, model, "Bard-Schweitzer", residence, rounds)


def linearizer(
    network: Network, tolerance: float = 1e-8, max_iterations: int = 100_000
) -> Solution:
    """Solve a closed network by Linearizer: Bard-Schweitzer corrected by its own errors.

    It solves the network, and each network with one job of a class less, three times over; the
    cost is that of Bard-Schweitzer times three times the classes plus one, and the error is
    mostly below 1 %.

    Parameters
    ----------
    network : Network
        All classes closed; multi-server stations are approximated and labelled so.
    tolerance : float
        Largest change of a queue length, as a share of its class's population, at the end.
    max_iterations : int
        Rounds of each inner fixed point at most.

    Returns
    -------
    Solution
        `exact` as for `bard_schweitzer`; `iterations` counts all inner rounds.

    Raises
    ------
    ValueError
        As `bard_schweitzer`.

    References
    ----------
    K. M. Chandy, D. Neuse, Communications of the ACM 25(2), 1982.
    """
    model = _single_servers(network)
    population = model.population
    fewer = population - np.eye(population.size)
    all_queue, less = model.spread(population), model.spread(fewer)
    shift = np.zeros((population.size, *all_queue.shape))
    total = 0
    for sweep in range(3):
        extra = _foreseen(population, shift)
        all_queue, rounds = _core(model, population, all_queue, extra, tolerance, max_iterations)
        total += rounds
        if sweep < 2:
            extra = _foreseen(fewer, shift)
            less, rounds = _core(model, fewer, less, extra, tolerance, max_iterations)
            total += rounds
            shift = _shares(less, fewer) - _shares(all_queue, population)
            shift[fewer == 0] = 0.0
    residence = model.residence(all_queue, population, _foreseen(population, shift))
    return _solution(network, model, "Linearizer", residence, total)


@dataclass(frozen=True, eq=False)
class _Model:
    demand: Floats
    """At single servers; shape (classes, stations), 0 for delay stations."""
    outside: Floats
    delay: Floats
    population: Floats

    def spread(self, population: Floats) -> Floats:
        """Return a first guess, shape (..., classes, stations): spread in proportion to demand."""
        shares = self.demand + 1e-300
        return np.asarray(population[..., None] * shares / shares.sum(axis=1, keepdims=True))

    def residence(self, queue: Floats, population: Floats, extra: Floats | float) -> Floats:
        """Return demands stretched by the queues that a job of each class is guessed to find."""
        ahead = queue.sum(axis=-2, keepdims=True) - _shares(queue, population) + extra
        return np.asarray(self.demand * np.maximum(1 + ahead, 1.0))

    def throughput(self, population: Floats, residence: Floats) -> Floats:
        """Return Little's law over the whole cycle, shape (..., classes)."""
        fixed = self.outside + self.delay.sum(axis=1)
        return np.asarray(population / (fixed + residence.sum(axis=-1)))


def _shares(queue: Floats, population: Floats) -> Floats:
    """Return the share of a class that is at each station; 0 for a class without jobs."""
    some = population[..., None] > 0
    return np.divide(queue, population[..., None], out=np.zeros_like(queue), where=some)


def _foreseen(population: Floats, shift: Floats) -> Floats:
    """Return what the shifts [j, i, k] add to the queues that class j finds, (..., j, k)."""
    less = np.maximum(population[..., None, :] - np.eye(population.shape[-1]), 0)
    return np.asarray(np.einsum("...ji,jik->...jk", less, shift, optimize=True))


def _single_servers(network: Network) -> _Model:
    check_closed(network)
    demand, delay = network.service_demand.copy(), np.zeros_like(network.service_demand)
    for k, station in enumerate(network.stations):
        if station.speeds:
            raise ValueError(
                f"station {station.name!r} must not be load-dependent here, got speeds "
                f"{station.speeds}: use mva.exact_mva"
            )
        servers = np.inf if station.is_delay else station.servers
        delay[:, k] = demand[:, k] * (1 - 1 / servers)
        demand[:, k] /= servers
    return _Model(demand, network.think_time, delay, network.population.astype(float))


def _core(
    model: _Model,
    population: Floats,
    queue: Floats,
    extra: Floats | float,
    tolerance: float,
    most: int,
) -> tuple[Floats, int]:
    limit, before = one_number("tolerance", tolerance, positive), queue
    for count in range(1, whole("max_iterations", most, low=1) + 1):
        residence = model.residence(queue, population, extra)
        fresh = model.throughput(population, residence)[..., None] * residence
        step = fresh - queue
        change = np.abs(step).max(axis=-1) / np.maximum(population, 1)
        if (change <= limit).all():
            return fresh, count
        queue = np.maximum(fresh + _leap(step, before), 0.0) if count % 8 == 0 else fresh
        before = step
    raise ValueError(
        f"max_iterations must be enough for a change below {limit:g}, got {most} rounds and "
        f"a change of {change.max():.3g}"
    )


def _leap(step: Floats, before: Floats) -> Floats:
    """Return how far the steps will still go if they shrink as the last two did (Aitken)."""
    along = (step * before).sum(axis=(-2, -1), keepdims=True)
    size = (before * before).sum(axis=(-2, -1), keepdims=True)
    ratio = np.clip(np.divide(along, size, out=np.zeros_like(size), where=size > 0), 0.0, 0.99)
    return np.asarray(step * ratio / (1 - ratio))


def _solution(
    network: Network, model: _Model, method: str, residence: Floats, rounds: int
) -> Solution:
    rate = model.throughput(model.population, residence)
    several = any(s.servers > 1 and not s.is_delay for s in network.stations)
    exact = _is_exact(model)
    return checked_solution(
        network,
        method,
        rate,
        residence + model.delay,
        exact=exact,
        warning=SEIDMANN if several and not exact else "",
        iterations=rounds,
    )


def _is_exact(model: _Model) -> bool:
    """Tell whether the queues that an arriving job is guessed to find are those that it finds."""
    if model.population.sum() <= 1:
        return True
    queued = (model.demand[model.population > 0] > 0).any(axis=0).sum()
    elsewhere = (model.outside + model.delay.sum(axis=1))[model.population > 0]
    return bool(queued == 0 or (queued == 1 and not elsewhere.any()))
