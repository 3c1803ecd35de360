"""How far a search has come: the best so far, and how many runs a random one needs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, finite, sample, whole


class RandomRuns(NamedTuple):
    """Runs until a random search has found a good configuration."""

    mean: float
    median: float
    """As likely as not, it has found one by then."""


def best_so_far(costs: ArrayLike) -> Floats:
    """Return the smallest cost of the first 1, 2, ... runs, of the shape of `costs`.

    >>> best_so_far([3.0, 5.0, 2.0, 4.0]).tolist()
    [3.0, 3.0, 2.0, 2.0]
    """
    return np.minimum.accumulate(sample("costs", costs))


def runs_to_reach(costs: ArrayLike, target: float) -> float:
    """Return the number of runs after which the best so far was `target` or less.

    Infinite where none of `costs` is.

    >>> runs_to_reach([3.0, 5.0, 2.0, 4.0], 2.5)
    3.0
    """
    good = np.flatnonzero(sample("costs", costs) <= float(finite("target", target)))
    return float(good[0] + 1) if good.size else np.inf


def random_runs(count: int, good: int) -> RandomRuns:
    """Return how many random runs, none repeated, find one of `good` among `count` configurations.

    The `RandomRuns` have the mean (N + 1)/(good + 1), and the median: the least number of runs that
    finds one with a probability of one half or more.

    Examples
    --------
    >>> random_runs(729, 3)
    RandomRuns(mean=182.5, median=151.0)
    """
    total, wanted = whole("count", count, 1), whole("good", good, 1)
    if wanted > total:
        raise ValueError(f"good must be at most count {total}, got {wanted}")
    left = total - np.arange(total + 1 - wanted)
    missed = np.concatenate([[1.0], np.cumprod((left - wanted) / left)])
    return RandomRuns((total + 1) / (wanted + 1), float(np.argmax(missed <= 0.5)))
