"""Uniformisation: how long a chain of phases lasts, as steps of one pace that are counted.

A chain that leaves its states at different rates behaves like one that steps at the fastest rate
and often stays where it is. How many steps it has made is Poisson; all terms are positive.

Source: W. K. Grassmann, "Transient solutions in Markovian queueing systems", Computers and
Operations Research 4(1), 1977.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, sqrt

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.tails import checked_probability, invert_tail
from perfmodel.validation import Floats

_MOST_STEPS = 1e7


def steps_needed(mean: float) -> int:
    """Return a number of events that a Poisson count of this mean exceeds less than 1e-15 often.

    Refuses a mean above 10 million, which takes minutes.

    >>> steps_needed(0.0), steps_needed(10_000.0)
    (40, 10940)
    """
    if not mean <= _MOST_STEPS:
        raise ValueError(
            f"time must be at most {_MOST_STEPS:g} moves at the rate of the fastest phase, "
            f"got {mean:.3g}; the moments are known"
        )
    return ceil(mean + 9 * sqrt(mean) + 40)


def mixed_tail(time: Floats, pace: float, tails: Floats) -> Floats:
    """Return the mean of left[n] over n, the Poisson count of events at `pace` until `time`.

    >>> print(mixed_tail(np.array([0.0, 1.0]), 1.0, 0.5 ** np.arange(60)).round(6))
    [1.       0.606531]
    """
    counts = np.arange(tails.size)
    logs = np.concatenate([[0.0], np.cumsum(np.log(counts[1:]))])
    means = pace * time[..., np.newaxis]
    with np.errstate(divide="ignore", invalid="ignore"):
        chances = np.exp(np.where(counts == 0, 0.0, counts * np.log(means)) - logs - means)
    return np.asarray(chances @ tails)[()]


def mixed_quantile(
    steps: Callable[[float], tuple[float, Floats]], probability: ArrayLike, guess: float
) -> Floats:
    """Return the time at which a uniformised chain has ended with each probability.

    `steps` takes a horizon in seconds and returns what `mixed_tail` needs up to it; `guess` is the
    horizon tried first.

    >>> print(mixed_quantile(lambda _: (1.0, 0.5 ** np.arange(60)), [0.5], 1.0).round(6))
    [1.386294]
    """
    horizon, least = guess, 1 - np.max(checked_probability(probability))
    while mixed_tail(np.array(horizon), *(table := steps(horizon))) > least:
        horizon *= 2
    return invert_tail(lambda t: mixed_tail(np.array(t), *table), probability)
