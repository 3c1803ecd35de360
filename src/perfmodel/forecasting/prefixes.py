"""Forecasting the end of a curve from its beginning, by regression on finished curves.

Source: B. Baker, O. Gupta, R. Raskar, N. Naik, "Accelerating neural architecture search using
performance prediction", arXiv:1705.10823, 2017, section 3 (one regression for each length seen).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from perfmodel.measurement.statistics.intervals import check_level
from perfmodel.measurement.statistics.least_squares import centred_roots
from perfmodel.validation import Floats, finite, whole

_NEW = 1e-6
"""Of a result's size: how far from the curves learned from a new curve is new, beyond rounding."""
_ALONE = 1e-9
"""A curve whose leverage is 1 to this fixes a coefficient alone; the line is fitted without it."""


@dataclass(frozen=True, eq=False)
class PrefixRegression:
    """A line from the first results of a curve to its last, and how far it is off."""

    coefficients: Floats
    """Intercept, then one for each result seen; shape (seen + 1,)."""
    leave_one_out_errors: Floats
    """Of each curve learned from, its end less the forecast of a line through all others."""
    residuals: Floats
    """The same of the line through all."""
    means: Floats
    """Of each result seen over the curves learned from, shape (seen,)."""
    roots: Floats
    """Turns a curve's results less `means` into independent deviations, shape (seen, rank)."""
    ranges: Floats
    """How far the curves learned from vary in each result seen, shape (seen,)."""

    @property
    def seen(self) -> int:
        """Results of a curve that are used."""
        return len(self.coefficients) - 1

    @property
    def forecast_deviation(self) -> float:
        """Root of the mean squared left-out error: what a forecast is off by, in the unit of y."""
        return float(np.sqrt((self.leave_one_out_errors**2).mean()))

    def forecast(self, curves: ArrayLike) -> Floats:
        """Return the end of each curve; only the first `seen` results of shape (..., n) count."""
        return np.asarray(self.coefficients[0] + _seen(curves, self.seen) @ self.coefficients[1:])

    def leverage(self, curves: ArrayLike) -> Floats:
        """Return the leverage of each curve: 1 / n for the mean of those learned from, or more.

        It is infinite if a curve differs from their mean in a direction in which none of them did.
        """
        away = _seen(curves, self.seen) - self.means
        along = away @ self.roots
        unlike = away - along @ np.linalg.pinv(self.roots)
        size = np.maximum(np.abs(away), np.abs(self.means)) + self.ranges
        new = (np.abs(unlike) > _NEW * size).any(axis=-1)
        usual = 1 / len(self.leave_one_out_errors) + (along**2).sum(axis=-1)
        return np.asarray(np.where(new, np.inf, usual))

    def interval(self, curves: ArrayLike, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of a prediction interval, for normal errors of equal size.

        It is wider for a curve unlike those learned from.
        """
        degrees = len(self.leave_one_out_errors) - len(self.coefficients)
        within = np.sqrt((self.residuals**2).sum() / degrees * (1 + self.leverage(curves)))
        half = stats.t.ppf((1 + check_level(confidence)) / 2, degrees) * within
        middle = self.forecast(curves)
        return middle - half, middle + half


def prefix_regression(curves: ArrayLike, seen: int) -> PrefixRegression:
    """Fit the `PrefixRegression` of the last result of finished curves on their first `seen` ones.

    There are at least three more `curves`, shape (curves, n), than results seen.

    Examples
    --------
    >>> curves = [[0.0, 9, 1], [1, 8, 3], [2, 9, 5], [3, 7, 7], [4, 8, 9]]
    >>> line = prefix_regression(curves, 1)
    >>> print(line.seen, line.forecast([[6.0]]).round(6))
    1 [13.]
    """
    table = finite("curves", curves)
    if table.ndim != 2 or table.shape[1] < 2:
        raise ValueError(
            f"curves must have shape (curves, n) with n of 2 or more, got {table.shape}"
        )
    count = whole("seen", seen, 1)
    if count >= table.shape[1]:
        raise ValueError(f"seen must be below the curves' length {table.shape[1]}, got {seen!r}")
    if len(table) < count + 3:
        raise ValueError(f"curves must be {count + 3} or more for {count} seen, got {len(table)}")
    line = _fitted(table[:, :count], table[:, -1])
    alone = line.leverage(table) > 1 - _ALONE
    for index in np.flatnonzero(alone):
        others = np.delete(table, index, axis=0)
        forecast = _fitted(others[:, :count], others[:, -1]).forecast(table[index])
        line.leave_one_out_errors[index] = table[index, -1] - forecast
    return line


def _fitted(seen: Floats, ends: Floats) -> PrefixRegression:
    means, roots = centred_roots(seen)
    away = (seen - means) @ roots
    slopes = roots @ (away.T @ (ends - ends.mean()))
    residuals = ends - ends.mean() - (seen - means) @ slopes
    within = np.maximum(1 - 1 / len(ends) - (away**2).sum(axis=1), _ALONE)
    coefficients = np.append(ends.mean() - means @ slopes, slopes)
    ranges = np.ptp(seen, axis=0)
    return PrefixRegression(coefficients, residuals / within, residuals, means, roots, ranges)


def _seen(curves: ArrayLike, count: int) -> Floats:
    table = finite("curves", curves)
    if table.ndim < 1 or table.shape[-1] < count:
        raise ValueError(f"curves must show {count} results or more, got shape {table.shape}")
    return table[..., :count]
