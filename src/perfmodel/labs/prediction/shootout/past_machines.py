"""A learner of past machines: what the machine most like a new one scored, put to its scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin

from perfmodel.prediction.arena.contest import Contestant
from perfmodel.prediction.arena.estimators import logs
from perfmodel.prediction.arena.tuning import Tuned
from perfmodel.validation import Floats, positive

if TYPE_CHECKING:
    import pandas as pd


class PastMachines(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """A component's scores on other machines, weighed by how alike those machines are.

    The columns are numbers above 0 that describe a machine, compared as logarithms; at a distance
    `width` a machine's weight has fallen to 1/e. If `shifted`, scores of the new machine, where
    there are any, move all its predictions by the mean of what they leave.
    """

    def __init__(self, columns: Sequence[str], width: float = 1.0, shifted: bool = True) -> None:
        self.columns = columns
        self.width = width
        self.shifted = shifted

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Learn from rows with `component`, `machine` and positive scores, shape (n,)."""
        self.scores_ = np.log(positive("y", y))
        self.known_ = X[["component", "machine"]].to_numpy(dtype=str)
        self.places_ = logs(X, self.columns)
        left = self.scores_ - self._weighed(X)
        machines = self.known_[:, 1]
        self.shifts_ = {name: float(left[machines == name].mean()) for name in set(machines)}
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return scores, shape (n,), above 0."""
        moved = [self.shifts_.get(str(name), 0.0) for name in X["machine"]]
        return np.asarray(np.exp(self._weighed(X) + self.shifted * np.array(moved)))

    def _weighed(self, X: pd.DataFrame) -> Floats:
        """Return mean logarithms over rows of other machines, of the same component if there are.

        Where all that is known is of the machine itself, its own rows are all there is.
        """
        asked, places = X[["component", "machine"]].to_numpy(dtype=str), logs(X, self.columns)
        distance = np.abs(places[:, None] - self.places_[None]).sum(axis=2)
        # Only ratios of weights count; the nearest keeps 1 however far all of them are.
        nearest = distance.min(axis=1, keepdims=True)
        weight = np.exp(-(distance - nearest) / self.width)
        other = asked[:, 1][:, None] != self.known_[:, 1][None]
        weight *= np.where(other.any(axis=1, keepdims=True), np.maximum(other, 1e-9), 1.0)
        same = asked[:, 0][:, None] == self.known_[:, 0][None]
        weight *= np.where(same.any(axis=1, keepdims=True), np.maximum(same, 1e-6), 1.0)
        return np.asarray(weight @ self.scores_ / weight.sum(axis=1))


def meta_learner(columns: Sequence[str]) -> Contestant:
    """Return the entry that predicts a new machine from machines like it."""
    settings: dict[str, Any] = {
        f"width {width:g}, {'shifted' if shifted else 'as they are'}": PastMachines(
            columns, width, shifted
        )
        for shifted in (True, False)
        for width in (0.3, 3.0)
    }
    return Contestant("learner of past machines", "ml", Tuned(settings))
