"""Who forecasts the loss of expensive models from cheap ones, and how each states its interval.

All contestants see the same: parameters, tokens and loss of the cheap runs, parameters and tokens
of the expensive ones. For an interval from errors a contestant pretends to have seen only the
cheaper half of the cheap runs, and looks how it does on the more expensive half.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from perfmodel.forecasting.fitting import LawFit, fit_law
from perfmodel.forecasting.laws import TWO_VARIABLE_LAW
from perfmodel.forecasting.uncertainty import bootstrap_law, forecast_interval
from perfmodel.labs.forecasting.contest.forecast import (
    CONFIDENCE,
    Forecast,
    around,
    forest,
    none,
    plane,
)
from perfmodel.prediction.arena.dataset import Rows
from perfmodel.validation import Floats

RESAMPLES = 400
LEVELS = 3
"""Unlike sizes, and unlike counts of tokens, that the law needs: with two, one constant is free."""
TENTH = 0.1


@dataclass(frozen=True, eq=False)
class Models:
    """Trained models: `parameters`, `tokens` and the `loss` at the end, shape (n,) each."""

    parameters: Floats
    tokens: Floats
    loss: Floats

    @property
    def compute(self) -> Floats:
        """FLOP of each: 6 a parameter and token."""
        return 6 * self.parameters * self.tokens

    @property
    def logs(self) -> Floats:
        """Logarithms of parameters and tokens, shape (n, 2)."""
        return np.log(np.column_stack([self.parameters, self.tokens]))

    def take(self, rows: Rows) -> Models:
        """Return some of them."""
        return Models(self.parameters[rows], self.tokens[rows], self.loss[rows])


def answers(cheap: Models, expensive: Models) -> dict[str, Forecast]:
    """Let every contestant forecast the losses of the expensive runs without a look at them.

    - `last value`: the median loss of the most expensive tenth of the cheap runs.
    - `law`: L = E + A N^-alpha + B D^-beta; its interval is a bootstrap with a run's own noise.
      It has no answer where the cheap runs are too few, or of too few sizes, to determine it.
    - `law, calibrated`: the same with an interval from errors on the more expensive half.
    - `regression`: a plane through the logarithms, with its prediction interval.
    - `learner`: a random forest on the logarithms.
    """
    alone = law_alone(cheap, expensive)
    logged = [solve(cheap.logs, np.log(cheap.loss), expensive.logs) for solve in (plane, forest)]
    line, trees = (Forecast(*map(np.exp, forecast.parts)) for forecast in logged)
    return {
        "last value": around(_last(cheap, expensive), _pretended(_last, cheap)),
        "law": alone,
        "law, calibrated": _calibrated(cheap, alone.middle),
        "regression": line,
        "learner": trees,
    }


def _last(cheap: Models, expensive: Models) -> Floats:
    most_expensive = cheap.compute >= np.quantile(cheap.compute, 1 - TENTH)
    return np.full(expensive.loss.size, float(np.median(cheap.loss[most_expensive])))


def _pretended(middle: Callable[[Models, Models], Floats], cheap: Models) -> Floats:
    """Return errors on the more expensive half of cheap runs, forecast from the cheaper half."""
    kept, hidden = _halves(cheap)
    return np.asarray(hidden.loss - middle(kept, hidden))


def _halves(models: Models) -> tuple[Models, Models]:
    half = models.compute <= np.median(models.compute)
    kept, hidden = (models.take(np.flatnonzero(rows)) for rows in (half, ~half))
    return kept, hidden


def _determine(models: Models) -> bool:
    """Tell whether there are more models than parameters, of enough sizes and lengths.

    With fewer the fit is flat, and where on it the search ends is decided by rounding.
    """
    levels = min(np.unique(column).size for column in (models.parameters, models.tokens))
    return models.loss.size > len(TWO_VARIABLE_LAW.parameters) and levels >= LEVELS


def law_alone(cheap: Models, expensive: Models) -> Forecast:
    """Fit the law of two variables to the cheap runs, with the interval of a bootstrap."""
    if not _determine(cheap):
        return none(expensive.loss.size)
    fit, where = _fitted(cheap), (expensive.parameters, expensive.tokens)
    known = bootstrap_law(fit, RESAMPLES)
    return Forecast(fit.predict(*where), *forecast_interval(known, *where, confidence=CONFIDENCE))


def _calibrated(cheap: Models, middle: Floats) -> Forecast:
    half, _ = _halves(cheap)
    if not _determine(half):
        return none(middle.size)
    errors = _pretended(lambda kept, new: _fitted(kept).predict(new.parameters, new.tokens), cheap)
    return around(middle, errors)


def _fitted(models: Models) -> LawFit:
    return fit_law(TWO_VARIABLE_LAW, (models.parameters, models.tokens), models.loss)
