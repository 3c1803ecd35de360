"""A whole network as one Markov chain: exact for any small network, product form or not.

The state counts the jobs of each class at each station, so that exponential service and
processor sharing (or one class, in any order that ignores sizes) are exact; finite rooms too.

>>> from perfmodel.queueing.network.model import JobClass, Network, Station
>>> users = JobClass("users", population=3, think_time=15)
>>> stations = [Station("cpu"), Station("disk 1"), Station("disk 2")]
>>> terminals = Network(stations, [users], service=[0.605, 2.1, 1.35])
>>> print(global_balance(terminals).throughput.round(6))
[0.151516]
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from perfmodel.queueing.network.markov_chain import MarkovChain, explore_chain, steady_state
from perfmodel.queueing.network.model import Network, checked_network
from perfmodel.queueing.network.product_form import product_form_violations
from perfmodel.queueing.network.solution import Solution
from perfmodel.validation import Floats

State = tuple[tuple[int, ...], ...]
"""Jobs at the stations, one tuple a class."""


def network_chain(network: Network, max_states: int = 200_000) -> MarkovChain:
    """Return the chain of a network, whose states are tuples of jobs by class and station.

    An open job that finds its next station full is lost.

    Parameters
    ----------
    network : Network
        Open classes visit only stations of finite capacity; closed classes only unlimited ones.
    max_states : int
        States to hold at most.

    Raises
    ------
    TooBigError
        If there are more states.
    ValueError
        If a class is open and a station that it visits unlimited, or the other way round.
    """
    _check_rooms(network)
    model = _Rates(network)
    return explore_chain(model.start(), model.moves, max_states)


def global_balance(network: Network, max_states: int = 200_000) -> Solution:
    """Return the steady state of a network from the balance equations of its chain.

    Parameters
    ----------
    network : Network
        As for `network_chain`.
    max_states : int
        States to hold at most.

    Returns
    -------
    Solution
        Exact for exponential times where the order of service ignores sizes.

    Raises
    ------
    TooBigError, ValueError
        As `network_chain`.
    """
    chain = network_chain(network, max_states)
    chance = steady_state(chain)
    states = np.array(chain.states)
    queue = np.tensordot(chance, states, axes=1)
    model = _Rates(network)
    through = sum(p * model.finishing(s) for p, s in zip(chance, states, strict=True))
    rate = np.array(
        [(t * (1 - m.sum(axis=1))).sum() for t, m in zip(through, model.matrix, strict=True)]
    )
    reasons = product_form_violations(network)
    return Solution(
        network=network,
        method=f"Markov chain of {len(chain.states)} states",
        exact=not reasons,
        throughput=rate,
        residence_time=queue / rate[:, None],
        warning="; ".join(reasons),
    )


class _Rates:
    def __init__(self, network: Network) -> None:
        self.network = network
        routes = [network.route(j) for j in range(len(network.classes))]
        self.entry = np.array([entry for entry, _ in routes])
        self.matrix = np.array([matrix for _, matrix in routes])
        self.capacity = [station.capacity for station in network.stations]
        mean = network.mean_service
        self.service_rate = np.divide(1.0, mean, out=np.zeros_like(mean), where=mean > 0)

    def start(self) -> State:
        """Return the state in which all closed jobs think, or wait at their first station."""
        jobs = np.zeros(self.entry.shape, dtype=int)
        for j, job in enumerate(self.network.classes):
            if job.population and not job.think_time:
                jobs[j, int(np.argmax(self.entry[j]))] = job.population
        return _frozen(jobs)

    def finishing(self, jobs: np.ndarray) -> Floats:
        """Return the rate at which each class ends visits at each station in a state."""
        present = jobs.sum(axis=0)
        speed = [float(s.speed(n)) for s, n in zip(self.network.stations, present, strict=True)]
        share = np.array(speed) / np.maximum(present, 1)
        return np.where(jobs > 0, jobs * share * self.service_rate, 0.0)

    def moves(self, state: State) -> Iterator[tuple[State, float]]:
        """Yield the next states with their rates."""
        jobs = np.array(state)
        for j, job in enumerate(self.network.classes):
            thinking = (job.population or 0) - int(jobs[j].sum())
            rate = job.arrival_rate or (thinking / job.think_time if job.think_time else 0.0)
            yield from self._joins(jobs, j, self.entry[j], rate)
        for j, k in np.argwhere(jobs > 0):
            rate = float(self.finishing(jobs)[j, k])
            jobs[j, k] -= 1
            job, row = self.network.classes[j], self.matrix[j, k]
            leaves = max(0.0, 1 - float(row.sum()))
            if not job.is_open and not job.think_time:
                row, leaves = row + leaves * self.entry[j], 0.0
            yield _frozen(jobs), rate * leaves
            yield from self._joins(jobs, int(j), row, rate)
            jobs[j, k] += 1

    def _joins(
        self, jobs: np.ndarray, j: int, chances: Floats, rate: float
    ) -> Iterator[tuple[State, float]]:
        for k in np.flatnonzero(chances):
            room = jobs[:, k].sum() < self.capacity[k]
            jobs[j, k] += room
            yield _frozen(jobs), rate * float(chances[k])
            jobs[j, k] -= room


def _frozen(jobs: np.ndarray) -> State:
    return tuple(tuple(row) for row in jobs.tolist())


def _check_rooms(network: Network) -> None:
    for j, k in np.argwhere(checked_network(network).visits > 0):
        job, station = network.classes[j], network.stations[k]
        if job.is_open and station.capacity == math.inf:
            raise ValueError(
                f"station {station.name!r} must have a finite capacity for a chain with the open "
                f"class {job.name!r}, got {station.capacity}"
            )
        if not job.is_open and station.capacity < network.population.sum():
            raise ValueError(
                f"station {station.name!r} must have room for all closed jobs, "
                f"{network.population.sum()}, got capacity {station.capacity:g}: use "
                f"blocking.solve_blocking"
            )
        if not network.mean_service[j, k]:
            raise ValueError(
                f"service of class {job.name!r} at station {station.name!r} must be above 0 for a "
                f"chain, got 0"
            )
