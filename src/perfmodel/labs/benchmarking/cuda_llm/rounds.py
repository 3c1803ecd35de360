"""The loop of rounds, simulated: candidates are drawn, some are valid, the best is improved on."""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from perfmodel.validation import Floats, at_least, non_negative, whole, within


class Searched(NamedTuple):
    """One search: the speedup of each candidate, and the best after each round."""

    speedups: Floats
    """Shape (rounds, candidates); not a number for a candidate that failed."""
    best: Floats
    """Shape (rounds,); 1 while there is none faster than what was there before."""


def solved_chance(validity: float, candidates: int) -> float:
    """Return the chance that at least one of some candidates is valid, 1 - (1 - v)^n.

    >>> round(solved_chance(0.3, 5), 3)
    0.832
    """
    return float(1 - (1 - within("validity", validity, 0, 1)) ** whole("candidates", candidates))


def search_rounds(
    rounds: int,
    candidates: int,
    validity: float = 0.3,
    spread: float = 0.5,
    bound: float = 1e9,
    seed: int = 0,
) -> Searched:
    """Simulate a search: in each round some candidates are drawn around the best so far.

    The logarithm of a valid candidate's speedup is that of the best so far, plus a normal number.
    `spread` is its standard deviation, `validity` the probability that a candidate is valid,
    `bound` the speedup that the machine allows.

    >>> search_rounds(3, 5, validity=0).best.tolist()
    [1.0, 1.0, 1.0]
    """
    many, each = whole("rounds", rounds, 1), whole("candidates", candidates, 1)
    rng = np.random.default_rng(whole("seed", seed))
    valid = rng.random((many, each)) < within("validity", validity, 0, 1)
    steps = float(non_negative("spread", spread)) * rng.normal(size=(many, each))
    ceiling, logs, best = log(at_least("bound", bound, 1)), np.full((many, each), np.nan), [0.0]
    for place in range(many):
        drawn = np.minimum(best[-1] + steps[place], ceiling)
        logs[place, valid[place]] = drawn[valid[place]]
        best.append(max([best[-1], *drawn[valid[place]]]))
    return Searched(np.exp(logs), np.exp(np.array(best[1:])))
