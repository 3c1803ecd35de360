"""Times of the blocked product: measured here in interleaved rounds, or as recorded for all 729.

What counts is the best of the rounds. Every round visits all settings in an order of its own, so
that a busy minute of the machine is spread over all of them; the best is then the time without a
neighbour. How far it can be trusted is read from the rounds themselves: the best of the odd ones
against the best of the even ones.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from itertools import product
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from perfmodel.benchmarking.blocked_product.loops import (
    PRODUCT_LEVELS,
    ProductSettings,
    product_loops,
    stored,
)
from perfmodel.validation import Floats, whole

RECORDED = "product_times"
SIZE = 240
"""Rows and columns of each matrix: three of them take 1.4 MB."""


class ProductTimes(NamedTuple):
    """Times of some settings of the blocked product, in seconds, each of shape (n,)."""

    settings: tuple[ProductSettings, ...]
    best: Floats
    """The quickest of all rounds."""
    median: Floats
    odd: Floats
    """The quickest of the odd rounds; with `even`, how repeatable the best is."""
    even: Floats
    """The quickest of the even rounds."""

    @property
    def levels(self) -> Floats:
        """The place of each setting's level among the three of its factor, shape (n, 6)."""
        indices = [
            [PRODUCT_LEVELS[name].index(level) for name, level in setting._asdict().items()]
            for setting in self.settings
        ]
        return np.array(indices, dtype=np.float64)

    @property
    def features(self) -> Floats:
        """What a model learns from, shape (n, 12): sizes as levels from -1 to 1, equally spaced.

        Factors without order have a column for each level, 1 where it is chosen.
        """
        levels = self.levels
        chosen = [levels[:, index, None] == np.arange(3) for index in (3, 4, 5)]
        return np.hstack([levels[:, :3] - 1, *chosen])

    @property
    def split_half_difference(self) -> Floats:
        """The relative difference of the odd and the even rounds' best, shape (n,)."""
        return np.abs(self.odd - self.even) / self.best


def product_settings() -> tuple[ProductSettings, ...]:
    """Return all 729 settings, the last factor changing fastest.

    >>> len(product_settings()), product_settings()[0]
    (729, ProductSettings(columns=8, depth=8, rows=1, order='ijk', storage='rows-rows', ...))
    """
    return tuple(ProductSettings(*levels) for levels in product(*PRODUCT_LEVELS.values()))


def time_products(
    settings: Sequence[ProductSettings], size: int = SIZE, rounds: int = 7, seed: int = 0
) -> ProductTimes:
    """Time settings of the blocked product on one core of this machine, in interleaved rounds.

    Every setting is run once before, which compiles it, and its result is checked. Returns a
    `ProductTimes`.

    Parameters
    ----------
    settings : sequence of ProductSettings
        One or more.
    size : int
        Rows and columns of the matrices, a multiple of every setting's `rows`.
    rounds : int
        Runs of each setting, 2 or more.
    seed : int
        Seed of the order of each round.

    Examples
    --------
    >>> times = time_products([ProductSettings(8, 8, 1, "ikj", "rows-rows", "exact")], 16, 3)
    >>> bool(0 < times.best[0] <= times.median[0])
    True
    """
    whole("size", size, 1), whole("rounds", rounds, 2)
    if not settings or any(size % one.rows for one in settings):
        raise ValueError(f"settings must have rows that divide the size {size}, got {settings!r}")
    rng = np.random.default_rng(whole("seed", seed))
    first, second = rng.random((2, size, size))
    bench = {one.storage: stored(first, second, one.storage) for one in settings}
    result = np.empty((size, size))
    for one in settings:
        _seconds(one, *bench[one.storage], result)
        if not np.allclose(result, first @ second):
            raise ArithmeticError(f"{one} gives another product than NumPy")
    seconds = np.empty((rounds, len(settings)))
    for number in range(rounds):
        for index in rng.permutation(len(settings)):
            one = settings[index]
            seconds[number, index] = _seconds(one, *bench[one.storage], result)
    return ProductTimes(
        tuple(settings),
        seconds.min(axis=0),
        np.median(seconds, axis=0),
        seconds[::2].min(axis=0),
        seconds[1::2].min(axis=0),
    )


def _seconds(one: ProductSettings, first: Floats, second: Floats, result: Floats) -> float:
    """Run one setting into `result`, whose pages are touched before the clock starts."""
    loops = product_loops(one.order, one.rows, one.arithmetic)
    result[:] = 0
    start = perf_counter()
    loops(first, second, result, one.columns, one.depth)
    return perf_counter() - start


@cache
def recorded_products() -> ProductTimes:
    """Return the `ProductTimes` of all 729 `product_settings`, measured once on one machine.

    `recorded_products_source` says where and how.

    Examples
    --------
    >>> recorded_products().best.shape
    (729,)
    """
    lines = _file(".csv").splitlines()
    rows = list(csv.DictReader(lines))
    settings = tuple(
        ProductSettings(*(type(levels[0])(row[name]) for name, levels in PRODUCT_LEVELS.items()))
        for row in rows
    )
    columns = ("best_seconds", "median_seconds", "best_odd_seconds", "best_even_seconds")
    return ProductTimes(
        settings, *(np.array([float(row[name]) for row in rows]) for name in columns)
    )


def recorded_products_source() -> dict[str, Any]:
    """Return the provenance of the recorded times: machine, versions, date, size and rounds.

    >>> recorded_products_source()["size"]
    240
    """
    source: dict[str, Any] = json.loads(_file(".json"))
    return source


def _file(ending: str) -> str:
    return (resources.files(__package__) / f"{RECORDED}{ending}").read_text("utf-8")
