"""Predictors of a benchmark's ratio on a server, from a table of benchmarks by servers.

The whitebox knowledge is small: many copies of a program run side by side, so that throughput is
proportional to cores and to their clock, and a program that is twice as long on one server is so on
another, `s = capacity x (factor of the component) x (factor of the machine)`. It leaves out memory.

Features are a data frame with the columns of `perfcast.dataset`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from perfmodel.prediction.arena.contest import Contestant
from perfmodel.prediction.arena.mixtures import Residual
from perfmodel.validation import Floats, positive

if TYPE_CHECKING:
    import pandas as pd

HARDWARE = ("cores", "all_core_clock", "base_clock", "memory_bandwidth")
"""Numbers that describe a server."""
LATER = 1e-3
"""Weight of a column of `RankOneFactors` against the one before it, where rows leave a choice."""


def capacity(features: pd.DataFrame) -> Floats:
    """Return cores x clock with all cores busy, in cycles per second, shape (n,)."""
    return np.asarray((features["cores"] * features["all_core_clock"]).to_numpy(dtype=float))


@dataclass(eq=False, repr=False)
class RankOneFactors(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """A target that is a product: a factor for the value of each of some columns.

    With columns `component` and `machine` it is a table of rank one, log s_ij = a_i + b_j. The
    logarithms are fitted by least squares. Where the rows leave a choice, the columns named first
    explain the target, and factors are as near to 1 as can be: a value that was not trained on has
    the factor 1. `per` takes the features and returns what the target is proportional to, shape
    (n,).
    """

    columns: Sequence[str]
    per: Callable[[pd.DataFrame], ArrayLike] | None = None

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit the factors to positive targets, shape (n,)."""
        logs = np.log(positive("y", y) / self._scale(X))
        self.middle_ = float(logs.mean())
        self.levels_ = _levels(X, self.columns)
        seen = _one_hot(X, self.levels_)
        # The solution of least norm avoids the columns that are scaled down.
        counts = [len(of) for of in self.levels_.values()]
        scale = np.repeat(LATER ** np.arange(len(counts)), counts)
        self.logs_ = np.linalg.lstsq(seen * scale, logs - self.middle_, rcond=None)[0] * scale
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return predictions, shape (n,), above 0."""
        logs = self.middle_ + _one_hot(X, self.levels_) @ self.logs_
        return np.asarray(np.exp(logs) * self._scale(X))

    def _scale(self, features: pd.DataFrame) -> Any:
        return 1.0 if self.per is None else positive("per", self.per(features))


def learned(regressor: Any) -> TransformedTargetRegressor:
    """Return a regressor of the logarithm of the score from the component and the server's numbers.

    It sees the components one-hot and the logarithms of `HARDWARE`, standardised. It doesn't see
    the machine's name, which says nothing about the speed of another machine.
    """
    seen = ColumnTransformer(
        [
            (
                "program",
                OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                ["component"],
            ),
            (
                "server",
                make_pipeline(FunctionTransformer(np.log), StandardScaler()),
                list(HARDWARE),
            ),
        ]
    )
    return TransformedTargetRegressor(
        make_pipeline(seen, regressor), func=np.log, inverse_func=np.exp
    )


def _levels(features: pd.DataFrame, columns: Sequence[str]) -> dict[str, list[Any]]:
    return {name: sorted(features[name].unique()) for name in columns}


def _one_hot(features: pd.DataFrame, levels: dict[str, list[Any]]) -> Floats:
    """Return a column for each level, 1 in its rows; a new value has 0 in all of them."""
    parts = [features[name].to_numpy()[:, None] == np.array(of) for name, of in levels.items()]
    return np.hstack(parts).astype(float)


def entries() -> list[Contestant]:
    """Return predictors of all families."""
    scaled = RankOneFactors(["component"], capacity)
    line = make_pipeline(StandardScaler(), Ridge(0.1))
    forest = RandomForestRegressor(50, random_state=0)
    return [
        Contestant("cores x clock", "whitebox", scaled),
        Contestant(
            "component x machine", "whitebox", RankOneFactors(["component", "machine"], capacity)
        ),
        Contestant("same score", "regression", RankOneFactors(["component"])),
        Contestant("ridge", "regression", learned(Ridge(0.1))),
        Contestant("forest", "ml", learned(forest)),
        Contestant("cores x clock, then ridge", "graybox", Residual(scaled, line, HARDWARE)),
        Contestant("cores x clock, then forest", "graybox", Residual(scaled, forest, HARDWARE)),
    ]
