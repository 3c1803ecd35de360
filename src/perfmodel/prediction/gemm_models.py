"""Whitebox models of the time of a matrix product C = A B, m x k by k x n, on one core.

A library computes C in small tiles that fit into registers, from copies of A and B laid out in the
order in which they are read (K. Goto and R. van de Geijn, ACM TOMS 34(3), 2008). Each part of that
work has a count that follows from m, n and k, and a price that is a constant of the machine. The
price is fitted; the count is knowledge.

Features are a data frame with the columns `m`, `n`, `k` (1) and `word` (bytes of an element).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize
from sklearn.base import BaseEstimator, RegressorMixin

from perfmodel.validation import Floats, positive

if TYPE_CHECKING:
    import pandas as pd


def flop(features: pd.DataFrame) -> Floats:
    """Return the operations of each product, 2 m n k, shape (n,)."""
    return np.asarray(2.0 * features[["m", "n", "k"]].prod(axis=1).to_numpy())


def least_bytes(features: pd.DataFrame) -> Floats:
    """Return the bytes that each product must move: A and B read, C written, shape (n,)."""
    m, n, k = (features[name].to_numpy(dtype=float) for name in "mnk")
    return np.asarray((m * k + k * n + m * n) * features["word"].to_numpy())


class Roofline(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """Two constants: seconds an operation and seconds a byte; the larger share counts.

    Fitted to the least sum of absolute logarithms of the error.
    """

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit both constants to times in seconds, shape (n,)."""
        seconds, work, moved = positive("y", y), flop(X), least_bytes(X)

        def loss(logs: Any) -> float:
            modelled = np.maximum(np.exp(logs[0]) * work, np.exp(logs[1]) * moved)
            return float(np.abs(np.log(modelled / seconds)).sum())

        rates = np.array([np.median(seconds / work), np.median(seconds / moved)])
        starts = [np.log(rates * factor) for factor in ([1, 1], [1, 0.1], [0.5, 0.5])]
        found = [optimize.minimize(loss, one, method="Nelder-Mead") for one in starts]
        best = min(found, key=lambda one: float(one.fun))
        self.seconds_per_flop_, self.seconds_per_byte_ = np.exp(best.x)
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return times in seconds, shape (n,)."""
        return np.asarray(
            np.maximum(self.seconds_per_flop_ * flop(X), self.seconds_per_byte_ * least_bytes(X))
        )
