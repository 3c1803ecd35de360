"""Forecasts of the rate some minutes ahead: the day's profile, and an autoregression around it.

Order p predicts a minute's deviation from the profile, on a log scale, from those of the last p
minutes; far ahead the forecast falls back to the profile.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.queueing.autoscaling.trace import MINUTES
from perfmodel.validation import Floats, non_negative, positive, sample, whole


def mean_profile(counts: ArrayLike, smooth: int = 31) -> Floats:
    """Return the mean count of each minute of the day, smoothed around the clock.

    `counts` are of whole days, and the moving mean is over `smooth` minutes.

    >>> print(mean_profile(np.full(2880, 3.0))[:2])
    [3. 3.]
    """
    per_minute = non_negative("counts", sample("counts", counts))
    if per_minute.size % MINUTES:
        raise ValueError(
            f"counts must be of whole days of {MINUTES} minutes, got {per_minute.size}"
        )
    width = whole("smooth", smooth, low=1)
    mean = per_minute.reshape(-1, MINUTES).mean(axis=0)
    around = np.concatenate([mean[MINUTES - width :], mean, mean[:width]])
    smoothed = np.convolve(around, np.full(width, 1 / width), mode="same")
    return np.asarray(smoothed[width:-width])


def deviations(counts: ArrayLike, profile: ArrayLike) -> Floats:
    """Return by how much each minute's count is off the profile, as a logarithm.

    A half is added to each count, so that an empty minute has a logarithm, too.

    >>> print(deviations(np.full(1440, 19.5), np.full(1440, 10.0))[0].round(3))
    0.693
    """
    expected = positive("profile", sample("profile", profile))
    observed = non_negative("counts", sample("counts", counts))
    repeated = np.resize(expected, observed.size)
    return np.asarray(np.log((observed + 0.5) / repeated))


def fit_autoregression(series: ArrayLike, order: int) -> Floats:
    """Return the coefficients of the last minute, the one before, ... by least squares.

    `series` has a mean of about 0 and at least 10 and more than 2 `order` values.
    """
    from statsmodels.tsa.ar_model import AutoReg

    lags = whole("order", order, low=1)
    x = sample("series", series, at_least=max(10, 2 * lags + 1))
    return np.asarray(AutoReg(x, lags, trend="n").fit().params)


def ahead(series: ArrayLike, coefficients: ArrayLike, horizon: int) -> Floats:
    """Return the forecast of each value, made `horizon` steps before it.

    It is 0, the mean, where fewer values were known than there are coefficients.

    >>> print(ahead([1.0, 0.0, 0.0, 0.0], [0.5], 2))
    [0.   0.   0.25 0.  ]
    """
    x, weights = sample("series", series), sample("coefficients", coefficients)
    steps, order = whole("horizon", horizon, low=1), weights.size
    forecast = np.zeros(x.size)
    if x.size < order + steps:
        return forecast
    known = np.lib.stride_tricks.sliding_window_view(x, order)[:, ::-1].copy()
    for _ in range(steps):
        known = np.column_stack([known @ weights, known[:, :-1]])
    forecast[order - 1 + steps :] = known[: x.size - order + 1 - steps, 0]
    return forecast


def forecast_counts(
    counts: ArrayLike, profile: ArrayLike, coefficients: ArrayLike, horizon: int
) -> Floats:
    """Return the forecast of each minute's count, made `horizon` minutes before it.

    `counts` begin at the start of a day, whose mean counts are `profile`. Coefficients of `[1.0]`
    take the last deviation as it is, `[0.0]` the profile alone.
    """
    off = ahead(deviations(counts, profile), coefficients, horizon)
    return np.asarray(np.resize(np.asarray(profile, dtype=np.float64), off.size) * np.exp(off))
