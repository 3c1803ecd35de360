"""Predictors that meet on surrogate hosts: the paper's baselines, and models of contention."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import statsmodels.api as sm
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin, clone

from perfmodel.labs.prediction.cloudformer.hosts import BANDWIDTH, MACHINES, cache_share
from perfmodel.validation import Floats, positive

if TYPE_CHECKING:
    import pandas as pd


class InverseGamma(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """Generalised linear regression with gamma errors: 1 / mean is linear in the features.

    Where that line comes near 0, the answer has no bound; where it is below, no meaning.
    """

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from features, shape (n, p), and positive targets, shape (n,)."""
        seen, target = np.asarray(X, dtype=float), positive("y", y)
        self.mean_, self.spread_ = seen.mean(axis=0), seen.std(axis=0)
        family = sm.families.Gamma(sm.families.links.InversePower())
        with warnings.catch_warnings():
            # It warns that this link can leave the gamma law's range: that is what is shown here.
            warnings.simplefilter("ignore")
            self.line_ = sm.GLM(target, self._seen(seen), family=family).fit().params
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """Return predictions, shape (n,)."""
        return np.asarray(1 / (self._seen(np.asarray(X, dtype=float)) @ self.line_))

    def _seen(self, features: Floats) -> Floats:
        scaled = (features - self.mean_) / self.spread_
        return np.column_stack([np.ones(len(scaled)), scaled])


class Stretched(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """A model of how many times longer work takes, for a target in percent of the speed alone.

    Parameters
    ----------
    model : estimator
        Predicts 100 / target.
    """

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Learn from features and positive targets, shape (n,)."""
        self.model_ = clone(self.model).fit(X, 100 / positive("y", y))
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return predictions in percent, shape (n,)."""
        return np.asarray(100 / self.model_.predict(X))


class Corrected(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """Graybox: a model, and what a learner on all counters makes of its error.

    Parameters
    ----------
    model, learner : estimator
    """

    def __init__(self, model: Any, learner: Any) -> None:
        self.model = model
        self.learner = learner

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit the model, then the learner to what it leaves."""
        self.model_ = clone(self.model).fit(X, y)
        self.learner_ = clone(self.learner).fit(X, np.asarray(y) - self.model_.predict(X))
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return predictions in percent, shape (n,)."""
        return np.asarray(self.model_.predict(X) + self.learner_.predict(X))


class AgainstAlone(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """Whitebox with one measurement more: instructions per cycle now, over those of a run alone."""

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Learn nothing: no constant is fitted."""
        self.fitted_ = True
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return predictions in percent, shape (n,)."""
        return np.asarray(100 * X["own ipc"] / X["alone"])


def traffic(features: pd.DataFrame) -> dict[str, Floats]:
    """Return 1 and the traffic of all machines over what the socket's memory serves."""
    found = features["own traffic"] + (MACHINES - 1) * features["beside traffic"]
    return {"alone": np.ones(len(features)), "traffic": found.to_numpy() / BANDWIDTH}


def contention(features: pd.DataFrame) -> dict[str, Floats]:
    """Return the counts of `traffic`, and the share of its working set that a machine has lost."""
    working_set = (features["own occupancy"] / features["own load"]).to_numpy()
    kept = cache_share(features["beside load"].to_numpy())
    return {**traffic(features), "lost cache": np.maximum(0, 1 - kept / working_set)}
