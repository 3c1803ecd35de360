"""Lists to be sorted in a limited number of comparisons of random neighbours.

An item is a list in one starting order. A try picks two neighbours at random, puts them in order,
and so on until the budget of comparisons is spent; it passes if the list is sorted then.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.forecasting.cod.difficulty_clusters import cluster_items, fit_success
from perfmodel.validation import Floats, sample, whole

LENGTHS = (3, 4, 5, 6, 8, 10)
OF_EACH = 50
"""Lists of each length."""
TRIES = 50
"""At each list with each budget."""
BUDGETS = np.array([4, 6, 8, 12, 16, 24, 32, 48])
"""Comparisons."""
LARGE = 128
"""Comparisons of the run that is forecast."""


class Trial(NamedTuple):
    """Shares of lists sorted with the large budget: found, and forecast from the small ones."""

    found: float
    one_law: float
    every_cluster: float
    """Forecast of all lists, those of no cluster left out."""
    kept_fraction: float
    """Share of the lists in extrapolatable clusters."""
    kept: float
    """Forecast of those lists."""
    kept_found: float
    easiest_kept: bool
    """Whether the easiest cluster is extrapolatable."""


def shuffled_lists(seed: int) -> list[Floats]:
    """Return starting orders, for each length an array of shape (50, length)."""
    rng = np.random.default_rng(whole("seed", seed))
    return [rng.permuted(np.tile(np.arange(float(n)), (OF_EACH, 1)), axis=1) for n in LENGTHS]


def pass_rates(lists: list[Floats], budgets: ArrayLike, seed: int) -> Floats:
    """Return the fraction of tries that sort each list, a row a list, a column a budget.

    >>> pass_rates([np.array([[1.0, 0.0], [0.0, 1.0]])], [1], 0)
    array([[1.],
           [1.]])
    """
    rng = np.random.default_rng(whole("seed", seed))
    counts = [whole("budgets", count, 1) for count in sample("budgets", budgets)]
    return np.vstack(
        [np.column_stack([_tries(starts, count, rng) for count in counts]) for starts in lists]
    )


def forecast_trial(seed: int) -> Trial:
    """Sort lists with small budgets, forecast the large one, then sort with it, too."""
    lists = shuffled_lists(seed)
    rates = pass_rates(lists, BUDGETS, seed + 1)
    result = pass_rates(lists, [LARGE], seed + 2)[:, 0]
    clusters = cluster_items(rates, BUDGETS)
    kept = clusters.kept
    return Trial(
        float(result.mean()),
        float(fit_success(BUDGETS, rates.mean(axis=0)).predict(LARGE)),
        float(clusters.forecast(LARGE, every=True)),
        clusters.kept_fraction,
        float(clusters.forecast(LARGE)),
        float(result[kept].mean()),
        clusters.clusters[-1].extrapolatable,
    )


def _tries(starts: Floats, budget: int, rng: np.random.Generator) -> Floats:
    items, length = starts.shape
    lists = np.repeat(starts, TRIES, axis=0)
    rows = np.arange(len(lists))
    for _ in range(budget):
        left = rng.integers(length - 1, size=len(lists))
        pair = lists[rows, left], lists[rows, left + 1]
        lists[rows, left], lists[rows, left + 1] = np.minimum(*pair), np.maximum(*pair)
    done = (np.diff(lists, axis=1) > 0).all(axis=1)
    return np.asarray(done.reshape(items, TRIES).mean(axis=1))
