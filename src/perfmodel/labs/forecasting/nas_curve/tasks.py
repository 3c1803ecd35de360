"""The reader's tasks: the probability that a run loses, and the variance that forecasts explain."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from perfmodel.tasks import Mistake, Task

chance = Task(
    "The chance that a run won't be the best",
    reference=lambda best, forecast, spread: ndtr((best - forecast) / spread),
    cases=[(0.80, 0.75, 0.03), (0.80, 0.84, 0.05)],
    mistakes=[
        Mistake(
            "chance of winning",
            lambda best, forecast, spread: ndtr((forecast - best) / spread),
            "You computed the probability of winning. A forecast far below the best must give "
            "nearly 1.",
        ),
        Mistake(
            "variance for deviation",
            lambda best, forecast, spread: ndtr((best - forecast) / spread**2),
            "You divided by the variance. Divide the distance by the standard deviation.",
        ),
        Mistake(
            "two sides",
            lambda best, forecast, spread: 2 * ndtr(abs(best - forecast) / spread) - 1,
            "You computed the probability of ending within this distance, on both sides. Only one "
            "side counts.",
        ),
        Mistake(
            "not divided",
            lambda best, forecast, spread: ndtr(best - forecast),
            "You didn't divide by the standard deviation of the forecast's error.",
        ),
        Mistake(
            "deviations, no chance",
            lambda best, forecast, spread: (best - forecast) / spread,
            "You computed the distance in standard deviations. Put it into the normal "
            "distribution function.",
        ),
    ],
    hint="The end is normally distributed around the forecast. `scipy.special.ndtr(z)` is the "
    "probability of a value below z standard deviations.",
    right="At 0.95 you lose 5 % of the runs that you stop exactly at the limit. Most runs are far "
    "beyond it.",
)

explained = Task(
    "Share of the variance explained",
    reference=lambda ends, forecasts: (
        1 - np.sum((ends - forecasts) ** 2) / np.sum((ends - ends.mean()) ** 2)
    ),
    cases=[
        (np.array([0.5, 0.6, 0.7, 0.8]), np.array([0.52, 0.6, 0.65, 0.81])),
        (np.array([0.5, 0.6, 0.7, 0.8]), np.array([0.3, 0.4, 0.5, 0.65])),
    ],
    mistakes=[
        Mistake(
            "squared correlation",
            lambda ends, forecasts: np.corrcoef(ends, forecasts)[0, 1] ** 2,
            "A squared correlation ignores any shift. Forecasts that are all 0.2 too low would "
            "score 1. Use the errors themselves.",
        ),
        Mistake(
            "around the forecasts' mean",
            lambda ends, forecasts: (
                1 - np.sum((ends - forecasts) ** 2) / np.sum((forecasts - forecasts.mean()) ** 2)
            ),
            "You compared with the variance of the forecasts. Compare with that of the ends.",
        ),
        Mistake(
            "share left unexplained",
            lambda ends, forecasts: (
                np.sum((ends - forecasts) ** 2) / np.sum((ends - ends.mean()) ** 2)
            ),
            "You computed the unexplained fraction. Perfect forecasts must give 1.",
        ),
        Mistake(
            "roots",
            lambda ends, forecasts: (
                1 - np.sqrt(np.sum((ends - forecasts) ** 2) / np.sum((ends - ends.mean()) ** 2))
            ),
            "You compared standard deviations. A fraction of the variance compares squares.",
        ),
        Mistake(
            "mean squared error",
            lambda ends, forecasts: np.mean((ends - forecasts) ** 2),
            "You computed the error itself. Divide it by the variance of the ends, and subtract "
            "the result from 1.",
        ),
        Mistake(
            "variance of the residuals",
            lambda ends, forecasts: 1 - np.var(ends - forecasts) / np.var(ends),
            "The variance of the errors ignores their mean. Forecasts that are all too low by the "
            "same amount would score 1. Square the errors themselves.",
        ),
    ],
    hint="1 minus the sum of squared errors over the sum of squares around the mean of the ends.",
    right="It can be below 0, worse than always answering the mean. This happens to the last "
    "value, which is too low for all nets.",
)
