"""Rounds of the contest: who is tested on what, and what comes of it, with intervals.

>>> import numpy as np
>>> from perfmodel.labs.forecasting.contest.forecast import Forecast
>>> actual = np.array([1.0, 2.0, 3.0])
>>> found = {"last value": Forecast(actual + 0.2, actual, actual + 1),
...          "law": Forecast(actual + 0.1, actual - 1, actual + 1)}
>>> [round(row["ratio"], 2) for row in scores(actual, found)]
[1.0, 0.5]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.stats

from perfmodel.labs.forecasting.contest import curve_contestants, model_contestants
from perfmodel.labs.forecasting.contest.families import CurveFamily, ModelFamily
from perfmodel.labs.forecasting.contest.forecast import CONFIDENCE, Forecast, joined
from perfmodel.prediction.arena import metrics
from perfmodel.validation import Floats, whole, within

BUDGETS = (0.1, 0.25, 0.5, 0.75)
"""Share of the epochs that is seen; of the models, cheapest first."""
FINISHED = 100
"""Finished curves to learn from."""
TESTED = 150
"""Curves at most that are forecast."""
EXPENSIVE = 0.25
"""Fraction of the models, the most expensive ones, that are forecast."""
MIN_MODELS = 8
"""Models of each text that must be seen for a round."""
RESAMPLES = 2000
BASE = "last value"


def curve_round(
    family: CurveFamily, budget: float, seed: int = 0, tested: int = TESTED
) -> tuple[int, Floats, dict[str, Forecast]]:
    """Return the epochs seen, the ends of up to `tested` curves, and every contestant's forecast.

    `budget` is the fraction of epochs that is seen; `FINISHED` other curves are there to learn
    from.
    """
    epochs = family.curves.shape[1]
    seen = max(1, round(epochs * float(within("budget", budget, 0.01, 0.99))))
    order = np.random.default_rng(seed).permutation(len(family.curves))
    known, new = order[:FINISHED], order[FINISHED:][: whole("tested", tested, 2)]
    started = curve_contestants.Started(
        family.curves[known],
        family.settings[known],
        family.curves[new, :seen],
        family.settings[new],
        family.law,
        family.most,
    )
    return seen, family.curves[new, -1], curve_contestants.answers(started)


def model_round(family: ModelFamily, budget: float) -> tuple[int, Floats, dict[str, Forecast]]:
    """Return the models seen, and the losses and forecasts of the most expensive quarter of models.

    `budget` is the fraction of a text's models that is seen, cheapest first, below 1 - `EXPENSIVE`.
    """
    fraction = float(within("budget", budget, 0.01, 1 - EXPENSIVE))
    seen, actual, result = 0, [], []
    for models in family.texts:
        order = np.argsort(models.compute, kind="stable")
        count, first = round(fraction * order.size), order.size - round(EXPENSIVE * order.size)
        cheap, expensive = models.take(order[:count]), models.take(order[first:])
        seen += count
        actual.append(expensive.loss)
        result.append(model_contestants.answers(cheap, expensive))
    together = {name: joined([item[name] for item in result]) for name in result[0]}
    return seen, np.concatenate(actual), together


def scores(actual: Floats, answers: Mapping[str, Forecast]) -> list[dict[str, Any]]:
    """Score forecasts and intervals; every interval of a score is of 95 %, over the runs.

    For each contestant: `error` (mean absolute), `ratio` to the last value's, `behind` (error less
    that of the best here), `coverage`, each with `_low` and `_high`, and `width` (median of the
    intervals). Without a forecast all are not-a-number except `contestant` and `runs`.
    """
    errors = {name: np.abs(answer.middle - actual) for name, answer in answers.items()}
    best = min(errors, key=lambda name: np.nan_to_num(errors[name].mean(), nan=np.inf))
    drawn = np.random.default_rng(0).integers(0, actual.size, (RESAMPLES, actual.size))
    rows = []
    for name, answer in answers.items():
        mean, base = errors[name][drawn].mean(axis=1), errors[BASE][drawn].mean(axis=1)
        behind = mean - errors[best][drawn].mean(axis=1)
        rows.append(
            {
                "contestant": name,
                "runs": actual.size,
                "error": float(errors[name].mean()),
                "ratio": float(errors[name].mean() / errors[BASE].mean()),
                **_ends("ratio", mean / base),
                "behind": float(errors[name].mean() - errors[best].mean()),
                **_ends("behind", behind),
                **_coverage(actual, answer),
            }
        )
    return rows


def _ends(name: str, draws: Floats) -> dict[str, float]:
    low, high = np.quantile(draws, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return {f"{name}_low": float(low), f"{name}_high": float(high)}


def _coverage(actual: Floats, answer: Forecast) -> dict[str, float]:
    names = ("coverage", "coverage_low", "coverage_high", "width")
    if np.isnan(answer.middle).any():
        return dict.fromkeys(names, np.nan)
    fraction = metrics.coverage(actual, answer.low, answer.high)
    inside = round(fraction * actual.size)
    ends = scipy.stats.binomtest(inside, actual.size).proportion_ci(CONFIDENCE)
    width = float(np.median(answer.high - answer.low))
    return dict(zip(names, (fraction, ends.low, ends.high, width), strict=True))
