"""Searches without a model: spread over all configurations, or close to the best so far.

The configurations are rows of a table, `measure` runs the one at a place and returns a cost that
is to be small, and a search returns the places in the order in which it ran them. Which search is
better is then a question on these orders: see `progress`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.validation import Floats, finite, non_negative, positive, whole

Measure = Callable[[int], float]
"""Runs the configuration at a place and returns its cost, above 0."""


class Runner:
    """Runs configurations one after the other, and keeps what they cost."""

    def __init__(self, measure: Measure, target: float) -> None:
        """Keep `measure`, from an index to a cost above 0, and the cost that is good enough."""
        self.measure = measure
        self.target = float(non_negative("target", target))
        self.order: list[int] = []
        self.costs: list[float] = []

    @property
    def best_index(self) -> int:
        """The place of the smallest cost so far."""
        return self.order[int(np.argmin(self.costs))]

    def run(self, index: int) -> bool:
        """Run one, and say whether it is good enough."""
        self.order.append(index)
        self.costs.append(float(positive("cost", self.measure(index))))
        return self.costs[-1] <= self.target


def space_filling(features: ArrayLike, runs: int, seed: int = 0) -> NDArray[np.int64]:
    """Return the indices of `runs` configurations that are spread over the whole table.

    A scrambled Sobol sequence (`scipy.stats.qmc`), by `seed`, fills the range of the `features`, a
    row for each configuration; each of its points takes the closest configuration that is not taken
    yet.

    Examples
    --------
    >>> sorted(space_filling([[0.0], [1.0], [2.0], [3.0]], 2).tolist())
    [1, 2]
    """
    from scipy.stats import qmc

    table = feature_table(features)
    wanted = run_budget("runs", runs, len(table))
    span = np.ptp(table, axis=0)
    scaled = (table - table.min(axis=0)) / np.where(span > 0, span, 1)
    size = int(np.ceil(np.log2(wanted))) if wanted > 1 else 0
    points = qmc.Sobol(scaled.shape[1], rng=whole("seed", seed)).random_base2(size)
    taken: list[int] = []
    for point in points[:wanted]:
        distance = ((scaled - point) ** 2).sum(axis=1)
        distance[taken] = np.inf
        taken.append(int(distance.argmin()))
    return np.array(taken)


def mutation_search(
    levels: ArrayLike,
    measure: Measure,
    runs: int,
    seed: int = 0,
    target: float = 0.0,
    first: int | None = None,
) -> NDArray[np.int64]:
    """Start anywhere, and always run the best so far with one of its factors changed.

    The change is drawn at random among those that have not been run. Where none is left, any
    configuration is drawn. Returns at most `runs` indices, in the order run.

    Parameters
    ----------
    levels : array_like, shape (n, factors)
        A row for each configuration; equal numbers are equal levels.
    measure, runs, seed, target
        As in `gaussian_process_search`; the seed is that of all draws.
    first : int, optional
        The place that is run first, where something is known; drawn if not given.

    Examples
    --------
    >>> corners = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> sorted(mutation_search(corners, lambda place: 4.0 - place, 4).tolist())
    [0, 1, 2, 3]
    """
    table = feature_table(levels)
    rng = np.random.default_rng(whole("seed", seed))
    runner = Runner(measure, target)
    left = np.ones(len(table), dtype=bool)
    budget = run_budget("runs", runs, len(table))
    while len(runner.order) < budget:
        near = left
        if runner.order:
            near = left & ((table != table[runner.best_index]).sum(axis=1) == 1)
        index = int(rng.choice(np.flatnonzero(near if near.any() else left)))
        if first is not None and not runner.order:
            index = run_budget("first", first + 1, len(table)) - 1
        left[index] = False
        if runner.run(index):
            break
    return np.array(runner.order)


def feature_table(features: ArrayLike) -> Floats:
    """Return a table of numbers with a row for each configuration, or refuse it."""
    table = finite("features", features)
    if table.ndim != 2 or table.size == 0:
        raise ValueError(f"features must have a row for each run, got shape {table.shape}")
    return table


def run_budget(name: str, runs: int, count: int) -> int:
    """Return a number of runs that `count` configurations allow."""
    if whole(name, runs, 1) > count:
        raise ValueError(f"{name} must be at most the {count} configurations, got {runs}")
    return int(runs)
