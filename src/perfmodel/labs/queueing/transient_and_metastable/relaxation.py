"""How a queue forgets where it began: the mean number inside over time, three ways.

Exact by uniformisation of the chain, as a fluid that knows no chance, and by replicas of an event
simulation.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.light_tail import Exponential
from perfmodel.queueing.network.markov_chain import birth_death_chain, state_at, transient_state
from perfmodel.queueing.operational_analysis.population import population_at
from perfmodel.queueing.operational_analysis.sample_path import arrival_times, departures
from perfmodel.validation import Floats, non_negative, one_number, positive, whole, within

MOST_MOVES = 1e6
"""Moves of the chain that are followed at most."""


def relaxation_time(utilization: ArrayLike, mean_service: ArrayLike = 1.0) -> Floats:
    """Return the time in which an M/M/1 queue's distance from its steady state falls to 1/e.

    In seconds that is E[S] / (1 - sqrt(rho))^2, the time of the slowest mode, which is what remains
    in the end (J. W. Cohen, "The single server queue", North-Holland, 1982, part II, chapter 2).

    >>> print(relaxation_time([0.5, 0.9, 0.99]).round().astype(int))
    [   12   380 39800]
    """
    rho = within("utilization", utilization, 0, np.nextafter(1, 0))
    return np.asarray(positive("mean_service", mean_service) / (1 - np.sqrt(rho)) ** 2)


def exact_mean(load: float, start: int, times: ArrayLike) -> Floats:
    """Return the mean number in an M/M/1 queue over time, by uniformisation.

    `times` are in mean service times, so that a load of 1 and more is allowed; a chain of more than
    a million moves is refused.

    >>> print(exact_mean(0.5, 0, [0.0, 1.0, 1000.0]).round(4))
    [0.     0.3347 1.    ]
    """
    rate, when = one_number("load", load, positive), np.atleast_1d(non_negative("times", times))
    longest = float(when.max(initial=0.0))
    if (1 + rate) * longest > MOST_MOVES:
        raise ValueError(
            f"times must be up to {MOST_MOVES / (1 + rate):g} at load {rate:g}, got {longest:g}"
        )
    levels = whole("start", start) + _places(rate, longest)
    chain = birth_death_chain([rate] * levels, [1.0] * levels)
    shares = transient_state(chain, state_at(chain, start), when)
    return chain.mean(shares, float)


def fluid_mean(load: float, start: float, times: ArrayLike) -> Floats:
    """Return the backlog of a queue over time if nothing were random.

    `start` needn't be whole.

    >>> print(fluid_mean(0.75, 10, [0, 20, 60]))
    [10.  5.  0.]
    """
    rate, begin = one_number("load", load, positive), one_number("start", start, non_negative)
    return np.maximum(begin + (rate - 1) * non_negative("times", times), 0.0)


def replicas(load: float, start: int, times: ArrayLike, runs: int, seed: int = 1) -> Floats:
    """Return the number inside at each instant, in independent simulations.

    The shape is (runs, times).

    >>> print(replicas(0.5, 3, [0.0, 1.0], runs=2))
    [[3. 2.]
     [3. 2.]]
    """
    rate, when = one_number("load", load, positive), np.atleast_1d(non_negative("times", times))
    rng, there = np.random.default_rng(whole("seed", seed)), np.full(whole("start", start), -1.0)
    expected = rate * float(when.max(initial=0.0))
    count = math.ceil(expected + 9 * math.sqrt(expected) + 20)

    def one_run() -> Floats:
        arrivals = np.concatenate([there, arrival_times(Exponential(1 / rate), count, rng)])
        departed = departures(np.maximum(arrivals, 0.0), rng.exponential(1.0, arrivals.size))
        return population_at(arrivals, departed, when)

    return np.array([one_run() for _ in range(whole("runs", runs, low=1))])


def _places(load: float, longest: float) -> int:
    """Return by how many jobs the number inside surely grows at most (1e-13)."""
    arrivals = load * longest
    highest = arrivals + 9 * math.sqrt(arrivals) + 40
    return math.ceil(min(highest, 30 / -math.log(load)) if load < 1 else highest)
