"""How well a law is known: bootstraps of its runs, and the intervals of forecasts.

A bootstrap tells what luck in the runs does. It says nothing about another form, so
`forecast_interval` takes several.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from perfmodel.forecasting.descent import descend
from perfmodel.forecasting.determination import (
    deviation,
    equivalent_optima,
    forecast_error,
    parameter_errors,
)
from perfmodel.forecasting.fitting import LawFit
from perfmodel.forecasting.profile_likelihood import (
    by_least_squares,
    forecast_profile,
    profile_interval,
)
from perfmodel.measurement.statistics.intervals import check_level
from perfmodel.validation import Floats, one_of, whole

_BLIND = 3.0
"""How much wider than that of the resamples an interval by the slopes at the fit may be."""
_APART = 2.0
"""Standard errors within which another optimum fits as well."""
BOOTSTRAP_METHODS = ("pairs", "residuals", "normal")
"""Resampled runs; resampled residuals around the fit; or normal ones of their deviation."""


@dataclass(frozen=True, eq=False)
class LawBootstrap:
    """A fit, and the fits of its resamples."""

    fit: LawFit
    samples: Floats
    """Parameters, shape (resamples, p), in the order of the law."""
    errors: Floats
    """Resampled residuals of single runs, shape (resamples,)."""

    def interval(self, parameter: str, confidence: float = 0.95) -> tuple[float, float]:
        """Return the percentile interval of a parameter."""
        names = self.fit.law.parameters
        one_of("parameter", parameter, names)
        index = names.index(parameter)
        low, high = np.quantile(self.samples[:, index], _tails(confidence))
        if parameter not in self.fit.free:
            return float(low), float(high)
        error = parameter_errors(self.fit)[self.fit.free.index(parameter)]
        logged = bool(self.fit.problem.logged[index])
        if self._spare < 1 or np.isinf(error):
            return (0.0 if logged else -inf), inf
        values = self.samples[:, index]
        if not self._blind(np.log(values) if logged else values, error, confidence):
            return float(low), float(high)
        ends = profile_interval(by_least_squares(self.fit), parameter, confidence)
        return min(float(low), ends[0]), max(float(high), ends[1])

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
        return _ends([self], variables, confidence, one_run)

    @property
    def _spare(self) -> int:
        return int(np.count_nonzero(self.fit.weights)) - len(self.fit.free)

    def _blind(self, values: Floats, error: float, confidence: float) -> bool:
        """Return whether the resamples' values move far less than the runs leave open.

        Resamples descend from the fit, and stay where they are along what the runs don't say.
        """
        low, high = np.quantile(values, _tails(confidence))
        most = float(stats.t.ppf((1 + confidence) / 2, self._spare))
        return bool(most * error > _BLIND * max(float(high - low) / 2, deviation(self.fit)))

    def _forecast_is_blind(self, logs: Floats, confidence: float) -> bool:
        """Return the same of the law's value at one place, whose logarithms are given."""
        if self._spare < 1:
            return True
        values = self.fit.law.evaluate(self.samples, logs.reshape(-1, 1))[0][:, 0]
        if self.fit.problem.of_logs:
            values = np.log(np.maximum(values, 1e-300))
        return self._blind(values, forecast_error(self.fit, logs), confidence)


def bootstrap_law(
    fit: LawFit, resamples: int = 400, seed: int = 0, method: str = "pairs"
) -> LawBootstrap:
    """Return the `LawBootstrap` of a `fit`: its law refitted to resamples of its runs.

    There are `resamples`, 2 or more, by `seed`. The `method` says what is drawn: `pairs` (runs),
    their `residuals` around the fit, or `normal` residuals. With few runs some resamples of pairs
    don't determine the law; residuals keep every run's position.

    Examples
    --------
    >>> from perfmodel.forecasting import POWER_LAW, fit_law
    >>> x = np.geomspace(1, 100, 20)
    >>> fit = fit_law(POWER_LAW, x, 3 * x**-0.5 * (1 + 0.01 * (-1) ** np.arange(20)))
    >>> low, high = bootstrap_law(fit).interval("b")
    >>> low < 0.5 < high
    True
    """
    one_of("method", method, BOOTSTRAP_METHODS)
    count = whole("resamples", resamples, 2)
    rng = np.random.default_rng(whole("seed", seed))
    counted = fit.weights > 0
    points = int(counted.sum())
    widening = np.sqrt(points / max(points - len(fit.free), 1))
    spread = -fit.residuals[counted] * widening
    starts = np.repeat(fit.u[None], count, axis=0)
    if fit.theta.undetermined:
        starts = rng.choice(equivalent_optima(fit, _APART), count)
    if method == "pairs":
        fraction = fit.weights / fit.weights.sum()
        draws = max(round(fit.weights.sum()), points)
        drawn = rng.multinomial(draws, fraction, size=count).astype(float)
        u, _, _ = descend(fit.problem, starts, drawn)
    else:
        mean_square = (fit.weights * fit.residuals**2).sum() / fit.weights.sum()
        errors = (
            rng.choice(spread, size=(count, fit.y.size))
            if method == "residuals"
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
        Of the forms that can't be ruled out. All count equally, however well they fit: a good fit
        here says little about the form that holds there.
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
    return _ends(several, variables, confidence, one_run)


def _ends(
    several: Sequence[LawBootstrap],
    variables: tuple[ArrayLike, ...],
    confidence: float,
    one_run: bool,
) -> tuple[Floats, Floats]:
    """Return percentiles over all resamples, and profiles where these are blind."""
    count = min(len(item.samples) for item in several)
    result = [item.forecasts(*variables, one_run=one_run)[:count] for item in several]
    low, high = map(np.array, np.quantile(np.concatenate(result), _tails(confidence), axis=0))
    for item in several:
        logs = item.fit.law.logs(*variables)
        for index in np.ndindex(logs.shape[1:]):
            where = logs[(slice(None), *index)]
            if not item._forecast_is_blind(where, confidence):
                continue
            ends = forecast_profile(
                item.fit, *np.exp(where), confidence=confidence, one_run=one_run
            )
            low[index], high[index] = min(low[index], ends[0]), max(high[index], ends[1])
    return low[()], high[()]


def _tails(confidence: float) -> tuple[float, float]:
    tail = (1 - check_level(confidence)) / 2
    return tail, 1 - tail
