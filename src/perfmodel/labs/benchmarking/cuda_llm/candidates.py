"""The search loop on this machine, with no language model: compile, check, time, keep the best."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from time import perf_counter
from typing import NamedTuple

import numpy as np

from perfmodel.benchmarking import ProductSettings, product_loops
from perfmodel.validation import whole

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


def tried(candidates: Iterable[ProductSettings], rounds: int = 5, seed: int = 0) -> list[Tried]:
    """Compile, check and time candidates one after the other.

    >>> [one.valid for one in tried(candidate_space()[:1], rounds=1)]
    [True]
    """
    whole("rounds", rounds, 1)
    first, second = np.random.default_rng(whole("seed", seed)).random((2, SIZE, SIZE))
    truth, result = first @ second, np.empty((SIZE, SIZE))

    def seconds(one: ProductSettings) -> float:
        loops = product_loops(one.order, one.rows, one.arithmetic)
        result[:] = 0
        start = perf_counter()
        loops(first, second, result, one.columns, one.depth)
        return perf_counter() - start

    found = []
    for one in candidates:
        seconds(one)
        valid = bool(np.allclose(result, truth))
        best = min(seconds(one) for _ in range(rounds)) if valid else np.inf
        found.append(Tried(one, valid, best))
    return found
