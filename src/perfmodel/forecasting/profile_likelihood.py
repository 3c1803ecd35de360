"""Profiles: how much worse the best fit gets when one parameter is held elsewhere.

A bootstrap's percentiles are always two numbers, also where the data say nothing. A profile that
never rises tells that they don't: its interval is open on that side.

Source: D. M. Bates, D. G. Watts, "Nonlinear regression analysis and its applications", Wiley 1988,
chapter 6 (profile t).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, log

import numpy as np
from scipy import stats

from perfmodel.forecasting.descent import descend
from perfmodel.forecasting.determination import deviation, equivalent_optima, forecast_error
from perfmodel.forecasting.fitting import Estimates, LawFit
from perfmodel.measurement.statistics.intervals import check_level
from perfmodel.measurement.statistics.least_squares import products_inverse
from perfmodel.measurement.statistics.profiles import profile_end
from perfmodel.validation import Floats, one_of

_SMALL_LEVEL = 0.01
"""Of what the results span: how near 0 a level is told from 0 at all."""
_FAR = log(1e3)
"""How far a scale is followed: a factor of 1,000. An exponent goes by 3, a level by 30 times the
range of the fitted values."""
_HELD = 1e4
"""Weight of the imagined run through whose result the law is made to go."""


@dataclass(frozen=True)
class Identifiability:
    """Which parameters of a law the runs determine."""

    intervals: Mapping[str, tuple[float, float]]
    """Profile intervals of the free parameters; an end is infinite, or 0, where it is open."""
    known: Mapping[str, bool]
    flat: Mapping[str, float]
    """The direction along which the fit changes least: relative change of a scale, absolute change
    of another parameter, of length 1."""

    @property
    def conclusion(self) -> str:
        """What a reader should know, in words."""
        open_ones = [name for name, known in self.known.items() if not known]
        if not open_ones:
            return "The runs determine every parameter."
        moving = [name for name, part in self.flat.items() if abs(part) > 0.2]
        together = f"; {' and '.join(moving)} can move together" if len(moving) > 1 else ""
        return f"The runs do not determine {', '.join(open_ones)}{together}."


def profile_interval(fit: LawFit, parameter: str, confidence: float = 0.95) -> tuple[float, float]:
    """Return between which values of a free `parameter` the law still fits.

    The `fit` is by least squares, of values or of logarithms. The ends are infinite, or 0 for the
    lower one of a parameter above zero, where the data leave it open at this `confidence`. Other
    optima, where further starts ended, count if they fit as well. Raises `ValueError` if the loss
    is robust (then `bootstrap_law` tells), the parameter is not free, or there are no more points
    than parameters.

    Examples
    --------
    >>> from perfmodel.forecasting import SATURATING_POWER_LAW, fit_law
    >>> x = np.geomspace(1, 100, 20)
    >>> y = (0.01 + 3 * x**-0.3) * (1 + 0.02 * (-1) ** np.arange(20))
    >>> fit = fit_law(SATURATING_POWER_LAW, x, y, loss="least squares of logs")
    >>> low, high = profile_interval(fit, "e")
    >>> low, high < 1
    (0.0, True)
    """
    index, spare = _checked(fit, parameter)
    most = float(stats.t.ppf((1 + check_level(confidence)) / 2, spare))
    ends = [_end(fit, index, side, most, spare) for side in (-1, 1)]
    u, objectives = fit.optima
    worse = np.sqrt(np.maximum(objectives - fit.objective, 0) * spare / fit.objective)
    as_good = u[worse <= most, index] if fit.objective > 0 else fit.u[index : index + 1]
    ends = [min(ends[0], as_good.min()), max(ends[1], as_good.max())]
    if fit.problem.logged[index]:
        low, high = np.exp(ends)
        return float(low), float(high)
    return ends[0], ends[1]


def identifiability(fit: LawFit, confidence: float = 0.99, factor: float = 2.0) -> Identifiability:
    """Return the `Identifiability`: what the runs determine, and what moves without notice.

    Parameters
    ----------
    fit : LawFit
        By least squares.
    confidence : float
        Of the profile intervals.
    factor : float
        Above 1. A scale counts as known if its interval is closed and its ends are within this
        factor of the estimate; another parameter if they are within (factor - 1) times its size. A
        level that may be 0 counts as at least a hundredth of the results' range.

    Examples
    --------
    >>> from perfmodel.forecasting import SIGMOID_LAW, fit_law
    >>> theta = {"R0": 0.4, "A": 0.65, "Cmid": 11_000.0, "B": 1.9}
    >>> early, late = np.geomspace(1500, 6000, 30), np.geomspace(1500, 60_000, 30)
    >>> def known(x):
    ...     y = SIGMOID_LAW.value(theta, x) + 0.004 * (-1) ** np.arange(30)
    ...     return identifiability(fit_law(SIGMOID_LAW, x, y, loss="least squares")).known["A"]
    >>> known(early), known(late)
    (False, True)
    """
    if not factor > 1:
        raise ValueError(f"factor must be above 1, got {factor!r}")
    intervals = {name: profile_interval(fit, name, confidence) for name in fit.free}
    known = {}
    for name, (low, high) in intervals.items():
        value = fit.theta[name]
        scale = name in fit.law.above_zero
        size = abs(value)
        if name in fit.law.linear:
            size = max(size, _SMALL_LEVEL * float(np.ptp(fit.y)))
        reach = size * (factor - 1)
        within = (value / factor, value * factor) if scale else (value - reach, value + reach)
        known[name] = bool(min(within) <= low and high <= max(within))
    _, slopes = fit.problem.residuals(fit.u, fit.y)
    flat = np.linalg.svd(slopes * np.sqrt(fit.weights)[:, None])[2][-1]
    return Identifiability(intervals, known, dict(zip(fit.free, flat.tolist(), strict=True)))


def forecast_profile(
    fit: LawFit, *variables: float, confidence: float = 0.95, one_run: bool = False
) -> tuple[float, float]:
    """Return between which values the law may lie at a place, given the runs.

    One more run is imagined there, with each result in turn, and the law is fitted again. The
    interval holds the results that leave the fit to the runs as good.

    `fit`: of any loss; the intervals are by least squares. `variables`: one number, above 0, for
    each of the law's variables. `confidence`: above 0 and below 1. `one_run`: whether the interval
    is for the result of one more run, or for the law's value. Where the runs leave an end open, it
    is infinite, or 0 for the lower one if logarithms are fitted.

    >>> from perfmodel.forecasting import TWO_VARIABLE_LAW, fit_law
    >>> size = np.geomspace(1e7, 1e9, 12)
    >>> y = (2 + 400 * size**-0.3) * (1 + 0.001 * (-1) ** np.arange(12))
    >>> fit = fit_law(TWO_VARIABLE_LAW, (size, np.full(12, 1e10)), y)
    >>> [forecast_profile(fit, 1e9, tokens)[1] < 3 for tokens in (1e10, 1e12)]
    [True, False]
    """
    squares = by_least_squares(fit)
    spare = int(np.count_nonzero(fit.weights)) - len(fit.free)
    logged = fit.problem.of_logs
    point = fit.law.logs(*variables)
    if spare < 1 or np.isinf(forecast_error(fit, point)):
        return (0.0 if logged else -inf), inf
    most = float(stats.t.ppf((1 + check_level(confidence)) / 2, spare))
    starts = equivalent_optima(squares, most)
    values = fit.law.evaluate(fit.problem.natural(starts), point.reshape(len(point), 1))[0][:, 0]
    shown = np.log(np.maximum(values, 1e-300)) if logged else values
    far = _FAR if logged else 30 * float(np.ptp(fit.y))
    weight = 1.0 if one_run else _HELD * float(fit.weights.max())
    unit = deviation(squares) ** 2
    ends = []
    for side in (-1, 1):
        first = int((side * shown).argmax())

        def profile(value: float, u: Floats) -> tuple[float, Floats]:
            imagined = replace(
                squares.problem,
                logs=np.column_stack([squares.problem.logs, point.reshape(len(point), 1)]),
                y=np.append(fit.y, np.exp(value) if logged else value),
            )
            result, objective, _ = descend(
                imagined, np.vstack([u, starts]), np.append(fit.weights, weight)[None]
            )
            worse = max(2 * (float(objective.min()) - squares.objective), 0.0)
            return float(np.sqrt(worse / unit)), result[int(objective.argmin())]

        inside = (float(shown[first]), 0.0, starts[first])
        ends.append(profile_end(profile, inside, side, deviation(squares), far, most))
    if not logged:
        return ends[0], ends[1]
    return float(np.exp(ends[0])), float(np.exp(ends[1]))


def by_least_squares(fit: LawFit) -> LawFit:
    """Return the fit of the same law by least squares."""
    if np.isinf(fit.problem.delta):
        return fit
    problem = replace(fit.problem, delta=inf)
    u, objectives, _ = descend(problem, np.vstack([fit.u, fit.optima[0]]), fit.weights[None])
    best = int(objectives.argmin())
    return replace(
        fit,
        theta=Estimates(zip(fit.law.parameters, problem.natural(u[best]).tolist(), strict=True)),
        objective=float(objectives[best]),
        residuals=problem.residuals(u[best], problem.y)[0],
        problem=problem,
        optima=(u, objectives),
    )


def _checked(fit: LawFit, parameter: str) -> tuple[int, int]:
    if np.isfinite(fit.problem.delta):
        raise ValueError("fit must be by least squares, got a robust loss; use bootstrap_law there")
    one_of("parameter", parameter, fit.free)
    spare = int(np.count_nonzero(fit.weights)) - len(fit.free)
    if spare < 1:
        raise ValueError(f"fit must have more points than its {len(fit.free)} parameters")
    return fit.law.parameters.index(parameter), spare


def _end(fit: LawFit, index: int, side: int, most: float, spare: int) -> float:
    """Return where the profile t of a parameter is `most`."""
    far = _reach(fit, index)
    step = min(_standard_error(fit, index, spare) / 2, far / 4)

    def profile(value: float, u: Floats) -> tuple[float, Floats]:
        return _profile_t(fit, u, index, value, spare)

    return profile_end(profile, (float(fit.u[index]), 0.0, fit.u), side, step, far, most)


def _reach(fit: LawFit, index: int) -> float:
    name = fit.law.parameters[index]
    if fit.problem.logged[index]:
        return _FAR
    return 30 * float(np.ptp(fit.y)) if name in fit.law.linear else 3.0


def _standard_error(fit: LawFit, index: int, spare: int) -> float:
    _, slopes = fit.problem.residuals(fit.u, fit.y)
    spread = 2 * fit.objective / spare
    inverse = products_inverse(slopes * np.sqrt(fit.weights)[:, None])
    where = list(fit.problem.free).index(index)
    return float(np.sqrt(max(spread * inverse[where, where], 1e-24)))


def _profile_t(
    fit: LawFit, u: Floats, index: int, value: float, spare: int
) -> tuple[float, Floats]:
    """Return by how many standard errors the fit is worse with a parameter held at `value`."""
    start = u.copy()
    start[index] = value
    free = fit.problem.free[fit.problem.free != index]
    result, objective, _ = descend(replace(fit.problem, free=free), start[None], fit.weights[None])
    worse = max(float(objective[0]) - fit.objective, 0.0)
    return float(np.sqrt(worse / max(fit.objective / spare, 1e-300))), result[0]
