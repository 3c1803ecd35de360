"""What the reader does: the chance that a run loses, and the variance that forecasts explain."""

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
            "That is the chance of winning. A forecast far below the best must give nearly 1.",
        ),
        Mistake(
            "variance for deviation",
            lambda best, forecast, spread: ndtr((best - forecast) / spread**2),
            "You divided by the variance. The distance is counted in standard deviations.",
        ),
        Mistake(
            "two sides",
            lambda best, forecast, spread: 2 * ndtr(abs(best - forecast) / spread) - 1,
            "That is the chance to end within this distance of the forecast, on either side.",
        ),
        Mistake(
            "not divided",
            lambda best, forecast, spread: ndtr(best - forecast),
            "0.05 of accuracy is much or little depending on the forecast's error: divide by it.",
        ),
        Mistake(
            "deviations, no chance",
            lambda best, forecast, spread: (best - forecast) / spread,
            "That is how many deviations the forecast is below the best. (3) asks for the chance: "
            "put it into the normal distribution function.",
        ),
    ],
    hint="The end is normal around the forecast. `scipy.special.ndtr(z)` is the chance to be "
    "below z standard deviations.",
    right="At 0.95 you lose one run in twenty that you stop at the limit, and most are stopped far "
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
            "A squared correlation forgives any shift: forecasts that are all 0.2 too low would "
            "score 1. Use the errors themselves.",
        ),
        Mistake(
            "around the forecasts' mean",
            lambda ends, forecasts: (
                1 - np.sum((ends - forecasts) ** 2) / np.sum((forecasts - forecasts.mean()) ** 2)
            ),
            "The yardstick is the spread of what came out, not of what was forecast.",
        ),
        Mistake(
            "share left unexplained",
            lambda ends, forecasts: (
                np.sum((ends - forecasts) ** 2) / np.sum((ends - ends.mean()) ** 2)
            ),
            "That is the share that is left. Perfect forecasts must give 1.",
        ),
        Mistake(
            "roots",
            lambda ends, forecasts: (
                1 - np.sqrt(np.sum((ends - forecasts) ** 2) / np.sum((ends - ends.mean()) ** 2))
            ),
            "You compared deviations. A share of the variance compares squares.",
        ),
        Mistake(
            "mean squared error",
            lambda ends, forecasts: np.mean((ends - forecasts) ** 2),
            "That is the error itself. Hold it against the variance of the ends, and take what is "
            "left of 1.",
        ),
        Mistake(
            "variance of the residuals",
            lambda ends, forecasts: 1 - np.var(ends - forecasts) / np.var(ends),
            "A variance of the errors forgives their mean: forecasts that are all too low by as "
            "much would score 1. Square the errors themselves.",
        ),
    ],
    hint="1 less the sum of squared errors over the sum of squares around the mean of the ends.",
    right="It can be below 0: worse than always answering the mean. It is what happens to the last "
    "value, which is too low for all nets alike.",
)
