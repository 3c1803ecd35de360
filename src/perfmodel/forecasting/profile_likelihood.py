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
from perfmodel.forecasting.fitting import LawFit
from perfmodel.measurement.statistics.intervals import check_level
from perfmodel.measurement.statistics.least_squares import products_inverse
from perfmodel.validation import Floats

_SMALL_LEVEL = 0.01
"""Of what the results span: how near 0 a level is told from 0 at all."""
_FAR = log(1e3)
"""How far a scale is followed: a factor of 1,000. An exponent goes by 3, a level by 30 times the
range of what was fitted."""
_STEPS = 24
_REFINED = 4


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
    def sentence(self) -> str:
        """What a reader should know, in words."""
        open_ones = [name for name, known in self.known.items() if not known]
        if not open_ones:
            return "The runs determine every parameter."
        moving = [name for name, part in self.flat.items() if abs(part) > 0.2]
        together = f"; {' and '.join(moving)} can move together" if len(moving) > 1 else ""
        return f"The runs do not determine {', '.join(open_ones)}{together}."


def profile_interval(fit: LawFit, parameter: str, confidence: float = 0.95) -> tuple[float, float]:
    """Return between which values of a parameter the law still fits.

    Other optima, where further starts ended, count if they fit as well.

    Parameters
    ----------
    fit : LawFit
        By least squares, of values or of logarithms.
    parameter : str
        A free one.
    confidence : float
        Above 0 and below 1.

    Returns
    -------
    (float, float)
        Infinite, or 0 for the lower end of a parameter above zero, where the data leave it open.

    Raises
    ------
    ValueError
        If the loss is robust (then `bootstrap_law` tells), the parameter is not free, or there are
        no more points than parameters.

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
    place, spare = _checked(fit, parameter)
    most = float(stats.t.ppf((1 + check_level(confidence)) / 2, spare))
    ends = [_end(fit, place, side, most, spare) for side in (-1, 1)]
    u, objectives = fit.optima
    worse = np.sqrt(np.maximum(objectives - fit.objective, 0) * spare / fit.objective)
    as_good = u[worse <= most, place] if fit.objective > 0 else fit.u[place : place + 1]
    ends = [min(ends[0], as_good.min()), max(ends[1], as_good.max())]
    if fit.problem.logged[place]:
        low, high = np.exp(ends)
        return float(low), float(high)
    return ends[0], ends[1]


def identifiability(fit: LawFit, confidence: float = 0.99, factor: float = 2.0) -> Identifiability:
    """Return which parameters the runs determine, and what can move without being noticed.

    Parameters
    ----------
    fit : LawFit
        By least squares.
    confidence : float
        Of the profile intervals.
    factor : float
        Above 1. A scale counts as known if its interval is closed and its ends are within this
        factor of the estimate; another parameter if they are within (factor - 1) times its size.
        A level that may be 0 has at least the size of a hundredth of what the results span.

    Returns
    -------
    Identifiability

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


def _checked(fit: LawFit, parameter: str) -> tuple[int, int]:
    if np.isfinite(fit.problem.delta):
        raise ValueError("fit must be by least squares, got a robust loss; use bootstrap_law there")
    if parameter not in fit.free:
        raise ValueError(f"parameter must be one of {', '.join(fit.free)}, got {parameter!r}")
    spare = int(np.count_nonzero(fit.weights)) - len(fit.free)
    if spare < 1:
        raise ValueError(f"fit must have more points than its {len(fit.free)} parameters")
    return fit.law.parameters.index(parameter), spare


def _end(fit: LawFit, place: int, side: int, most: float, spare: int) -> float:
    """Walk from the optimum until the profile t is `most`, then close in on it."""
    far = _reach(fit, place)
    step = min(_standard_error(fit, place, spare) / 2, far / 4)
    inside, t_inside, u = fit.u[place], 0.0, fit.u
    for _ in range(_STEPS):
        if abs(inside + side * step - fit.u[place]) > far:
            return side * inf
        outside = inside + side * step
        t_outside, u_outside = _profile_t(fit, u, place, outside, spare)
        if t_outside >= most:
            break
        inside, t_inside, u, step = outside, t_outside, u_outside, 1.5 * step
    else:
        return side * inf
    for _ in range(_REFINED):
        share = np.clip((most - t_inside) / max(t_outside - t_inside, 1e-12), 0.05, 0.95)
        middle = inside + share * (outside - inside)
        t_middle, u_middle = _profile_t(fit, u, place, middle, spare)
        if t_middle < most:
            inside, t_inside, u = middle, t_middle, u_middle
        else:
            outside, t_outside = middle, t_middle
    return float(inside + (outside - inside) * (most - t_inside) / (t_outside - t_inside))


def _reach(fit: LawFit, place: int) -> float:
    name = fit.law.parameters[place]
    if fit.problem.logged[place]:
        return _FAR
    return 30 * float(np.ptp(fit.y)) if name in fit.law.linear else 3.0


def _standard_error(fit: LawFit, place: int, spare: int) -> float:
    _, slopes = fit.problem.residuals(fit.u, fit.y)
    spread = 2 * fit.objective / spare
    inverse = products_inverse(slopes * np.sqrt(fit.weights)[:, None])
    where = list(fit.problem.free).index(place)
    return float(np.sqrt(max(spread * inverse[where, where], 1e-24)))


def _profile_t(
    fit: LawFit, u: Floats, place: int, value: float, spare: int
) -> tuple[float, Floats]:
    """Return by how many standard errors the fit is worse with a parameter held at `value`."""
    start = u.copy()
    start[place] = value
    free = fit.problem.free[fit.problem.free != place]
    found, objective, _ = descend(replace(fit.problem, free=free), start[None], fit.weights[None])
    worse = max(float(objective[0]) - fit.objective, 0.0)
    return float(np.sqrt(worse / max(fit.objective / spare, 1e-300))), found[0]
