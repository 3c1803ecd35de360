"""Grayboxes: ways to put a model and a learner together, each an estimator.

`model` is a whitebox estimator of few constants, `learner` any regressor; targets are positive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin, clone

from perfmodel.prediction.arena.estimators import LogFeatures, logs, with_plain
from perfmodel.validation import Floats, positive

if TYPE_CHECKING:
    import pandas as pd


class Residual(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """Graybox: a whitebox model times what a learner makes of its error.

    The learner is given the logarithms of measured over modelled time. Where it has nothing to say
    (far from every point) its answer is near a constant, and the model alone extrapolates.

    Parameters
    ----------
    model, learner : estimator
    columns : sequence of str
        Positive features that the learner sees, as logarithms.
    derived : callable, optional
        Takes the features and returns more columns for the learner, shape (n, q), as they are.
    plain : sequence of str
        Features that the learner sees as they are.
    """

    def __init__(
        self,
        model: Any,
        learner: Any,
        columns: Sequence[str],
        derived: Callable[[pd.DataFrame], ArrayLike] | None = None,
        plain: Sequence[str] = (),
    ) -> None:
        self.model = model
        self.learner = learner
        self.columns = columns
        self.derived = derived
        self.plain = plain

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit the model, then the learner to the logarithms of its residuals."""
        self.model_ = clone(self.model).fit(X, y)
        left = np.log(positive("y", y) / positive("model", self.model_.predict(X)))
        self.learner_ = clone(self.learner).fit(self._seen(X), left)
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return predictions, shape (n,), above 0."""
        factor = np.exp(self.learner_.predict(self._seen(X)))
        return np.asarray(self.model_.predict(X) * factor)

    def _seen(self, features: pd.DataFrame) -> Floats:
        seen = with_plain(logs(features, self.columns), features, self.plain)
        if self.derived is None:
            return seen
        return np.column_stack([seen, np.asarray(self.derived(features), dtype=float)])


class Corrected(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """Graybox: a model plus what a learner makes of its error, in the target's own unit."""

    def __init__(self, model: Any, learner: Any) -> None:
        self.model = model
        self.learner = learner

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit the model, then the learner to its residuals."""
        self.model_ = clone(self.model).fit(X, y)
        left = np.asarray(y, dtype=float) - self.model_.predict(X)
        self.learner_ = clone(self.learner).fit(X, left)
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return predictions, shape (n,)."""
        return np.asarray(self.model_.predict(X) + self.learner_.predict(X))


class WithModel(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """Graybox: the model's answer is one more feature of the learner.

    The weaker mixture: a forest that is given the right answer as a feature still can't return a
    value beyond those it was trained on.

    Parameters
    ----------
    model, learner : estimator
    columns : sequence of str
        Positive features that the learner sees, as logarithms, besides the model's answer.
    plain : sequence of str
        Features that the learner sees as they are.
    """

    def __init__(
        self, model: Any, learner: Any, columns: Sequence[str], plain: Sequence[str] = ()
    ) -> None:
        self.model = model
        self.learner = learner
        self.columns = columns
        self.plain = plain

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit the model, then the learner on features and the model's answer."""
        self.model_ = clone(self.model).fit(X, y)
        told = LogFeatures(self.learner, [*self.columns, "model"], plain=self.plain)
        self.learner_ = told.fit(X.assign(model=self.model_.predict(X)), y)
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return predictions, shape (n,), above 0."""
        return self.learner_.predict(X.assign(model=self.model_.predict(X)))


class Bounded(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """A learner whose answer is kept above a bound that nothing can beat.

    The bound, an estimator, predicts the least time that is possible; it is fitted to the same
    runs.
    """

    def __init__(self, learner: Any, bound: Any) -> None:
        self.learner = learner
        self.bound = bound

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit the learner and the bound."""
        self.learner_ = clone(self.learner).fit(X, y)
        self.bound_ = clone(self.bound).fit(X, y)
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return predictions, shape (n,), none below the bound."""
        return np.asarray(np.maximum(self.learner_.predict(X), self.bound_.predict(X)))
