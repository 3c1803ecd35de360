"""How well a predictor orders things: for choosing the best, their order is all that counts.

>>> truth, guess = [1, 2, 3, 4, 5], [2, 1, 3, 5, 4]
>>> round(kendall(truth, guess), 12), round(ndcg([3.0, 2.0, 1.0], [3.0, 1.0, 2.0], 3), 4)
(0.6, 0.9725)

Spearman's correlation is in `perfmodel.prediction.arena.metrics`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from sklearn.metrics import ndcg_score

from perfmodel.validation import Floats, non_negative, sample, whole


def kendall(actual: ArrayLike, predicted: ArrayLike) -> float:
    """Return Kendall's tau of actual and predicted: the fraction of pairs in order less the others.

    A pair that is tied in either counts as neither; this is the tau that some call tau-a.
    """
    y, guess = _pair(actual, predicted, 2)
    if np.ptp(y) == 0 or np.ptp(guess) == 0:
        return 0.0
    # SciPy's tau-b divides by the pairs that are not tied; here all pairs count.
    untied = _untied_share(y) * _untied_share(guess)
    return float(stats.kendalltau(y, guess).statistic * np.sqrt(untied))


def ndcg(actual: ArrayLike, predicted: ArrayLike, k: int) -> float:
    """Return the normalised discounted cumulative gain of the `k` that are predicted best.

    The gain at position i is the item's `actual` value, 0 or more, divided by log2(i + 1). The sum
    of gains is divided by the sum for the perfect order. Of the `predicted` values equal ones share
    their positions, as over all their orders. Actual values that lie close together, such as
    accuracies of 0.8 to 0.9, give any order nearly 1: compare with `ndcg` of a random order.
    """
    y, guess = _pair(non_negative("actual", actual), predicted, 2)
    if not (y > 0).any():
        raise ValueError("actual must have a value above 0, or there is nothing to gain")
    return float(ndcg_score(y[None], guess[None], k=_few(k, y.size)))


def regret(actual: ArrayLike, predicted: ArrayLike, k: int = 1) -> float:
    """Return how much worse the best of the `k` predicted best is than the best of all.

    Larger `actual` values are better; of equal ones among the `predicted`, the earlier comes first.
    """
    y, guess = _pair(actual, predicted, 1)
    return float(y.max() - y[top_indices(guess, k)].max())


def top_indices(values: ArrayLike, k: int) -> np.ndarray:
    """Return the indices of the `k` largest `values`, largest first, the earlier of equal ones."""
    given = sample("values", values)
    return np.argsort(-given, kind="stable")[: _few(k, given.size)]


def _untied_share(values: Floats) -> float:
    _, counts = np.unique(values, return_counts=True)
    return 1 - float((counts * (counts - 1)).sum()) / (values.size * (values.size - 1))


def _few(k: int, n: int) -> int:
    if whole("k", k, 1) > n:
        raise ValueError(f"k must be at most the {n} values given, got {k}")
    return k


def _pair(actual: ArrayLike, predicted: ArrayLike, least: int) -> tuple[Floats, Floats]:
    y, guess = sample("actual", actual, least), sample("predicted", predicted, least)
    if y.shape != guess.shape:
        raise ValueError(
            f"predicted must have the shape {y.shape} of actual, got shape {guess.shape}"
        )
    return y, guess
