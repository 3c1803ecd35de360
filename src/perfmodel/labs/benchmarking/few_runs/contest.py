"""Searches on the recorded table: how many runs until a setting close to the best.

A search sees the best times of the odd rounds, and ends when it has come within 5 % of the best of
them. The even rounds are left to check what was found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.benchmarking import (
    gaussian_process_search,
    mutation_search,
    recorded_products,
    runs_to_reach,
)
from perfmodel.measurement import bootstrap_interval
from perfmodel.validation import Floats, non_negative, sample, whole

GOAL = 0.05
"""A setting is good when it is at most this share slower than the best."""
Search = Callable[[int], NDArray[np.int64]]
"""Takes a seed, returns the places that it runs until it has a good one."""


def near_best(tolerance: float, rounds: str = "odd") -> NDArray[np.bool_]:
    """Return which of the 729 settings are at most a fraction `tolerance` slower than the best.

    >>> int(near_best(0.05).sum())
    3
    """
    times = getattr(recorded_products(), rounds)
    return np.asarray(times <= (1 + float(non_negative("tolerance", tolerance))) * times.min())


def orthogonal_array() -> NDArray[np.int64]:
    """Return the indices of a 3^(6-3) fraction, with every pair of levels equally often.

    >>> orthogonal_array().size
    27
    """
    first, second, third = np.indices((3, 3, 3)).reshape(3, -1)
    levels = [first, second, third, first + second, first + third, first + 2 * second + third]
    return np.ravel_multi_index(tuple(level % 3 for level in levels), (3,) * 6)


def additive_search(seed: int = 0) -> NDArray[np.int64]:
    """Run 27 settings, fit a term for each level of each factor, and run what it ranks first.

    `seed` names the levels, which decides about the 27, and their order. Indices in the order run.
    """
    rng = np.random.default_rng(whole("seed", seed))
    levels = recorded_products().levels.astype(int)
    turned = np.stack([rng.permutation(3)[column] for column in levels.T])
    names = np.ravel_multi_index(tuple(turned), (3,) * 6)
    start = rng.permutation(np.flatnonzero(np.isin(names, orthogonal_array())))
    columns = [levels[:, [f]] == level for f in range(6) for level in (1, 2)]
    terms = np.hstack([np.ones((len(levels), 1)), *columns])
    fit, *_ = np.linalg.lstsq(terms[start], np.log(recorded_products().odd[start]), rcond=None)
    ranked = np.argsort(terms @ fit, kind="stable")
    order = np.concatenate([start, ranked[~np.isin(ranked, start)]])
    return order[: int(near_best(GOAL)[order].argmax()) + 1]


def gaussian_process_order(seed: int = 0) -> NDArray[np.int64]:
    """Return the places that `gaussian_process_search` runs; `seed` is that of its first 16."""
    times = recorded_products()
    return gaussian_process_search(
        times.features, times.odd.__getitem__, 729, seed=seed, target=_target()
    )


def mutation_order(seed: int = 0) -> NDArray[np.int64]:
    """Return the places that `mutation_search` runs; `seed` is that of all its draws."""
    times = recorded_products()
    return mutation_search(times.levels, times.odd.__getitem__, 729, seed, _target())


SEARCHES: Mapping[str, Search] = MappingProxyType(
    {
        "random walk": mutation_order,
        "27 runs, then ranked": additive_search,
        "Gaussian process": gaussian_process_order,
    }
)


@cache
def search_orders(name: str, seeds: int) -> tuple[NDArray[np.int64], ...]:
    """Return the places that a search ran, once for each seed. `name` is a key of `SEARCHES`."""
    return tuple(SEARCHES[name](seed) for seed in range(seeds))


def runs_needed(orders: Sequence[NDArray[np.int64]], tolerance: float = GOAL) -> Floats:
    """Return the runs after which each search had a setting within `tolerance` of the best."""
    bad = 1.0 - near_best(tolerance)
    return np.array([runs_to_reach(bad[order], 0) for order in orders])


def fewer_runs(first: ArrayLike, mean: float) -> tuple[float, float, float]:
    """Return how many times fewer runs a search needs than `mean`, with a 95 % interval.

    `first` are the runs that the search needed for each seed, `mean` those of what it is compared
    with. The ratio of means, and the ends of a bootstrap interval.

    >>> fewer_runs([10.0, 10.0], 100.0)
    (10.0, 10.0, 10.0)
    """
    runs = sample("first", first, 2)
    low, high = bootstrap_interval(runs, np.mean, method="BCa")
    return float(mean / runs.mean()), mean / high, mean / low


def _target() -> float:
    return (1 + GOAL) * float(recorded_products().odd.min())
