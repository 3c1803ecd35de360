"""The convolution algorithm: closed networks through their normalising constant G.

The probability of a state is a product of one factor per station, divided by G, the sum of these
products over all states. Stations are added one by one, each in a recursion of positive terms
(no subtraction), in logarithms: G itself leaves the range of floating point at some hundred jobs.

>>> from perfmodel.queueing.network.model import JobClass, Network, Station
>>> stations = [Station("a", servers=2), Station("b", servers=3), Station("c")]
>>> ring = Network(stations, [JobClass("jobs", population=3)], [1 / 0.8, 1 / 0.6, 1 / 0.4],
...                visits=[1, 0.667, 0.2])
>>> print(np.exp(convolution_algorithm(ring).log_constants).round(3))
[1.    2.862 4.22  4.468]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.compilation import compiled_if_long
from perfmodel.queueing.network.compiled_recursions import convolve
from perfmodel.queueing.network.model import Network
from perfmodel.queueing.network.solution import (
    Solution,
    check_closed,
    check_size,
    checked_demands,
    checked_solution,
)
from perfmodel.validation import Floats, one_number, positive

MAX_STEPS = 3e8
"""Elementary steps that are taken at most: about 20 s when compiled."""


def convolution_algorithm(network: Network, max_steps: float = MAX_STEPS) -> Solution:
    """Solve a closed network exactly with multi-server, load-dependent and delay stations.

    Parameters
    ----------
    network : Network
        All classes closed.
    max_steps : float
        Elementary steps to take at most.

    Returns
    -------
    Solution
        With `log_constants`, log G(n) for every population vector n, shape population + 1, for
        demands as described (visits times service time), and `marginals`, the distribution of
        the number of jobs at each station.

    Raises
    ------
    TooBigError
        If the population vectors are too many; names the approximation that fits.
    ValueError
        If a class is open, or a station has a finite capacity.

    References
    ----------
    J. P. Buzen, Communications of the ACM 16(9), 1973. The recursion for stations with several
    servers conditions on jobs in service, as in G. Casale, Queueing Systems 61, 2009.
    """
    check_closed(network)
    speeds = [station_speeds(network, k) for k in range(len(network.stations))]
    rate, queues, log_g, marginals = convolution_of_demands(
        network.service_demand, network.population, network.think_time, speeds, max_steps
    )
    residence = np.divide(queues, rate[:, None])
    return checked_solution(
        network, "convolution", rate, residence, log_constants=log_g, marginals=marginals
    )


def station_speeds(network: Network, k: int) -> Floats:
    """Return the speeds of station `k` with 1, 2, ... jobs up to where they stay the same.

    Empty for a delay station, whose factors are known without a recursion.
    """
    station = network.stations[k]
    if station.is_delay:
        return np.zeros(0)
    most = int(network.population.sum())
    levels = min(most, len(station.speeds) or station.servers)
    check_size("convolution", network.population, float(levels) * most, 0.0, MAX_STEPS)
    return station.speed(np.arange(1, levels + 1))


def convolution_of_demands(
    service_demand: ArrayLike,
    population: ArrayLike,
    think_time: ArrayLike,
    speeds: list[Floats],
    max_steps: float = MAX_STEPS,
) -> tuple[Floats, Floats, Floats, tuple[Floats, ...]]:
    """Return throughputs, queue lengths, log G and marginals of closed classes.

    Parameters
    ----------
    service_demand : array_like, shape (classes, stations)
        Seconds at unit speed.
    population : array_like of int, shape (classes,)
        Jobs of each class.
    think_time : array_like, shape (classes,)
        Seconds.
    speeds : list of ndarray
        For each station its speeds with 1, 2, ... jobs, the last one also for more jobs; empty for
        a delay station.
    max_steps : float
        Elementary steps to take at most.

    Returns
    -------
    throughput : ndarray, shape (classes,)
    queue_length : ndarray, shape (classes, stations)
    log_constants : ndarray, shape population + 1
    marginals : tuple of ndarray
        P(n jobs at the station), n = 0 .. total population; empty for a delay station.

    Examples
    --------
    >>> single = [np.ones(1), np.ones(1)]
    >>> rate, queue, log_g, _ = convolution_of_demands([[2.0, 1.0]], [2], [0], single)
    >>> print(rate.round(4), np.exp(log_g))
    [0.4286] [1. 3. 7.]
    """
    demand, people, think = checked_demands(service_demand, population, think_time)
    speeds = _checked_speeds(speeds, demand.shape[1])
    one_number("max_steps", max_steps, positive)
    queueing = [k for k, speed in enumerate(speeds) if speed.size and demand[:, k].any()]
    steps = _check_size(people, [speeds[k].size for k in queueing], max_steps)
    scale = np.maximum(demand.max(axis=1), think)
    lattice = _Lattice(people, demand / scale[:, None], speeds, compiled_if_long(convolve, steps))
    outside = think + demand[:, [k for k, s in enumerate(speeds) if not s.size]].sum(axis=1)
    base = lattice.delay(outside / scale)
    queues, marginals = np.zeros(demand.shape), [np.zeros(0)] * len(speeds)
    log_g = base
    for k, others in lattice.leaving_out(base, queueing):
        queues[:, k], marginals[k] = lattice.at_station(k, others)
        if k == queueing[-1]:
            log_g = lattice.add(others, k)
    rate = lattice.throughput(log_g) / scale
    for k, speed in enumerate(speeds):
        if not speed.size:
            queues[:, k] = rate * demand[:, k]
    return rate, queues, log_g + lattice.scaled(np.log(scale)), tuple(marginals)


def _checked_speeds(speeds: Sequence[ArrayLike], stations: int) -> list[Floats]:
    held = [positive("speeds", speed) for speed in speeds] if np.iterable(speeds) else []
    if len(held) != stations or any(speed.ndim != 1 for speed in held):
        raise ValueError(
            f"speeds must be {stations} lists, one a station of service_demand, got {speeds!r}"
        )
    return held


class _Lattice:
    """All population vectors from nobody to everybody, and functions upon them in logarithms."""

    def __init__(
        self,
        people: np.ndarray,
        demand: Floats,
        speeds: list[Floats],
        convolve: Callable[..., Floats],
    ) -> None:
        self.shape = tuple((people + 1).tolist())
        self.people, self.speeds, self.convolve = people, speeds, convolve
        self.counts = np.indices(self.shape, sparse=True)
        self.strides = np.array([math.prod(self.shape[j + 1 :]) for j in range(people.size)])
        self.demand = demand
        self.log_demand = _log(demand)
        most = int(people.sum())
        self.log_factorial = np.array([math.lgamma(n + 1.0) for n in range(most + 1)])

    def scaled(self, exponent: Floats) -> Floats:
        """Return the sum of n_c exponent_c."""
        return np.asarray(sum(n * e for n, e in zip(self.counts, exponent, strict=True)))

    def delay(self, seconds: Floats) -> Floats:
        """Return log of the product of Z_c^n_c / n_c!."""
        parts = [
            np.multiply(n, z, out=np.zeros(n.shape), where=n > 0) - self.log_factorial[n]
            for n, z in zip(self.counts, _log(seconds), strict=True)
        ]
        return np.broadcast_to(np.asarray(sum(parts)), self.shape).astype(float)

    def factors(self, k: int) -> tuple[Floats, np.ndarray]:
        """Return log f_k(n), and the number of jobs in each n."""
        total = np.asarray(sum(self.counts))
        held = np.minimum(np.arange(int(self.people.sum())), self.speeds[k].size - 1)
        slowed = np.concatenate([[0.0], np.cumsum(np.log(self.speeds[k][held]))])
        return self.delay(self.demand[:, k]) + self.log_factorial[total] - slowed[total], total

    def add(self, log_g: Floats, k: int) -> Floats:
        """Return log G with station `k` added."""
        sizes, slow = np.array(self.shape), np.log(self.speeds[k])
        log_demand = self.log_demand[:, k].copy()
        flat = self.convolve(log_g.ravel(), log_demand, slow, self.strides, sizes)
        return flat.reshape(self.shape)

    def leaving_out(self, log_g: Floats, stations: list[int]) -> Iterator[tuple[int, Floats]]:
        """Yield each station with log G of all the others, sharing work by halves."""
        if len(stations) == 1:
            yield stations[0], log_g
        if len(stations) > 1:
            halves = stations[: len(stations) // 2], stations[len(stations) // 2 :]
            for mine, others in (halves, halves[::-1]):
                without = log_g
                for k in others:
                    without = self.add(without, k)
                yield from self.leaving_out(without, mine)

    def at_station(self, k: int, others: Floats) -> tuple[Floats, Floats]:
        """Return the mean number of each class at `k`, and the distribution of all together."""
        factors, total = self.factors(k)
        weights = factors + others[tuple(slice(None, None, -1) for _ in self.shape)]
        chance = np.exp(weights - weights.max())
        chance /= chance.sum()
        means = np.array([float((n * chance).sum()) for n in self.counts])
        return means, np.bincount(total.ravel(), chance.ravel()).astype(float)

    def throughput(self, log_g: Floats) -> Floats:
        """Return G(N - e_c) / G(N), 0 for a class without jobs."""
        full = tuple(self.people)
        less = [(*full[:j], max(n - 1, 0), *full[j + 1 :]) for j, n in enumerate(full)]
        rates = [math.exp(log_g[index] - log_g[full]) for index in less]
        return np.where(self.people > 0, rates, 0.0)


def _log(values: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(values)


def _check_size(people: np.ndarray, levels: list[int], most_steps: float) -> float:
    vectors = math.prod((people + 1).tolist())
    rounds = math.ceil(math.log2(max(len(levels), 1))) + 1
    steps = float(vectors) * (people.size + 1) * sum(levels) * rounds
    check_size("convolution", people, steps, 8.0 * vectors * (rounds + 4), most_steps)
    return steps
