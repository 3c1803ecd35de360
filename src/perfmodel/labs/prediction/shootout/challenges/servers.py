"""Components of SPECrate on servers, from the public sample of PerfCastDB.

A learner of past machines: what the machine most like a new one scored, put to its scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin

from perfmodel.labs.prediction.ncpp import perfcast
from perfmodel.labs.prediction.ncpp.capacity import HARDWARE, RankOneFactors, capacity
from perfmodel.labs.prediction.shootout.challenges.rounds import SEEDS, few_shot_rounds
from perfmodel.prediction.arena.challenge import Challenge
from perfmodel.prediction.arena.contest import Contestant
from perfmodel.prediction.arena.estimators import logs
from perfmodel.prediction.arena.tuning import Tuned
from perfmodel.validation import Floats, positive

if TYPE_CHECKING:
    import pandas as pd


@dataclass(eq=False, repr=False)
class PastMachines(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """A component's scores on other machines, weighted by the similarity of the machines.

    The columns are numbers above 0 that describe a machine, compared as logarithms; at a distance
    `width` a machine's weight has fallen to 1/e. If `shifted`, known scores of the new machine move
    all its predictions by their mean residual.
    """

    columns: Sequence[str]
    width: float = 1.0
    shifted: bool = True

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Learn from rows with `component`, `machine` and positive scores, shape (n,)."""
        self.scores_ = np.log(positive("y", y))
        self.known_ = X[["component", "machine"]].to_numpy(dtype=str)
        self.places_ = logs(X, self.columns)
        residuals = self.scores_ - self._weighed(X)
        machines = self.known_[:, 1]
        self.shifts_ = {name: float(residuals[machines == name].mean()) for name in set(machines)}
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return scores, shape (n,), above 0."""
        moved = [self.shifts_.get(str(name), 0.0) for name in X["machine"]]
        return np.asarray(np.exp(self._weighed(X) + self.shifted * np.array(moved)))

    def _weighed(self, X: pd.DataFrame) -> Floats:
        """Return mean logarithms over rows of other machines, of the same component if there are.

        Where all that is known is of the machine itself, its own rows are all there is.
        """
        asked, positions = X[["component", "machine"]].to_numpy(dtype=str), logs(X, self.columns)
        distance = np.abs(positions[:, None] - self.places_[None]).sum(axis=2)
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


SHOTS = (0, 3)
WRITTEN = "Their lab designed both with all four servers known."


def servers(seeds: Sequence[int] = SEEDS) -> Challenge:
    """Return scores of a server that is new, or of which three components were run.

    Seeds take the four servers in turn. The budget of a round is the number of rows of the new
    server; all rows of the others are learned from.
    """
    data = perfcast.dataset("rate")
    components = sorted(set(data.features["component"]))
    flags = {
        f"is {name}": (data.features["component"] == name).astype(float) for name in components
    }
    units = {**data.units, **dict.fromkeys(flags, "1")}
    data = replace(data, features=data.features.assign(**flags), units=units)
    return Challenge(
        data,
        few_shot_rounds(data, "machine", SHOTS, seeds),
        logged=HARDWARE,
        plain=list(flags),
        whiteboxes={
            "cores x clock": RankOneFactors(["component"], capacity),
            "component x machine": RankOneFactors(["component", "machine"], capacity),
        },
        written=WRITTEN,
        unit="machine",
        more=[meta_learner(HARDWARE)],
    )
