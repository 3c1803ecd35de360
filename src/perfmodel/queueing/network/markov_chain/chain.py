"""A chain's states and the rates between them, found from where each state can go."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from perfmodel.queueing.network.solution import TooBigError
from perfmodel.validation import Floats, function, non_negative, sample, whole

_MOST_STATES = 10_000_000
Transitions = Callable[[Any], Iterable[tuple[Any, float]]]


@dataclass(frozen=True, eq=False)
class MarkovChain:
    """All states that can be reached, and the rates between them (1/s), row to column."""

    states: tuple[Any, ...]
    rates: sparse.csr_array

    def __post_init__(self) -> None:
        """Refuse states that are no tuple, and rates that don't belong to them."""
        size = len(self.states) if isinstance(self.states, tuple) else 0
        if not size:
            raise ValueError(f"states must be a tuple of one or more, got {self.states!r}")
        if not sparse.issparse(self.rates) or self.rates.shape != (size, size):
            raise ValueError(f"rates must be sparse, {size} by {size}, got {self.rates!r}")
        non_negative("rates", self.rates.data)

    def mean(self, probabilities: Floats, measure: Callable[[Any], float]) -> Floats:
        """Return the mean of `measure` over the states, for probabilities of shape (..., states).

        >>> from perfmodel.queueing.network.markov_chain.balance import steady_state
        >>> chain = explore_chain(0, lambda n: [(1 - n, 1.0)])
        >>> print(chain.mean(steady_state(chain), lambda n: n))
        0.5
        """
        return np.asarray(probabilities @ np.array([float(measure(s)) for s in self.states]))


def checked_chain(chain: MarkovChain) -> MarkovChain:
    """Return `chain`, refusing what is none.

    >>> checked_chain(3)
    Traceback (most recent call last):
        ...
    ValueError: chain must be a MarkovChain, got 3
    """
    if not isinstance(chain, MarkovChain):
        raise ValueError(f"chain must be a MarkovChain, got {chain!r}")
    return chain


def explore_chain(
    initial: Hashable, transitions: Transitions, max_states: int = 200_000
) -> MarkovChain:
    """Return the chain of all states that `transitions` leads to from `initial`.

    Parameters
    ----------
    initial : hashable
        A state: a number, or a tuple such as (jobs at the CPU, jobs at the disk).
    transitions : callable
        Takes a state and returns pairs (next state, rate in 1/s); rates to the same state add up.
    max_states : int
        States to hold at most, up to 10 million.

    Raises
    ------
    TooBigError
        If there are more than `max_states`, as where nothing bounds a queue.
    ValueError
        If a rate is negative or not finite; names the states.
    """
    limit = whole("max_states", max_states, 1, _MOST_STATES)
    if not isinstance(initial, Hashable):
        raise ValueError(f"initial must be a number, a tuple or a word, got {initial!r}")
    function("transitions", transitions, "states")
    index: dict[Any, int] = {initial: 0}
    states, rows, columns, rates = [initial], [], [], []
    for here, state in enumerate(states):
        for target, rate in _pairs(transitions(state), state):
            if not (0 <= rate < math.inf):
                raise ValueError(f"rate from {state!r} to {target!r} must be 0 or more, got {rate}")
            if rate and target not in index:
                index[target] = len(states)
                states.append(target)
            if rate and target != state:
                rows.append(here)
                columns.append(index[target])
                rates.append(float(rate))
        if len(states) > limit:
            raise TooBigError(
                f"the chain from {initial!r} has more than {limit} states, most_states: bound its "
                f"queues, or use the simulation"
            )
    shape = (len(states), len(states))
    return MarkovChain(tuple(states), sparse.csr_array((rates, (rows, columns)), shape=shape))


def _pairs(there: Any, state: Any) -> Iterable[tuple[Any, float]]:
    if not isinstance(there, Iterable):
        raise ValueError(
            f"transitions must return pairs (state, rate), got {there!r} from {state!r}"
        )
    return there


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
    if not isinstance(state, Hashable) or state not in checked_chain(chain).states:
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

    Raises
    ------
    ValueError
        If there is not one death rate for each birth rate, or a rate is negative.

    Examples
    --------
    >>> from perfmodel.queueing.network.markov_chain.balance import steady_state
    >>> print(steady_state(birth_death_chain([1, 1], [2, 2])).round(4))
    [0.5714 0.2857 0.1429]
    """
    up = non_negative("birth_rates", sample("birth_rates", birth_rates))
    down = non_negative("death_rates", sample("death_rates", death_rates))
    if up.shape != down.shape:
        raise ValueError(f"death_rates must be {up.size}, as many as birth_rates, got {down.size}")

    def moves(n: int) -> list[tuple[int, float]]:
        rise = [(n + 1, float(up[n]))] if n < up.size else []
        return rise + ([(n - 1, float(down[n - 1]))] if n else [])

    return explore_chain(0, moves)
