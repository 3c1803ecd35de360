"""The probabilities of a chain's states at a moment, by uniformisation."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.special import gammaln

from perfmodel.queueing.network.markov_chain.chain import MarkovChain, checked_chain
from perfmodel.validation import Floats, non_negative, sample

_MOST_STEPS = 1e6


def transient_state(chain: MarkovChain, start: ArrayLike, times: ArrayLike) -> Floats:
    """Return the probability of each state at each of `times`, by uniformisation.

    Parameters
    ----------
    chain : MarkovChain
        States and rates.
    start : array_like, shape (states,)
        Probabilities at time 0.
    times : array_like, shape (times,) or a number
        Seconds, 0 or more.

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
    >>> from perfmodel.queueing.network.markov_chain.chain import explore_chain
    >>> flip = explore_chain("up", lambda s: [("down" if s == "up" else "up", 0.5)])
    >>> print(transient_state(flip, [1, 0], [0, 1]).round(4))
    [[1.     0.    ]
     [0.6839 0.3161]]
    """
    checked_chain(chain)
    begin, when = non_negative("start", start), np.atleast_1d(non_negative("times", times))
    sample("times", when)
    if begin.shape != (len(chain.states),) or abs(begin.sum() - 1) > 1e-9:
        raise ValueError(
            f"start must be {len(chain.states)} probabilities that sum to 1, got {start!r}"
        )
    exits = np.asarray(chain.rates.sum(axis=1)).ravel()
    pace = float(exits.max()) or 1.0
    if pace * when.max() > _MOST_STEPS:
        raise ValueError(
            f"times must be at most {_MOST_STEPS / pace:g} s, {_MOST_STEPS:g} moves of the "
            f"quickest state, got {when.max():g}"
        )
    jump = (chain.rates.T / pace).tocsr()
    shares, now, clock = np.empty((when.size, begin.size)), begin, 0.0
    for i in np.argsort(when):
        now = _advance(jump, 1 - exits / pace, now, pace * (when[i] - clock))
        clock, shares[i] = when[i], now
    return shares if np.ndim(times) else shares[0]


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
