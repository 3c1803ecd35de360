"""Stopping a run when its forecast says that it won't be the best, at a stated risk.

Source: B. Baker, O. Gupta, R. Raskar, N. Naik, arXiv:1705.10823, 2017, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from perfmodel.forecasting.prefixes import prefix_regression
from perfmodel.validation import Floats, finite, positive, whole


@dataclass(frozen=True, eq=False)
class EarlyStoppingSearch:
    """What a search over many runs cost and found, when runs could be stopped early."""

    stopped_after: NDArray[np.int64]
    """Epochs that each run was given, shape (runs,)."""
    results: Floats
    """Of each run at its end, known or not, shape (runs,)."""
    first: int
    """Runs at the beginning that were finished in any case."""
    epochs: int
    """Of a finished run."""

    @property
    def total(self) -> int:
        """Epochs of all runs together."""
        return int(self.stopped_after.sum())

    @property
    def speedup(self) -> float:
        """Epochs without stopping, over those with it."""
        return len(self.results) * self.epochs / self.total

    @property
    def best(self) -> float:
        """The best result among finished runs."""
        return float(self.results[self.stopped_after == self.epochs].max())

    @property
    def lost(self) -> int:
        """Runs that were stopped and would have beaten the best result known then."""
        stopped = self.stopped_after < self.epochs
        known = np.where(stopped, -np.inf, self.results)
        before = np.maximum.accumulate(np.concatenate([[-np.inf], known[:-1]]))
        return int((stopped & (self.results > before)).sum())


def probability_of_losing(
    best: ArrayLike, forecast: ArrayLike, standard_deviation: ArrayLike
) -> Floats:
    """Return the probability that a run won't beat the best, for a normal error of the forecast.

    `best` is the best result so far, `forecast` where this run is to end, and `standard_deviation`
    the standard deviation of the forecast's error.

    Examples
    --------
    >>> print(probability_of_losing(0.80, 0.75, 0.03).round(4))
    0.9522
    """
    ahead = finite("best", best) - finite("forecast", forecast)
    return np.asarray(ndtr(ahead / positive("standard_deviation", standard_deviation)))


def early_stopping_search(curves: ArrayLike, first: int, certainty: float) -> EarlyStoppingSearch:
    """Return the `EarlyStoppingSearch` that stops runs which are certain enough not to be the best.

    The `curves`, shape (runs, epochs), hold all results, more being better; the search looks at no
    epoch before it is paid for. The `first` runs, at least epochs + 2, are finished to learn from;
    one stops when the probability of losing reaches `certainty`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> ends = rng.normal(0.6, 0.1, 300)
    >>> curves = ends[:, None] * [0.6, 0.8, 0.9, 1.0] + rng.normal(0, 0.01, (300, 4))
    >>> found = early_stopping_search(curves, 30, 0.95)
    >>> found.speedup > 2, found.lost < 5
    (True, True)
    """
    table = finite("curves", curves)
    if table.ndim != 2 or table.shape[1] < 2:
        raise ValueError(f"curves must have shape (runs, epochs), got {table.shape}")
    runs, epochs = table.shape
    known = whole("first", first, epochs + 2)
    if known >= runs:
        raise ValueError(f"first must be below the {runs} runs, got {first!r}")
    if not 0 < certainty < 1:
        raise ValueError(f"certainty must be between 0 and 1, got {certainty!r}")
    lines = [prefix_regression(table[:known], seen) for seen in range(1, epochs)]
    forecasts = np.stack([line.forecast(table) for line in lines], axis=1)
    spreads = np.maximum(
        [line.forecast_deviation for line in lines], 1e-12 * (np.ptp(table) or 1.0)
    )
    given = np.full(runs, epochs)
    best = float(table[:known, -1].max())
    for run in range(known, runs):
        stop = np.flatnonzero(probability_of_losing(best, forecasts[run], spreads) >= certainty)
        if stop.size:
            given[run] = stop[0] + 1
        else:
            best = max(best, float(table[run, -1]))
    return EarlyStoppingSearch(given, table[:, -1], known, epochs)
