"""A predictor that settles its own settings on its training rows, and nowhere else.

>>> from sklearn.dummy import DummyRegressor
>>> from sklearn.linear_model import LinearRegression
>>> x = np.arange(1.0, 13.0)
>>> tuned = Tuned({"mean": DummyRegressor(), "line": LinearRegression()})
>>> tuned.fit(x[:, None], 2 * x).chosen_
'line'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.model_selection import KFold

from perfmodel.prediction.arena import metrics
from perfmodel.prediction.arena.dataset import Rows
from perfmodel.validation import Floats, positive

Folds = Sequence[tuple[Rows, Rows]]
"""Positions among the training rows: to learn from, and to be judged on."""
FOLDS = 3
MIN_TRAINING_ROWS = 6
"""Training rows below which no fold can judge; then the first setting is taken."""
MAX_TUNING_ROWS = 240
"""Training rows, drawn among all, by which settings are chosen; the chosen one learns from all."""


class Tuned(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """An estimator in several settings by name, of which inner cross-validation chooses one.

    The first is taken where there are too few rows to choose by.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.settings = settings

    def fit(self, X: Any, y: ArrayLike, folds: Folds | None = None) -> Self:
        """Choose a setting by its mean percentage error on inner folds, and fit it to all rows.

        Targets are above 0. The `folds` are pairs of rows to learn from and to judge by, so that
        tuning asks the question that the test asks; three at random if left out. `chosen_` names
        the setting; `inner_error_` is its error on the folds, a fraction, NaN where there were
        fewer than six rows.
        """
        if not self.settings:
            raise ValueError("settings must name one estimator or more, got none")
        target = positive("y", y)
        judged = self._judged(X, target, folds)
        self.chosen_ = min(judged, key=judged.__getitem__) if judged else next(iter(self.settings))
        self.inner_error_ = judged.get(self.chosen_, np.nan)
        self.fitted_ = clone(self.settings[self.chosen_]).fit(X, target)
        return self

    def predict(self, X: Any) -> Floats:
        """Return predictions, shape (n,)."""
        return np.asarray(self.fitted_.predict(X), dtype=float)

    def _judged(self, X: Any, y: Floats, folds: Folds | None) -> dict[str, float]:
        if y.size < MIN_TRAINING_ROWS:
            return {}
        parts = folds or [*KFold(FOLDS, shuffle=True, random_state=0).split(y)]
        fraction = min(1.0, MAX_TUNING_ROWS / y.size)
        parts = [(_some(known, fraction), _some(asked, fraction)) for known, asked in parts]
        return {
            name: float(np.mean([_error(setting, X, y, *part) for part in parts]))
            for name, setting in self.settings.items()
        }


def _error(setting: Any, X: Any, y: Floats, known: Rows, asked: Rows) -> float:
    fitted = clone(setting).fit(_rows(X, known), y[known])
    guess = np.asarray(fitted.predict(_rows(X, asked)), dtype=float)
    return metrics.mape(y[asked], guess) if np.isfinite(guess).all() else np.inf


def _some(rows: Rows, fraction: float) -> Rows:
    kept = max(1, round(fraction * len(rows)))
    return np.sort(np.random.default_rng(0).permutation(rows)[:kept])


def _rows(X: Any, rows: Rows) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else np.asarray(X)[rows]
