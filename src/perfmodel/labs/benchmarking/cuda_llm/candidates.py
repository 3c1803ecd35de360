"""The search loop on this machine, with no language model: compile, check, time, keep the best.

Candidates ranked without running any: cycles of the blocked product from a count of operations.

For each multiplication with addition the count takes the accesses to memory of the innermost loop
and of the loop around it, and the chain of additions that wait for each other. Three constants of
a processor are assumed and none is fitted: accesses a cycle, doubles in a vector, and the cycles of
an addition.

Searches without a language model on the 729 recorded settings: at random, by mutation, by count.

The count of operations ranks all settings before any is run. Taken alone it is a whitebox; as the
start of a mutation search it is one half of a graybox.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from time import perf_counter
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfmodel.benchmarking import (
    ProductSettings,
    mutation_search,
    product_loops,
    recorded_products,
    runs_to_reach,
)
from perfmodel.validation import Floats, non_negative, whole

SIZE = 240
"""Rows of the matrices. 7 doesn't divide it: candidates of 7 rows leave rows out."""


class Tried(NamedTuple):
    """One candidate after its check and its timing."""

    settings: ProductSettings
    valid: bool
    """Whether it computes the product."""
    seconds: float
    """The best of the rounds; infinite where it is not valid."""


def candidate_space() -> tuple[ProductSettings, ...]:
    """Return 144 candidates: three block sizes, 1 to 8 rows at once, three orders, two arithmetics.

    >>> len(candidate_space())
    144
    """
    levels = product((8, 48, 240), range(1, 9), ("ijk", "ikj", "kij"), ("exact", "fast"))
    return tuple(
        ProductSettings(columns, 240, rows, order, "rows-rows", arithmetic)
        for columns, rows, order, arithmetic in levels
    )


def evaluate_candidates(
    candidates: Iterable[ProductSettings], rounds: int = 5, seed: int = 0
) -> list[Tried]:
    """Compile, check and time candidates one after the other.

    >>> [one.valid for one in evaluate_candidates(candidate_space()[:1], rounds=1)]
    [True]
    """
    whole("rounds", rounds, 1)
    first, second = np.random.default_rng(whole("seed", seed)).random((2, SIZE, SIZE))
    truth, result = first @ second, np.empty((SIZE, SIZE))

    def seconds(candidate: ProductSettings) -> float:
        loops = product_loops(candidate.order, candidate.rows, candidate.arithmetic)
        result[:] = 0
        start = perf_counter()
        loops(first, second, result, candidate.columns, candidate.depth)
        return perf_counter() - start

    results = []
    for candidate in candidates:
        seconds(candidate)
        valid = bool(np.allclose(result, truth))
        best = min(seconds(candidate) for _ in range(rounds)) if valid else np.inf
        results.append(Tried(candidate, valid, best))
    return results


ACCESSES = 2.0
"""Loads or stores that a core starts in a cycle."""
VECTOR = 4.0
"""Doubles that one access or operation takes, where neighbours in memory are neighbours in use."""
LATENCY = 4.0
"""Cycles from the start of an addition until its sum can be used."""
TRIPS = 4.0
"""Cycles to start and end an innermost loop."""


def counted_cycles(settings: Sequence[ProductSettings]) -> Floats:
    """Return the cycles a multiply-add that the count predicts: good for a ranking only.

    >>> slow = ProductSettings(240, 240, 1, "ijk", "rows-rows", "exact")
    >>> counted_cycles([slow, slow._replace(rows=4)]).round(2).tolist()
    [4.03, 1.01]
    """
    return np.array(
        [
            _sums(candidate) if candidate.order == "ijk" else _updates(candidate)
            for candidate in settings
        ]
    )


def _sums(one: ProductSettings) -> float:
    """Return the cycles of ijk: each of the rows has a sum, to which the innermost loop adds."""
    first, second = one.storage.split("-")
    reorder = one.arithmetic == "fast" and first == "rows" and second == "columns"
    width = VECTOR if reorder else 1.0
    accesses = (1 + one.rows) / one.rows / width + 2 / one.depth
    chain = LATENCY / one.rows / width
    return max(accesses / ACCESSES, chain) + TRIPS / (one.depth * one.rows) * 2


def _updates(one: ProductSettings) -> float:
    """Return the cycles of ikj and kij: each row is loaded, added to, and stored."""
    width = VECTOR if one.storage.endswith("rows") else 1.0
    accesses = (1 + 2 * one.rows) / one.rows / width + 1 / one.columns
    return accesses / ACCESSES + TRIPS / (one.columns * one.rows) * 2


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
    """Return recorded seconds in the order in which each search meets them, (seeds, 729)."""
    return recorded_products().best[np.stack([ORDERS[name](seed) for seed in range(seeds)])]


def runs_needed(name: str, seeds: int, tolerance: float) -> Floats:
    """Return the runs after which each search was within a fraction `tolerance` of the best."""
    target = (1 + float(non_negative("tolerance", tolerance))) * recorded_products().best.min()
    return np.array([runs_to_reach(row, target) for row in costs(name, seeds)])
