"""Forecasts with stated intervals, and the two ways of stating them that need no law.

>>> ends = signed_ends(np.arange(-50.0, 51), 0.95)
>>> print(ends)
(-49.0, 49.0)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.measurement.statistics.intervals import check_level
from perfmodel.validation import Floats, sample

CONFIDENCE = 0.95
TREES = 200


@dataclass(frozen=True, eq=False)
class Forecast:
    """A forecast of each run with the ends of its interval; not-a-number where there is none."""

    middle: Floats
    low: Floats
    high: Floats

    @property
    def parts(self) -> tuple[Floats, Floats, Floats]:
        """Middle, low and high."""
        return self.middle, self.low, self.high

    def held(self, least: float, most: float) -> Forecast:
        """Return the forecast with all that lies outside of what is possible put on its edge."""
        return Forecast(*(np.clip(part, least, most) for part in self.parts))


def joined(forecasts: list[Forecast]) -> Forecast:
    """Return forecasts one behind the other."""
    columns = zip(*(forecast.parts for forecast in forecasts), strict=True)
    return Forecast(*(np.concatenate(column) for column in columns))


def none(runs: int) -> Forecast:
    """Return what a contestant says that cannot answer: not-a-number for each of some runs."""
    return Forecast(*np.full((3, runs), np.nan))


def signed_ends(errors: ArrayLike, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return what to add to a forecast for an interval, from its errors (result less forecast).

    Split-conformal prediction (Lei et al., JASA 113, 2018) with each tail by itself: a run drawn
    like the others is covered with at least `confidence`. That takes 39 errors for 95 %; of fewer
    the extremes are returned, which cover less.
    """
    ordered = np.sort(sample("errors", errors, 2))
    rank = int((ordered.size + 1) * (1 - check_level(confidence)) / 2 + 1e-9)
    index = max(rank, 1) - 1
    return float(ordered[index]), float(ordered[-1 - index])


def around(middle: Floats, errors: ArrayLike) -> Forecast:
    """Return a forecast with the interval that its errors on other runs give, by `signed_ends`."""
    low, high = signed_ends(errors)
    return Forecast(middle, middle + low, middle + high)


def plane(known: Floats, results: Floats, new: Floats) -> Forecast:
    """Forecast by least squares on features, with its prediction interval.

    There's no forecast without more finished runs than coefficients; a feature that is the same in
    all finished runs is left out.
    """
    from statsmodels.api import OLS, add_constant

    varied = np.ptp(known, axis=0) > 0
    if len(known) <= varied.sum() + 1:
        return none(len(new))
    model = OLS(results, add_constant(known[:, varied])).fit()
    result = model.get_prediction(add_constant(new[:, varied], has_constant="add"))
    low, high = result.conf_int(obs=True, alpha=1 - CONFIDENCE).T
    return Forecast(result.predicted_mean, low, high)


def forest(known: Floats, results: Floats, new: Floats) -> Forecast:
    """Forecast by a random forest; its interval is from its out-of-bag errors on finished runs."""
    from sklearn.ensemble import RandomForestRegressor

    trees = RandomForestRegressor(TREES, min_samples_leaf=2, oob_score=True, random_state=0)
    trees.fit(known, results)
    return around(trees.predict(new), results - trees.oob_prediction_)
