"""Laws of learning curves, each put through a curve's own first values: whiteboxes of its end.

A rate of errors or a perplexity falls towards a floor, as a power of the epochs or exponentially.
Each law has a floor, a height and one number of shape; the shape is searched on a grid, the other
two follow by least squares and are 0 or more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin

from perfmodel.validation import Floats, positive

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

LAWS = ("power", "exponential")
SHAPES = {"power": np.geomspace(0.05, 3, 30), "exponential": np.geomspace(0.01, 1, 30)}
"""Exponents; shares of the remaining height that an epoch takes away."""


class CurveLaw(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """Where a falling curve ends by a law with a floor, from its own first values alone.

    The law is `power` or `exponential`. The columns hold the values seen at `epochs` (from 1), two
    or more; `end` is the epoch asked for.

    >>> import pandas as pd
    >>> seen = pd.DataFrame({"first": [1.25], "second": [0.75], "fourth": [0.5]})
    >>> law = CurveLaw(["first", "second", "fourth"], [1, 2, 4], 8).fit(seen, [0.375])
    >>> bool(abs(law.predict(seen)[0] - 0.375) < 0.01)
    True
    """

    def __init__(
        self, columns: Sequence[str], epochs: Sequence[int], end: int, law: str = "power"
    ) -> None:
        self.columns = columns
        self.epochs = epochs
        self.end = end
        self.law = law

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Learn nothing from other curves."""
        if self.law not in LAWS:
            raise ValueError(f"law must be one of {', '.join(LAWS)}, got {self.law!r}")
        self.fitted_ = True
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return the results at the end, shape (n,), above 0."""
        seen = positive("curves", X[list(self.columns)].to_numpy(dtype=float))
        epochs = np.asarray(self.epochs, dtype=float)
        best, ends = np.full(len(seen), np.inf), np.zeros(len(seen))
        for shape in SHAPES[self.law]:
            basis, last = self._height(epochs, shape), self._height(float(self.end), shape)
            floor, height = _line(basis, seen)
            error = ((floor[:, None] + height[:, None] * basis - seen) ** 2).sum(axis=1)
            ends = np.where(error < best, floor + height * last, ends)
            best = np.minimum(error, best)
        # A curve that falls to nothing by the law still has an end above 0.
        return np.maximum(ends, seen[:, -1] / 100)

    def _height(self, epochs: ArrayLike, shape: float) -> Floats:
        at = np.asarray(epochs, dtype=float)
        return at**-shape if self.law == "power" else np.exp(-shape * (at - 1))


def _line(basis: Floats, seen: Floats) -> tuple[Floats, Floats]:
    """Return floor and height of 0 or more by least squares for each curve, both of shape (n,)."""
    away = basis - basis.mean()
    height = np.maximum(seen @ away / (away @ away), 0.0)
    floor = seen.mean(axis=1) - height * basis.mean()
    through_zero = np.maximum(seen @ basis / (basis @ basis), 0.0)
    return np.maximum(floor, 0.0), np.where(floor < 0, through_zero, height)


class CommonPower(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """A curve falls from its last value seen as a power of the epochs that all curves share.

    The column `last` was seen at `epoch`; `end` is asked for.
    """

    def __init__(self, last: str, epoch: int, end: int) -> None:
        self.last = last
        self.epoch = epoch
        self.end = end

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Learn the exponent: the median over curves whose ends are known, shape (n,)."""
        fallen = np.log(positive("y", y) / positive("last", X[self.last].to_numpy(dtype=float)))
        self.exponent_ = float(np.median(fallen)) / np.log(self.end / self.epoch)
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return the results at the end, shape (n,), above 0."""
        factor = (self.end / self.epoch) ** self.exponent_
        return np.asarray(X[self.last].to_numpy(dtype=float) * factor)
