"""Regressions that say a mixture's accuracy from its shares, its distance, or both.

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
    left_out: float
    """On pilots left out, a fifth of them at a time."""
    beyond: float
    """On the mixtures of which no pilot was run."""


def _linear(shares: Floats, distance: Floats) -> Floats:
    return shares[:, :2]


def _quadratic(shares: Floats, distance: Floats) -> Floats:
    p, q = shares[:, 0], shares[:, 1]
    return np.stack([p, q, p**2, q**2, p * q], axis=1)


def _distance(shares: Floats, distance: Floats) -> Floats:
    return distance[:, None]


def _combined(shares: Floats, distance: Floats) -> Floats:
    p, d = shares[:, :2], distance[:, None]
    return np.concatenate([d, p, d * p, d * p**2], axis=1)


def _shares(shares: Floats, distance: Floats) -> Floats:
    return shares


def _both(shares: Floats, distance: Floats) -> Floats:
    return np.column_stack([distance, shares])


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


Columns = Callable[[Floats, Floats], Floats]
REGRESSIONS: dict[str, tuple[Columns, Callable[[], Any]]] = {
    "linear in shares": (_linear, _line),
    "quadratic in shares": (_quadratic, _line),
    "distance alone": (_distance, _line),
    "distance and shares": (_combined, _line),
    "the same, ridge": (_combined, _ridge),
    "forest on shares": (_shares, _forest),
    "forest on both": (_both, _forest),
}
"""By name: the columns, and the model fitted to them."""
COEFFICIENTS = {
    "linear in shares": "3",
    "quadratic in shares": "6",
    "distance alone": "2",
    "distance and shares": "8",
    "the same, ridge": "8, held small",
    "forest on shares": f"{_TREES} trees",
    "forest on both": f"{_TREES} trees",
}


def forecasts(runs: MixtureRuns, size: int, name: str) -> Floats:
    """Return a regression's accuracy of every mixture at a size, fitted to the pilots alone.

    Parameters
    ----------
    runs : MixtureRuns
    size : int
        Of the pilots, in examples.
    name : str
        One of `REGRESSIONS`.

    Returns
    -------
    ndarray, shape (mixtures,)
    """
    table, model, known = *_set_up(runs, size, name), runs.piloted
    actual = runs.accuracy[size].mean(axis=1)
    with threadpoolctl.threadpool_limits(1):
        return np.asarray(model.fit(table[known], actual[known]).predict(table))


def error_beyond(runs: MixtureRuns, size: int, name: str) -> float:
    """Return a regression's mean absolute error of the mixtures of which no pilot was run."""
    off = np.abs(forecasts(runs, size, name) - runs.accuracy[size].mean(axis=1))
    return float(off[~runs.piloted].mean())


def errors(runs: MixtureRuns, size: int, name: str) -> Errors:
    """Return how far a regression is off, on pilots and beyond them."""
    from sklearn.model_selection import KFold, cross_val_predict

    table, model, known = *_set_up(runs, size, name), runs.piloted
    actual = runs.accuracy[size].mean(axis=1)
    off = np.abs(forecasts(runs, size, name) - actual)
    folds = KFold(_FOLDS, shuffle=True, random_state=0)
    with threadpoolctl.threadpool_limits(1):
        apart = cross_val_predict(model, table[known], actual[known], cv=folds)
    inside = float(np.abs(apart - actual[known]).mean())
    return Errors(float(off[known].mean()), inside, float(off[~known].mean()))


def _set_up(runs: MixtureRuns, size: int, name: str) -> tuple[Floats, Any]:
    if name not in REGRESSIONS:
        raise ValueError(f"name must be one of {', '.join(REGRESSIONS)}, got {name!r}")
    if size not in runs.distance:
        raise ValueError(f"size must be one of {', '.join(map(str, runs.distance))}, got {size!r}")
    columns, model = REGRESSIONS[name]
    return columns(runs.shares, runs.distance[size].mean(axis=1)), model()
