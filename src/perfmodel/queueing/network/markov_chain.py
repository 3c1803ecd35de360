"""Markov chains in continuous time, from a description in words: a state, and where it can go.

Say what the next states are and at what rates; `explore_chain` finds all states, `steady_state`
and `transient_state` their probabilities. A room of two for an M/M/1 queue that arrivals leave when
full:

>>> def moves(jobs):
...     return [(jobs + 1, 1.0)] * (jobs < 2) + [(jobs - 1, 2.0)] * (jobs > 0)
>>> chain = explore_chain(0, moves)
>>> print(chain.states, steady_state(chain).round(4))
(0, 1, 2) [0.5714 0.2857 0.1429]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.special import gammaln

from perfmodel.queueing.network.solution import TooBigError
from perfmodel.validation import Floats, finite, non_negative

Moves = Callable[[Any], Iterable[tuple[Any, float]]]


@dataclass(frozen=True, eq=False)
class MarkovChain:
    """All states that can be reached, and the rates between them (1/s), row to column."""

    states: tuple[Any, ...]
    rates: sparse.csr_array

    def mean(self, probabilities: Floats, measure: Callable[[Any], float]) -> Floats:
        """Return the mean of `measure` over the states, for probabilities of shape (..., states).

        >>> chain = explore_chain(0, lambda n: [(1 - n, 1.0)])
        >>> print(chain.mean(steady_state(chain), lambda n: n))
        0.5
        """
        return np.asarray(probabilities @ np.array([float(measure(s)) for s in self.states]))


def explore_chain(initial: Hashable, moves: Moves, most_states: int = 200_000) -> MarkovChain:
    """Return the chain of all states that `moves` leads to from `initial`.

    Parameters
    ----------
    initial : hashable
        A state: a number, or a tuple such as (jobs at the CPU, jobs at the disk).
    moves : callable
        Takes a state and returns pairs (next state, rate in 1/s); rates to the same state add up.
    most_states : int
        States to hold at most.

    Returns
    -------
    MarkovChain

    Raises
    ------
    TooBigError
        If there are more than `most_states`, as where nothing bounds a queue.
    ValueError
        If a rate is negative or not finite; names the states.
    """
    index: dict[Any, int] = {initial: 0}
    states, rows, columns, rates = [initial], [], [], []
    for here, state in enumerate(states):
        for target, rate in moves(state):
            if not (0 <= rate < math.inf):
                raise ValueError(f"rate from {state!r} to {target!r} must be 0 or more, got {rate}")
            if rate and target not in index:
                index[target] = len(states)
                states.append(target)
            if rate and target != state:
                rows.append(here)
                columns.append(index[target])
                rates.append(float(rate))
        if len(states) > most_states:
            raise TooBigError(
                f"the chain from {initial!r} has more than {most_states} states: bound its queues, "
                f"or use the simulation"
            )
    shape = (len(states), len(states))
    return MarkovChain(tuple(states), sparse.csr_array((rates, (rows, columns)), shape=shape))


def steady_state(chain: MarkovChain) -> Floats:
    """Return the long-run probability of each state.

    Parameters
    ----------
    chain : MarkovChain
        Every state can be reached from every other.

    Returns
    -------
    ndarray, shape (states,)

    Raises
    ------
    ValueError
        If the chain ends in a part that it cannot leave; names a state of it.

    References
    ----------
    Up to 400 states by elimination without subtractions: W. Grassmann, M. Taksar, D. Heyman,
    Operations Research 33(5), 1985. Beyond, by a sparse LU decomposition.
    """
    parts, label = connected_components(chain.rates, directed=True, connection="strong")
    if parts > 1:
        leaves = {
            int(label[i])
            for i, j in zip(*chain.rates.nonzero(), strict=True)
            if label[i] != label[j]
        }
        stuck = next(i for i in range(len(label)) if int(label[i]) not in leaves)
        raise ValueError(
            f"every state must be left again, got state {chain.states[stuck]!r}, which absorbs"
        )
    if len(chain.states) <= 400:
        return _eliminate(chain.rates.toarray())
    return _factorise(chain.rates)


def transient_state(chain: MarkovChain, start: ArrayLike, times: ArrayLike) -> Floats:
    """Return the probability of each state at each of `times`, by uniformisation.

    Parameters
    ----------
    chain : MarkovChain
        States and rates.
    start : array_like, shape (states,)
        Probabilities at time 0.
    times : array_like, shape (times,) or a number
        Seconds.

    Returns
    -------
    ndarray, shape (times, states) or (states,)

    Raises
    ------
    ValueError
        If `start` is no distribution over the states, or a time is negative or not finite.

    References
    ----------
    A. Jensen, Skandinavisk Aktuarietidskrift 36, 1953.

    Examples
    --------
    >>> flip = explore_chain("up", lambda s: [("down" if s == "up" else "up", 0.5)])
    >>> print(transient_state(flip, [1, 0], [0, 1]).round(4))
    [[1.     0.    ]
     [0.6839 0.3161]]
    """
    begin, when = non_negative("start", start), np.atleast_1d(non_negative("times", times))
    if begin.shape != (len(chain.states),) or abs(begin.sum() - 1) > 1e-9:
        raise ValueError(
            f"start must be {len(chain.states)} probabilities that sum to 1, got {start!r}"
        )
    exits = np.asarray(chain.rates.sum(axis=1)).ravel()
    pace = float(exits.max()) or 1.0
    jump = (chain.rates.T / pace).tocsr()
    shares, now, clock = np.empty((when.size, begin.size)), begin, 0.0
    for i in np.argsort(when):
        now = _advance(jump, 1 - exits / pace, now, pace * (when[i] - clock))
        clock, shares[i] = when[i], now
    return shares if np.ndim(times) else shares[0]


def state_at(chain: MarkovChain, state: Hashable) -> Floats:
    """Return the distribution that is surely at one state, to start `transient_state` from.

    Parameters
    ----------
    chain : MarkovChain
        States and rates.
    state : hashable
        One of `chain.states`.

    Returns
    -------
    ndarray, shape (states,)
        1 at the state, 0 elsewhere.

    Raises
    ------
    ValueError
        If the chain has no such state.

    Examples
    --------
    >>> flip = explore_chain("up", lambda s: [("down" if s == "up" else "up", 0.5)])
    >>> print(state_at(flip, "down"))
    [0. 1.]
    """
    if state not in chain.states:
        raise ValueError(f"state must be one of the chain's {len(chain.states)}, got {state!r}")
    return np.asarray(np.eye(len(chain.states))[chain.states.index(state)])


def birth_death_chain(birth_rates: Sequence[float], death_rates: Sequence[float]) -> MarkovChain:
    """Return the chain of a number that moves up and down by one, from 0 to n.

    Parameters
    ----------
    birth_rates : sequence of float, shape (n,)
        Rates up from 0, 1, ... n - 1, in 1/s.
    death_rates : sequence of float, shape (n,)
        Rates down from 1, 2, ... n, in 1/s.

    Returns
    -------
    MarkovChain

    Raises
    ------
    ValueError
        If there is not one death rate for each birth rate, or a rate is negative.

    Examples
    --------
    >>> print(steady_state(birth_death_chain([1, 1], [2, 2])).round(4))
    [0.5714 0.2857 0.1429]
    """
    up, down = finite("birth_rates", birth_rates), finite("death_rates", death_rates)
    if up.shape != down.shape or up.ndim != 1:
        raise ValueError(f"death_rates must be {up.size}, as many as birth_rates, got {down.size}")

    def moves(n: int) -> list[tuple[int, float]]:
        rise = [(n + 1, float(up[n]))] if n < up.size else []
        return rise + ([(n - 1, float(down[n - 1]))] if n else [])

    return explore_chain(0, moves)


def _advance(jump: sparse.csr_array, stay: Floats, now: Floats, steps: float) -> Floats:
    """Return the distribution after a Poisson number of jumps with mean `steps`."""
    most = int(steps + 9 * math.sqrt(steps) + 40)
    count = np.arange(most + 1)
    weights = np.exp(count * math.log(steps) - steps - gammaln(count + 1)) if steps else [1.0]
    total, result = 0.0, np.zeros_like(now)
    for weight in weights:
        result += weight * now
        total += float(weight)
        now = np.asarray(jump @ now + stay * now)
    return np.asarray(result / total)


def _eliminate(rates: Floats) -> Floats:
    size = len(rates)
    for n in range(size - 1, 0, -1):
        rates[:n, n] /= rates[n, :n].sum()
        rates[:n, :n] += np.outer(rates[:n, n], rates[n, :n])
    share = np.ones(size)
    for n in range(1, size):
        share[n] = share[:n] @ rates[:n, n]
    return np.asarray(share / share.sum())


def _factorise(rates: sparse.csr_array) -> Floats:
    from scipy.sparse.linalg import splu

    exits = np.asarray(rates.sum(axis=1)).ravel()
    balance = (rates.T - sparse.diags_array(exits)).tocsc()
    share = np.ones(exits.size)
    share[1:] = splu(balance[1:, 1:].tocsc()).solve(-balance[1:, [0]].toarray().ravel())
    share = np.maximum(share, 0.0)
    return np.asarray(share / share.sum())
