"""Predictors that meet on surrogate hosts: the paper's baselines, and models of contention."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import statsmodels.api as sm
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import TransformedTargetRegressor

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
        family = sm.families.Gamma(sm.families.links.InversePower())
        with warnings.catch_warnings():
            # It warns that this link can leave the gamma law's range: that is what is shown here.
            warnings.simplefilter("ignore")
            fitted = sm.GLM(positive("y", y), sm.add_constant(np.asarray(X)), family=family).fit()
        self.line_ = fitted.params
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """Return predictions, shape (n,)."""
        return np.asarray(1 / (sm.add_constant(np.asarray(X), has_constant="add") @ self.line_))


def stretched(model: Any) -> TransformedTargetRegressor:
    """Return a predictor of percent of the speed alone from a model of 100 / target."""
    return TransformedTargetRegressor(model, func=_inverted, inverse_func=_inverted)


def _inverted(percent: Floats) -> Floats:
    return 100 / percent


def ipc_against_alone(features: pd.DataFrame) -> Floats:
    """Return 100 times instructions per cycle now over those alone: one more measurement."""
    return np.asarray(100 * features["own ipc"] / features["alone"])


def traffic(features: pd.DataFrame) -> dict[str, Floats]:
    """Return 1 and the traffic of all machines over what the socket's memory serves."""
    asked = features["own traffic"] + (MACHINES - 1) * features["beside traffic"]
    return {"alone": np.ones(len(features)), "traffic": asked.to_numpy() / BANDWIDTH}


def contention(features: pd.DataFrame) -> dict[str, Floats]:
    """Return the counts of `traffic`, and the fraction of a machine's working set that is lost."""
    working_set = (features["own occupancy"] / features["own load"]).to_numpy()
    kept = cache_share(features["beside load"].to_numpy())
    return {**traffic(features), "lost cache": np.maximum(0, 1 - kept / working_set)}
