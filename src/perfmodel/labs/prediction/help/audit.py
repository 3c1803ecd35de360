"""Which latencies can't have been timed, and what a rank correlation leaves open.

A stopwatch has noise, and a sum of prices has none: a column that a few prices give exactly was
added up. And where a prediction says of two networks that they are equal, a rank correlation needs
an order that nobody predicted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.prediction.help.few_shot import coded
from perfmodel.prediction.architectures.device_latency import latencies, pool_rows
from perfmodel.prediction.architectures.search_space import counts
from perfmodel.prediction.arena import metrics
from perfmodel.validation import Floats, finite, positive, whole

if TYPE_CHECKING:
    import pandas as pd

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


def tie_spread(
    actual: ArrayLike, predicted: ArrayLike, draws: int = 100, seed: int = 0
) -> tuple[float, float]:
    """Return mean and standard deviation of the rank correlation over orders of equal predictions.

    >>> mean, deviation = tie_spread([1, 2, 3], [5, 6, 7])
    >>> round(mean, 12), round(deviation, 12)
    (1.0, 0.0)
    """
    y, guess = positive("actual", actual), finite("predicted", predicted)
    rng = np.random.default_rng(seed)
    ranks = [_ranked(y, guess, rng.random(y.size)) for _ in range(whole("draws", draws, 2))]
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

    table, hot = latencies(space), coded(space)
    counted = counts(hot).values() if space == "nb201" else [np.ones(len(hot)), *hot.to_numpy().T]
    known = np.column_stack(list(counted))
    pool, seconds = pool_rows(space), table.seconds.to_numpy()
    fitted = np.linalg.lstsq(known[pool], seconds[pool], rcond=None)[0]
    left, guess = seconds[pool.size :], (known @ fitted)[pool.size :]
    largest = np.abs(guess / left - 1).max(axis=0)
    whole_ms = np.isclose(seconds * 1e3, np.round(seconds * 1e3), rtol=0, atol=1e-9).all(axis=0)
    return pd.DataFrame(
        {
            "r2": [metrics.r2(*pair) for pair in zip(left.T, guess.T, strict=True)],
            "largest": largest,
            "whole_ms": whole_ms,
            "table": largest < TABLE,
        },
        index=table.seconds.columns.rename("device"),
    )
