"""How well a law is known: bootstraps of its runs, and the intervals of forecasts.

A bootstrap tells what luck in the runs does. It knows nothing of another form, so
`forecast_interval` takes several.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.forecasting.descent import descend
from perfmodel.forecasting.fitting import LawFit
from perfmodel.measurement.statistics.intervals import check_level
from perfmodel.validation import Floats, whole

WAYS = ("pairs", "residuals", "normal")
"""Runs drawn anew; residuals drawn anew around the fit; or normal ones of their deviation."""


@dataclass(frozen=True, eq=False)
class LawBootstrap:
    """A fit, and the fits of its resamples."""

    fit: LawFit
    samples: Floats
    """Parameters, shape (resamples, p), in the order of the law."""
    errors: Floats
    """Residuals of single runs, drawn anew, shape (resamples,)."""

    def interval(self, parameter: str, confidence: float = 0.95) -> tuple[float, float]:
        """Return the percentile interval of a parameter."""
        names = self.fit.law.parameters
        if parameter not in names:
            raise ValueError(f"parameter must be one of {', '.join(names)}, got {parameter!r}")
        low, high = np.quantile(self.samples[:, names.index(parameter)], _tails(confidence))
        return float(low), float(high)

    def forecasts(self, *variables: ArrayLike, one_run: bool = False) -> Floats:
        """Return each resample's value of the law, shape (resamples, ...).

        With `one_run` a run's own luck is added: what one more run there would give.
        """
        law = self.fit.law
        logs = law.logs(*variables)
        values, _ = law.evaluate(self.samples, logs.reshape(len(logs), -1))
        if one_run:
            errors = self.errors[:, None]
            values = values * np.exp(errors) if self.fit.problem.of_logs else values + errors
        return values.reshape(len(self.samples), *logs.shape[1:])

    def forecast(
        self, *variables: ArrayLike, confidence: float = 0.95, one_run: bool = False
    ) -> tuple[Floats, Floats]:
        """Return the ends of the percentile interval of the law's value."""
        found = self.forecasts(*variables, one_run=one_run)
        low, high = np.quantile(found, _tails(confidence), axis=0)
        return low, high


def bootstrap_law(
    fit: LawFit, resamples: int = 400, seed: int = 0, way: str = "pairs"
) -> LawBootstrap:
    """Refit a law to resamples of its runs.

    Parameters
    ----------
    fit : LawFit
    resamples : int
        2 or more.
    seed : int
        Of the random numbers.
    way : {'pairs', 'residuals', 'normal'}
        Whether runs are drawn, or their residuals around the fit, or normal residuals. With few
        runs some resamples of pairs don't determine the law; residuals keep every run's place.

    Returns
    -------
    LawBootstrap

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> from perfmodel.forecasting import POWER_LAW, fit_law
    >>> x = np.geomspace(1, 100, 20)
    >>> fit = fit_law(POWER_LAW, x, 3 * x**-0.5 * (1 + 0.01 * (-1) ** np.arange(20)))
    >>> low, high = bootstrap_law(fit).interval("b")
    >>> low < 0.5 < high
    True
    """
    if way not in WAYS:
        raise ValueError(f"way must be one of {', '.join(WAYS)}, got {way!r}")
    count = whole("resamples", resamples, 2)
    rng = np.random.default_rng(whole("seed", seed))
    counted = fit.weights > 0
    points = int(counted.sum())
    widening = np.sqrt(points / max(points - len(fit.free), 1))
    spread = -fit.residuals[counted] * widening
    starts = np.repeat(fit.u[None], count, axis=0)
    if way == "pairs":
        share = fit.weights / fit.weights.sum()
        draws = max(round(fit.weights.sum()), points)
        drawn = rng.multinomial(draws, share, size=count).astype(float)
        u, _, _ = descend(fit.problem, starts, drawn)
    else:
        mean_square = (fit.weights * fit.residuals**2).sum() / fit.weights.sum()
        errors = (
            rng.choice(spread, size=(count, fit.y.size))
            if way == "residuals"
            else rng.normal(0, widening * np.sqrt(mean_square), (count, fit.y.size))
        )
        fitted = fit.y * np.exp(fit.residuals) if fit.problem.of_logs else fit.y + fit.residuals
        y = fitted * np.exp(errors) if fit.problem.of_logs else fitted + errors
        u, _, _ = descend(replace(fit.problem, y=y), starts, fit.weights[None])
    return LawBootstrap(fit, fit.problem.natural(u), rng.choice(spread, count))


def forecast_interval(
    bootstraps: LawBootstrap | Sequence[LawBootstrap],
    *variables: ArrayLike,
    confidence: float = 0.95,
    one_run: bool = True,
) -> tuple[Floats, Floats]:
    """Return an interval of forecasts over the luck of the runs, of one more run, and the form.

    Parameters
    ----------
    bootstraps : LawBootstrap or sequence of them
        Of the forms that can't be ruled out. All count alike, however well they fit: what fits
        here says little about which holds there.
    *variables : array_like
        Where to forecast.
    confidence : float
        Above 0 and below 1.
    one_run : bool
        Whether the interval is for the result of one more run, or for the law's value.

    Returns
    -------
    low, high : ndarray
        Of the variables' shape.

    Examples
    --------
    >>> from perfmodel.forecasting import POWER_LAW, SATURATING_POWER_LAW, fit_law
    >>> x, noise = np.geomspace(1, 100, 20), 0.01 * (-1) ** np.arange(20)
    >>> fits = [fit_law(law, x, 3 * x**-0.3 * (1 + noise), loss="least squares of logs")
    ...         for law in (POWER_LAW, SATURATING_POWER_LAW)]
    >>> one, both = bootstrap_law(fits[0]), [bootstrap_law(fit) for fit in fits]
    >>> bool(np.ptp(forecast_interval(both, 1e6)) > 2 * np.ptp(forecast_interval(one, 1e6)))
    True
    """
    several = [bootstraps] if isinstance(bootstraps, LawBootstrap) else list(bootstraps)
    if not several:
        raise ValueError("bootstraps must be one or more, got none")
    count = min(len(one.samples) for one in several)
    found = [one.forecasts(*variables, one_run=one_run)[:count] for one in several]
    low, high = np.quantile(np.concatenate(found), _tails(confidence), axis=0)
    return low, high


def _tails(confidence: float) -> tuple[float, float]:
    tail = (1 - check_level(confidence)) / 2
    return tail, 1 - tail
