"""How long a chain takes until it first enters one of some states: a failure, an empty queue.

The mean times solve one equation for each state, which says that a state's time is its own stay and
the time of where it goes next. The distribution of the time is phase-type.

Source: J. G. Kemeny and J. L. Snell, "Finite Markov Chains", Van Nostrand, 1960, chapter 3;
elimination without subtraction (`perfmodel.queueing.distributions.elimination`), so that a failure
in a million years is as exact as one in a minute. A large chain is decomposed, which takes less
time, where the error that this makes is known to be small.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from perfmodel.queueing.distributions.elimination import (
    SMALL,
    cost_until_absorption,
    is_affordable,
)
from perfmodel.queueing.distributions.phase_type import PhaseType
from perfmodel.queueing.network.markov_chain.chain import MarkovChain, checked_chain
from perfmodel.queueing.network.solution import TooBigError
from perfmodel.validation import Floats

_MOST_PHASES = 1000
_ERROR = 1e-9
"""The relative error that a decomposition may make."""


def first_passage_time(chain: MarkovChain, targets: Collection[Hashable]) -> Floats:
    """Return the mean time until the chain first is in one of `targets`, from each state.

    Parameters
    ----------
    chain : MarkovChain
        States and rates (1/s, or per any other unit of time).
    targets : collection of hashable
        States of the chain, one or more; whether they are left again makes no difference.

    Returns
    -------
    ndarray, shape (states,)
        Mean seconds, or of the rates' unit, from each of `chain.states`; 0 from the targets.

    Raises
    ------
    TooBigError
        If events are rare and there are too many states for elimination: beyond some thousands,
        or as many as 100,000 where each leads to its neighbours only.
    ValueError
        If a target is no state of the chain, or none can be reached from some state; names it. If
        a time is above 1.8e308, or the rates are further apart than floating-point numbers.

    Examples
    --------
    Two disks that fail once in 1,000 h each, and are replaced within 10 h:

    >>> from perfmodel.queueing.network.markov_chain.chain import explore_chain
    >>> moves = {2: [(1, 2e-3)], 1: [(2, 0.1), (0, 1e-3)], 0: []}
    >>> print(first_passage_time(explore_chain(2, moves.get), [0]).round())
    [51500. 51000.     0.]
    """
    before = _before(chain, targets)
    rates = chain.rates[before][:, before]
    exits = np.asarray(chain.rates[before][:, ~before].sum(axis=1)).ravel()
    times = np.zeros(before.size)
    small = exits.size <= SMALL
    decomposed = None if small else _decomposed(rates, exits)
    if decomposed is not None:
        times[before] = decomposed
    elif small or is_affordable(rates):
        moves = rates.toarray() if small else rates
        times[before] = cost_until_absorption(moves, exits, np.ones(exits.size))
    else:
        raise TooBigError(
            f"targets must be entered less rarely, or the chain be smaller: its {exits.size} "
            "states are too many for elimination, and a decomposition would lose digits"
        )
    return times


def first_passage_distribution(
    chain: MarkovChain, start: Hashable, targets: Collection[Hashable]
) -> PhaseType:
    """Return the distribution of the time from `start` until the chain first reaches `targets`.

    Parameters
    ----------
    chain : MarkovChain
        At most 1,000 states that are no target.
    start : hashable
        A state that is no target.
    targets : collection of hashable
        As for `first_passage_time`.

    Returns
    -------
    PhaseType
        In the rates' unit of time.

    Raises
    ------
    TooBigError
        If there are more states.
    ValueError
        As `first_passage_time`, and if `start` is a target or no state of the chain.

    Examples
    --------
    >>> from perfmodel.queueing.network.markov_chain.chain import explore_chain
    >>> stages = explore_chain(2, {2: [(1, 0.5)], 1: [(0, 0.5)], 0: []}.get)
    >>> print(first_passage_distribution(stages, 2, [0]).moment(1))
    4.0
    """
    before = _before(chain, targets)
    inside = [state for state, keep in zip(chain.states, before, strict=True) if keep]
    if not isinstance(start, Hashable) or start not in inside:
        raise ValueError(f"start must be a state of the chain and no target, got {start!r}")
    if len(inside) > _MOST_PHASES:
        raise TooBigError(f"a law holds at most {_MOST_PHASES} states, got {len(inside)}")
    rates = chain.rates[before].toarray()
    generator = rates[:, before] - np.diag(rates.sum(axis=1))
    return PhaseType(np.eye(len(inside))[inside.index(start)], generator, rates[:, ~before].sum(1))


def _before(chain: MarkovChain, targets: Collection[Hashable]) -> Any:
    """Return which states are no target, once each is known to lead to one."""
    index = {state: i for i, state in enumerate(checked_chain(chain).states)}
    several = isinstance(targets, Collection)
    unknown = (
        [s for s in targets if not isinstance(s, Hashable) or s not in index] if several else []
    )
    if unknown or not several or not len(targets):
        raise ValueError(
            f"targets must be one or more of the chain's {len(index)} states, "
            f"got {unknown[0] if unknown else targets!r}"
        )
    aims = [index[state] for state in targets]
    steps = dijkstra(chain.rates.T, indices=aims, unweighted=True, min_only=True)
    if np.isinf(steps).any():
        stuck = chain.states[int(np.argmax(np.isinf(steps)))]
        raise ValueError(f"targets must be reached from every state, got none from {stuck!r}")
    return steps > 0


def _decomposed(rates: sparse.csr_array, exits: Floats) -> Floats | None:
    """Return the mean times by a decomposition, or None where rounding could spoil digits.

    The equations' matrix has an inverse without negative entries. So an error of at most e in each
    equation, of which the right sides are 1, makes a relative error of at most e in each time.
    """
    from scipy.sparse.linalg import splu

    leaving = np.asarray(rates.sum(axis=1)).ravel() + exits
    try:
        times = splu((sparse.diags_array(leaving) - rates).tocsc()).solve(np.ones(exits.size))
    except RuntimeError:
        return None
    stay, onward = leaving * times, rates @ times
    terms = int(np.diff(rates.indptr).max(initial=0)) + 2
    rounding = terms * np.finfo(float).eps * (1 + np.abs(stay) + np.abs(onward))
    small = np.max(np.abs(1 + onward - stay) + rounding) <= _ERROR
    return np.asarray(times) if small else None
