"""Who forecasts the end of a learning curve, and what each of them sees.

>>> print(features([[0.1, 0.2, 0.3]], [[5.0]]))
[[0.1 0.2 0.3 5. ]]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.forecasting.fitting import LawFit, fit_law
from perfmodel.forecasting.laws import Law
from perfmodel.forecasting.uncertainty import bootstrap_law, forecast_interval
from perfmodel.labs.forecasting.contest.forecast import (
    CONFIDENCE,
    Forecast,
    around,
    forest,
    none,
    plane,
)
from perfmodel.validation import Floats, finite

RESAMPLES = 200
BLOCKS = 8
"""Means of stretches of the prefix that regression and learner see, beside the last value."""


@dataclass(frozen=True, eq=False)
class Started:
    """What the contestants are given: finished runs to learn from, and the starts of others."""

    finished: Floats
    """Curves to their end, shape (m, epochs)."""
    finished_settings: Floats
    """Shape (m, p)."""
    prefixes: Floats
    """Shape (n, seen)."""
    settings: Floats
    """Shape (n, p)."""
    law: Law
    """Of one variable, the epoch."""
    most: float
    """Largest result that is possible; the smallest is 0."""

    @property
    def seen(self) -> int:
        """Epochs of each prefix."""
        return int(self.prefixes.shape[1])

    @property
    def gains(self) -> Floats:
        """What the finished curves gained after the prefix, shape (m,)."""
        return self.finished[:, -1] - self.finished[:, self.seen - 1]

    @property
    def known(self) -> Floats:
        """What regression and learner see of the finished curves."""
        return features(self.finished[:, : self.seen], self.finished_settings)

    @property
    def new(self) -> Floats:
        """What they see of the others."""
        return features(self.prefixes, self.settings)


def answers(started: Started) -> dict[str, Forecast]:
    """Let every contestant forecast the last epoch, within what is possible.

    - `last value` says that nothing will change; its interval is from the finished curves' gains.
    - `law` is fitted to one prefix and sees no other curve; its interval is a bootstrap of normal
      residuals with the noise of one more epoch. It has no answer where the prefix has no more
      epochs than the law has parameters.
    - `law, calibrated` is the same with an interval from the law's errors on the finished curves.
    - `regression` is a plane by least squares through the finished curves' ends.
    - `learner` is a random forest that learns the gain after the last value seen.
    """
    last, gains = started.prefixes[:, -1], started.gains
    gained = forest(started.known, gains, started.new)
    alone = law_alone(started)
    result = {
        "last value": around(last, gains),
        "law": alone,
        "law, calibrated": _calibrated(started, alone.middle),
        "regression": plane(started.known, started.finished[:, -1], started.new),
        "learner": Forecast(*(last + part for part in gained.parts)),
    }
    return {name: forecast.held(0.0, started.most) for name, forecast in result.items()}


def law_alone(started: Started) -> Forecast:
    """Fit the law to each prefix by itself, with the interval of a bootstrap."""
    end = [float(started.finished.shape[1])]
    if not _enough(started):
        return none(len(started.prefixes))
    rows = []
    for prefix in started.prefixes:
        fit = _fitted(started.law, prefix)
        known = bootstrap_law(fit, RESAMPLES, method="normal")
        low, high = forecast_interval(known, end, confidence=CONFIDENCE)
        rows.append((fit.predict(end)[0], low[0], high[0]))
    return Forecast(*np.array(rows).T)


def _calibrated(started: Started, middle: Floats) -> Forecast:
    if not _enough(started):
        return none(len(middle))
    end = [float(started.finished.shape[1])]
    starts = started.finished[:, : started.seen]
    before = np.array([_fitted(started.law, prefix).predict(end)[0] for prefix in starts])
    errors = started.finished[:, -1] - np.clip(before, 0, started.most)
    return around(np.clip(middle, 0, started.most), errors)


def _enough(started: Started) -> bool:
    return started.seen > len(started.law.parameters)


def _fitted(law: Law, prefix: Floats) -> LawFit:
    return fit_law(law, np.arange(1, prefix.size + 1), prefix, loss="least squares")


def features(prefixes: ArrayLike, settings: ArrayLike) -> Floats:
    """Return what regression and learner see: block means, the last value, and the settings.

    Where there are no more than `BLOCKS` epochs each stands for itself, the last value only once.
    """
    results, chosen = finite("prefixes", prefixes), finite("settings", settings)
    if results.shape[1] <= BLOCKS:
        return np.hstack([results, chosen])
    blocks = np.array_split(results, BLOCKS, axis=1)
    means = np.column_stack([block.mean(axis=1) for block in blocks])
    last = results[:, -1:] if blocks[-1].shape[1] > 1 else results[:, :0]
    return np.hstack([means, last, chosen])
