"""Ways to predict all networks of a search space from a few that have been timed on a device.

A new cook asks how long each dish of a long menu takes. One answer is to have watched many kitchens
before. Another is to know that a dish is a list of steps, and to time the steps.

Each predictor takes a `DeviceTask` and the rows that were timed, and returns predictions for every
row. Predictors differ in their prior knowledge, not in the measurements. Data and protocol come
from HELP (`perfmodel.prediction.architectures.device_latency`).

The module also audits which latencies can't have been timed, and bounds rank correlations with
ties.

A stopwatch has noise, and a sum of prices has none. So a column that a few prices reproduce exactly
was added up. Where a predictor calls two networks equal, a rank correlation needs an order that
nobody predicted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
import threadpoolctl
from numpy.typing import ArrayLike
from scipy import optimize

from perfmodel.prediction.architectures.device_latency import (
    TRAINED,
    latencies,
    pool_rows,
    query_rows,
)
from perfmodel.prediction.architectures.search_space import counts, one_hot, used_counts
from perfmodel.prediction.arena import metrics
from perfmodel.prediction.arena.dataset import Rows
from perfmodel.validation import Floats, finite, positive, whole

if TYPE_CHECKING:
    import pandas as pd

FBNET_KNOWN = [device.replace("_256", "_64") for device in TRAINED]
"""Known devices of fbnet. We chose the same ones as for nb201."""


@dataclass(frozen=True, eq=False)
class DeviceTask:
    """A device to predict: the known features of each network, and its latency."""

    space: str
    device: str
    seconds: Floats
    """Latencies, shape (n,)."""
    hot: pd.DataFrame
    """One-hot code of the networks."""
    known: Floats
    """Latencies of the same networks on nine other devices, shape (n, 9)."""
    query: Rows
    """Rows that are tested."""

    @cached_property
    def counted(self) -> dict[str, Floats]:
        """The networks' operations by `counts`."""
        return counts(self.hot)

    @cached_property
    def used(self) -> dict[str, Floats]:
        """The networks' operations by `used_counts`; nb201 only."""
        return used_counts(self.hot)

    @cached_property
    def coded(self) -> Floats:
        """The one-hot code as an array."""
        return np.asarray(self.hot.to_numpy(dtype=float))

    def rank(self, predicted: ArrayLike) -> float:
        """Return Spearman's rank correlation on the tested rows of `predicted`, shape (n,)."""
        guess = finite("predicted", predicted)
        return metrics.spearman(self.seconds[self.query], guess[self.query])


@cache
def device_task(device: str, space: str = "nb201") -> DeviceTask:
    """Return one device's task in the space `nb201` or `fbnet`."""
    table = latencies(space)
    seconds = table.on(device)
    known = table.seconds[TRAINED if space == "nb201" else FBNET_KNOWN].to_numpy()
    return DeviceTask(
        space, device, seconds, one_hot_networks(space), known, query_rows(seconds, space)
    )


@cache
def one_hot_networks(space: str = "nb201") -> pd.DataFrame:
    """Return the one-hot code of all networks of a space, `nb201` or `fbnet`."""
    return one_hot(latencies(space).choices, space)


Method = Callable[[DeviceTask, Rows], Floats]
"""Takes a task and the rows that have been timed; returns predictions for all, shape (n,)."""


def prices(counted: Mapping[str, ArrayLike], seconds: ArrayLike) -> dict[str, float]:
    """Return what each count, shape (n,), costs in seconds, 0 or more, by least squares.

    >>> each = prices({"base": [1, 1, 1], "conv": [0, 1, 2]}, [2.0, 5.0, 8.0])
    >>> {name: round(price, 9) for name, price in each.items()}
    {'base': 2.0, 'conv': 3.0}
    """
    matrix = np.column_stack([finite(name, number) for name, number in counted.items()])
    fitted = optimize.nnls(matrix, positive("seconds", seconds))[0]
    return dict(zip(counted, fitted.tolist(), strict=True))


def by_counts(chosen: DeviceTask, rows: Rows) -> Floats:
    """Whitebox: a base and a price for each operation, the same wherever it stands.

    As all methods here it takes the rows of the task that were timed, and returns the predicted
    latency of every network in seconds, shape (n,).
    """
    return _summed(chosen.counted, chosen, rows)


def by_used_counts(chosen: DeviceTask, rows: Rows) -> Floats:
    """Whitebox of nb201 where a compiler has removed what is not used."""
    return _summed(chosen.used, chosen, rows)


def _summed(counted: Mapping[str, Floats], chosen: DeviceTask, rows: Rows) -> Floats:
    fitted = prices({name: n[rows] for name, n in counted.items()}, chosen.seconds[rows])
    return np.asarray(sum(fitted[name] * n for name, n in counted.items()))


def by_ridge(chosen: DeviceTask, rows: Rows) -> Floats:
    """Regression: a price for each operation at each place, drawn towards their mean."""
    from sklearn.linear_model import Ridge

    fitted = Ridge(1.0).fit(chosen.coded[rows], chosen.seconds[rows])
    return np.asarray(fitted.predict(chosen.coded))


def by_forest(chosen: DeviceTask, rows: Rows, trees: int = 50) -> Floats:
    """Machine learning: a random forest on the one-hot code and the counts.

    It predicts the tested networks only, and 0 for the others.
    """
    from sklearn.ensemble import RandomForestRegressor

    seen = np.column_stack([chosen.coded, *chosen.counted.values()])
    forest = RandomForestRegressor(trees, random_state=0).fit(seen[rows], chosen.seconds[rows])
    predicted = np.zeros(len(seen))
    predicted[chosen.query] = forest.predict(seen[chosen.query])
    return predicted


def by_neighbour(chosen: DeviceTask, rows: Rows) -> Floats:
    """Borrow: latencies of the known device that correlates best on the timed networks."""
    timed = np.column_stack([chosen.seconds, chosen.known])[rows]
    alike = np.atleast_2d(np.corrcoef(timed.T))[0, 1:]
    return chosen.known[:, int(np.argmax(alike))]


def by_mixture(chosen: DeviceTask, rows: Rows) -> Floats:
    """Borrow: a base and a weight of 0 or more of each known device, by least squares."""
    known = np.column_stack([np.ones(len(chosen.known)), chosen.known])
    return np.asarray(known @ optimize.nnls(known[rows], chosen.seconds[rows])[0])


def resampled_ranks(chosen: DeviceTask, method: Method, budget: int, resamples: int = 10) -> Floats:
    """Return the rank correlations, shape (draws,), with `budget` timed networks from the pool."""
    pool = pool_rows(chosen.space)
    whole("budget", budget, 1, pool.size)
    rows = (np.random.default_rng(seed).permutation(pool)[:budget] for seed in range(resamples))
    # A pool of threads on ten rows costs more than it brings.
    with threadpoolctl.threadpool_limits(1):
        return np.array([chosen.rank(method(chosen, timed)) for timed in rows])


TABLE = 1e-4
"""Largest relative error of a sum of prices at which a column can't have been timed."""


def tie_range(actual: ArrayLike, predicted: ArrayLike) -> tuple[float, float]:
    """Return the least and largest rank correlation that equal predictions can be put in order for.

    >>> low, high = tie_range([1, 2, 3], [5, 5, 5])
    >>> round(low, 12), round(high, 12)
    (-1.0, 1.0)
    """
    y, guess = positive("actual", actual), finite("predicted", predicted)
    return _ranked(y, guess, -y), _ranked(y, guess, y)


def tie_deviation(
    actual: ArrayLike, predicted: ArrayLike, orders: int = 100, seed: int = 0
) -> tuple[float, float]:
    """Return mean and standard deviation of the rank correlation over orders of equal predictions.

    >>> mean, deviation = tie_deviation([1, 2, 3], [5, 6, 7])
    >>> round(mean, 12), round(deviation, 12)
    (1.0, 0.0)
    """
    y, guess = positive("actual", actual), finite("predicted", predicted)
    rng = np.random.default_rng(seed)
    ranks = [_ranked(y, guess, rng.random(y.size)) for _ in range(whole("orders", orders, 2))]
    return float(np.mean(ranks)), float(np.std(ranks))


def _ranked(actual: Floats, predicted: Floats, among_equals: Floats) -> float:
    """Return the rank correlation with equal predictions put in the order of another number."""
    ranks = np.empty(actual.size)
    ranks[np.lexsort((among_equals, predicted))] = np.arange(actual.size)
    return metrics.spearman(actual, ranks)


def audit(space: str = "nb201") -> pd.DataFrame:
    """Return how well a sum of prices, fitted to the pool, predicts the rows after it, by device.

    For nb201 a price an operation, for fbnet a price an operation and layer. Index `device`; `r2`,
    `largest` (relative error), `whole_ms` (all latencies are whole milliseconds), `table` (largest
    below `TABLE`: a stopwatch has noise, a sum has none).
    """
    import pandas as pd

    table, hot = latencies(space), one_hot_networks(space)
    counted = counts(hot).values() if space == "nb201" else [np.ones(len(hot)), *hot.to_numpy().T]
    known = np.column_stack(list(counted))
    pool, seconds = pool_rows(space), table.seconds.to_numpy()
    fitted = np.linalg.lstsq(known[pool], seconds[pool], rcond=None)[0]
    measured, guess = seconds[pool.size :], (known @ fitted)[pool.size :]
    largest = np.abs(guess / measured - 1).max(axis=0)
    whole_ms = np.isclose(seconds * 1e3, np.round(seconds * 1e3), rtol=0, atol=1e-9).all(axis=0)
    return pd.DataFrame(
        {
            "r2": [metrics.r2(*pair) for pair in zip(measured.T, guess.T, strict=True)],
            "largest": largest,
            "whole_ms": whole_ms,
            "table": largest < TABLE,
        },
        index=table.seconds.columns.rename("device"),
    )
