"""Searches without a language model on the 729 recorded settings: at random, by mutation, by count.

The count of operations ranks all settings before any is run. Taken alone it is a whitebox; as the
start of a mutation search it is one half of a graybox.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from perfmodel.benchmarking import mutation_search, recorded_products, runs_to_reach
from perfmodel.labs.benchmarking.cuda_llm.counts import counted_cycles
from perfmodel.validation import Floats, non_negative, whole

Order = Callable[[int], NDArray[np.int64]]
"""Takes a seed, returns all 729 places in the order run."""


def ranked_by_count(seed: int = 0) -> NDArray[np.int64]:
    """Return all places by their counted cycles, ties in a random order.

    >>> int(ranked_by_count().size)
    729
    """
    draws = np.random.default_rng(whole("seed", seed)).random(729)
    return np.lexsort([draws, counted_cycles(recorded_products().settings)])


def _random(seed: int) -> NDArray[np.int64]:
    return np.random.default_rng(seed).permutation(729)


def _mutated(seed: int, first: int | None = None) -> NDArray[np.int64]:
    times = recorded_products()
    return mutation_search(times.levels, times.best.__getitem__, 729, seed, first=first)


def _counted_then_mutated(seed: int) -> NDArray[np.int64]:
    return _mutated(seed, int(ranked_by_count(seed)[0]))


ORDERS: Mapping[str, Order] = MappingProxyType(
    {
        "random": _random,
        "mutation": _mutated,
        "ranked by count": ranked_by_count,
        "count, then mutation": _counted_then_mutated,
    }
)


@cache
def costs(name: str, seeds: int) -> Floats:
    """Return the recorded seconds in the order in which a search meets them.

    The result has the shape (seeds, 729).
    """
    return recorded_products().best[np.stack([ORDERS[name](seed) for seed in range(seeds)])]


def waits(name: str, seeds: int, share: float) -> Floats:
    """Return the runs after which each search was within `share` of the best, shape (seeds,)."""
    target = (1 + float(non_negative("share", share))) * recorded_products().best.min()
    return np.array([runs_to_reach(row, target) for row in costs(name, seeds)])
