"""Which of two recipes wins at a budget, above which budget, and how well that is known."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from perfmodel.forecasting.determination import parameter_errors
from perfmodel.forecasting.fitting import LawFit
from perfmodel.forecasting.uncertainty import LawBootstrap
from perfmodel.measurement.statistics.intervals import percentile_interval
from perfmodel.validation import Floats, positive


class Crossing(NamedTuple):
    """Where two laws tie."""

    budget: float
    """Of the fitted laws; NaN where they don't cross in the range."""
    low: float
    high: float
    """Ends of the interval over refits; those that don't cross count as beyond the range."""
    crossing_fraction: float
    """Of refits that cross in the range, from 0 to 1."""


def win_probability(
    first: LawBootstrap, second: LawBootstrap, budget: ArrayLike, *, larger_is_better: bool = True
) -> Floats:
    """Return in which fraction of refits the first law is ahead at each budget, ties counting half.

    `first` and `second` are bootstraps of independent runs, of laws in one variable, `budget` is
    above 0. Success rates are better if larger (`larger_is_better`), losses aren't.
    """
    where = positive("budget", budget)
    first_refits, second_refits = _paired(first, second)
    ahead = first_refits.forecasts(where) - second_refits.forecasts(where)
    signs = np.sign(ahead if larger_is_better else -ahead)
    return np.asarray((1 + signs.mean(axis=0)) / 2)


def crossing(
    first: LawBootstrap,
    second: LawBootstrap,
    start: float,
    end: float,
    confidence: float = 0.95,
) -> Crossing:
    """Return the `Crossing`: the budget at which two laws tie, and how well it is known.

    `first` and `second` are as for the fraction of wins. Budgets from `start` to `end`, above 0,
    are searched; of several ties the last counts: from there on the order stays. The interval has
    the `confidence` level.

    Examples
    --------
    >>> from perfmodel.forecasting import POWER_LAW, bootstrap_law, fit_law
    >>> x = np.geomspace(1, 100, 20)
    >>> laws = [fit_law(POWER_LAW, x, a * x**-b) for a, b in ((4, 1), (2, 0.5))]
    >>> round(crossing(*map(bootstrap_law, laws), 1, 100).budget, 3)
    4.0
    """
    if not 0 < start < end:
        raise ValueError(f"start and end must be a range above 0, got {start!r} and {end!r}")
    grid = np.geomspace(start, end, 400)
    first_refits, second_refits = _paired(first, second)
    ties = _last_ties(first_refits.forecasts(grid) - second_refits.forecasts(grid), grid)
    crossed = np.isfinite(ties)
    low, high = percentile_interval(np.where(crossed, ties, np.inf), confidence)
    return Crossing(_tie(first.fit, second.fit, grid), low, high, float(crossed.mean()))


def _paired(one: LawBootstrap, other: LawBootstrap) -> tuple[LawBootstrap, LawBootstrap]:
    for item in (one, other):
        if np.isinf(parameter_errors(item.fit)).any():
            item.fit.theta.require(item.fit.free)
    count = min(len(one.samples), len(other.samples))
    cut = [
        LawBootstrap(item.fit, item.samples[:count], item.errors[:count]) for item in (one, other)
    ]
    return cut[0], cut[1]


def _last_ties(ahead: Floats, grid: Floats) -> Floats:
    """Return where each row is zero or changes its sign for the last time."""
    changes = (ahead[:, 1:] * ahead[:, :-1] <= 0) & (ahead[:, 1:] != ahead[:, :-1])
    index = ahead.shape[1] - 2 - changes[:, ::-1].argmax(axis=1)
    rows = np.arange(len(ahead))
    before, after = np.abs(ahead[rows, index]), np.abs(ahead[rows, index + 1])
    fraction = before / np.maximum(before + after, 1e-300)
    logs = np.log(grid)
    ties = np.exp(logs[index] + fraction * (logs[index + 1] - logs[index]))
    return np.where(changes.any(axis=1), ties, np.nan)


def _tie(one: LawFit, other: LawFit, grid: Floats) -> float:
    def ahead(log_budget: float) -> float:
        budget = np.exp(log_budget)
        return float(one.predict(budget) - other.predict(budget))

    logs = np.log(grid)
    signs = np.sign([ahead(log) for log in logs])
    changes = np.flatnonzero((signs[1:] * signs[:-1] <= 0) & (signs[1:] != signs[:-1]))
    if not changes.size:
        return float("nan")
    return float(np.exp(brentq(ahead, logs[changes[-1]], logs[changes[-1] + 1])))
