"""Regressions that predict a mixture's accuracy from its shares, its distance, or both.

Source of the combined one: F. Kang and others, arXiv:2307.02460, as in the authors' notebook for
three sources: the distance, two shares, and the distance times each share and its square.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import threadpoolctl

from perfmodel.labs.forecasting.projektor.mixtures import MixtureRuns
from perfmodel.validation import Floats

_ALPHAS = 10.0 ** np.arange(-4, 3)
_TREES = 100
_FOLDS = 5


class Errors(NamedTuple):
    """Mean absolute errors of accuracy: where a regression was fitted, and where not."""

    fitted: float
    """On the pilots that it was fitted to."""
    leave_one_out: float
    """On pilots left out, a fifth of them at a time."""
    beyond: float
    """On the mixtures of which no pilot was run."""


def _linear(fractions: Floats, distance: Floats) -> Floats:
    return fractions[:, :2]


def _quadratic(fractions: Floats, distance: Floats) -> Floats:
    p, q = fractions[:, 0], fractions[:, 1]
    return np.stack([p, q, p**2, q**2, p * q], axis=1)


def _distance(fractions: Floats, distance: Floats) -> Floats:
    return distance[:, None]


def _combined(fractions: Floats, distance: Floats) -> Floats:
    p, d = fractions[:, :2], distance[:, None]
    return np.concatenate([d, p, d * p, d * p**2], axis=1)


def _fractions(fractions: Floats, distance: Floats) -> Floats:
    return fractions


def _both(fractions: Floats, distance: Floats) -> Floats:
    return np.column_stack([distance, fractions])


def _line() -> Any:
    from sklearn.linear_model import LinearRegression

    return LinearRegression()


def _ridge() -> Any:
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), RidgeCV(_ALPHAS))


def _forest() -> Any:
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(_TREES, random_state=0)


class Regression(NamedTuple):
    """One way to predict a mixture's accuracy."""

    columns: Callable[[Floats, Floats], Floats]
    """From shares, shape (mixtures, 3), and distances, shape (mixtures,)."""
    model: Callable[[], Any]
    """Makes what is fitted to the columns."""
    coefficients: str
    """How many the model has, in words."""


REGRESSIONS = {
    "linear in shares": Regression(_linear, _line, "3"),
    "quadratic in shares": Regression(_quadratic, _line, "6"),
    "distance alone": Regression(_distance, _line, "2"),
    "distance and shares": Regression(_combined, _line, "8"),
    "the same, ridge": Regression(_combined, _ridge, "8, held small"),
    "forest on shares": Regression(_fractions, _forest, f"{_TREES} trees"),
    "forest on both": Regression(_both, _forest, f"{_TREES} trees"),
}
"""By name."""


def forecasts(runs: MixtureRuns, size: int, name: str) -> Floats:
    """Return a regression's accuracy of every mixture at a size, fitted to the pilots alone."""
    table, model = _set_up(runs, size, name)
    with threadpoolctl.threadpool_limits(1):
        model.fit(table[runs.piloted], _found(runs, size)[runs.piloted])
        return np.asarray(model.predict(table))


def error_beyond(runs: MixtureRuns, size: int, name: str) -> float:
    """Return a regression's mean absolute error of the mixtures of which no pilot was run."""
    return float(_misses(runs, size, name)[~runs.piloted].mean())


def errors(runs: MixtureRuns, size: int, name: str) -> Errors:
    """Return how far a regression is off, on pilots and beyond them."""
    from sklearn.model_selection import KFold, cross_val_predict

    known, off = runs.piloted, _misses(runs, size, name)
    table, model = _set_up(runs, size, name)
    actual = _found(runs, size)[known]
    folds = KFold(_FOLDS, shuffle=True, random_state=0)
    with threadpoolctl.threadpool_limits(1):
        apart = cross_val_predict(model, table[known], actual, cv=folds)
    inside = float(np.abs(apart - actual).mean())
    return Errors(float(off[known].mean()), inside, float(off[~known].mean()))


def _found(runs: MixtureRuns, size: int) -> Floats:
    """Return each mixture's accuracy, the mean of its draws."""
    return np.asarray(runs.accuracy[size].mean(axis=1))


def _misses(runs: MixtureRuns, size: int, name: str) -> Floats:
    return np.abs(forecasts(runs, size, name) - _found(runs, size))


def _set_up(runs: MixtureRuns, size: int, name: str) -> tuple[Floats, Any]:
    chosen = REGRESSIONS[name]
    return chosen.columns(runs.fractions, runs.distance[size].mean(axis=1)), chosen.model()
