"""Predictors of a benchmark's ratio on a server, from a table of benchmarks by servers.

The whitebox knowledge is small: many copies of a program run side by side, so that throughput is
proportional to cores and to their clock, and a program that is twice as long on one server is so on
another, `s = capacity x (factor of the component) x (factor of the machine)`. It leaves out memory.

Features are a data frame with the columns of `perfcast_data.dataset`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from perfmodel.prediction.contest import Contestant
from perfmodel.prediction.estimators import Residual
from perfmodel.validation import Floats, positive

if TYPE_CHECKING:
    import pandas as pd

HARDWARE = ("cores", "all_core_clock", "base_clock", "memory_bandwidth")
"""Numbers that describe a server."""
LATER = 1e-3
"""Weight of a column of `Factors` against the one before it, where the rows leave a choice."""


def capacity(features: pd.DataFrame) -> Floats:
    """Return cores x clock with all cores busy, in cycles per second, shape (n,)."""
    return np.asarray((features["cores"] * features["all_core_clock"]).to_numpy(dtype=float))


class Factors(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """A target that is a product: a factor for the value of each of some columns.

    With columns `component` and `machine` it is a table of rank one, log s_ij = a_i + b_j. The
    logarithms are fitted by least squares. Where the rows leave a choice, the columns named first
    explain the target, and factors are as near to 1 as can be: a value that was not trained on has
    the factor 1.

    Parameters
    ----------
    columns : sequence of str
    per : callable, optional
        Takes the features and returns what the target is proportional to, shape (n,).
    """

    def __init__(
        self, columns: Sequence[str], per: Callable[[pd.DataFrame], ArrayLike] | None = None
    ) -> None:
        self.columns = columns
        self.per = per

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit the factors to positive targets, shape (n,)."""
        logs = np.log(positive("y", y) / self._scale(X))
        self.middle_ = float(logs.mean())
        self.encoder_ = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        seen = self.encoder_.fit_transform(X[list(self.columns)])
        # The solution of least norm avoids the columns that are scaled down.
        levels = [len(values) for values in self.encoder_.categories_]
        scale = np.repeat(LATER ** np.arange(len(levels)), levels)
        self.logs_ = np.linalg.lstsq(seen * scale, logs - self.middle_, rcond=None)[0] * scale
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return predictions, shape (n,), above 0."""
        logs = self.middle_ + self.encoder_.transform(X[list(self.columns)]) @ self.logs_
        return np.asarray(np.exp(logs) * self._scale(X))

    def _scale(self, features: pd.DataFrame) -> Any:
        return 1.0 if self.per is None else positive("per", self.per(features))


def learner(regressor: Any) -> TransformedTargetRegressor:
    """Return a regressor of the logarithm of the score from all columns.

    It sees the components one-hot and the logarithms of the hardware's numbers, standardised. The
    machine's name is left out: what another machine is called says nothing of its speed.
    """
    seen = ColumnTransformer(
        [
            ("component", OneHotEncoder(handle_unknown="ignore"), ["component"]),
            (
                "hardware",
                make_pipeline(FunctionTransformer(np.log), StandardScaler()),
                list(HARDWARE),
            ),
        ],
        sparse_threshold=0,
    )
    return TransformedTargetRegressor(
        make_pipeline(seen, regressor), func=np.log, inverse_func=np.exp
    )


def entries() -> list[Contestant]:
    """Return predictors of all families."""
    scaled = Factors(["component"], capacity)
    line = make_pipeline(StandardScaler(), Ridge(0.1))
    forest = RandomForestRegressor(100, random_state=0)
    return [
        Contestant("cores x clock", "whitebox", scaled),
        Contestant("component x machine", "whitebox", Factors(["component", "machine"], capacity)),
        Contestant("same score", "regression", Factors(["component"])),
        Contestant("ridge", "regression", learner(Ridge(0.1))),
        Contestant("forest", "ml", learner(forest)),
        Contestant("cores x clock, then ridge", "graybox", Residual(scaled, line, HARDWARE)),
        Contestant("cores x clock, then forest", "graybox", Residual(scaled, forest, HARDWARE)),
    ]
