"""Which parameters of a law its runs determine, by the slopes at the fit and by other optima."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from perfmodel.forecasting.descent import Problem
from perfmodel.measurement.statistics.least_squares import standard_errors
from perfmodel.validation import Floats

if TYPE_CHECKING:
    from perfmodel.forecasting.fitting import LawFit

_EXACT = 1e-7
"""Relative error of a result that counts as none."""
_TOGETHER = 0.1
"""Of variables whose logarithms leave a line by less than this share of its length."""


def undetermined(fit: LawFit) -> tuple[str, ...]:
    """Return the free parameters that the runs leave open by a factor of ten, or by one.

    A scale is open if its interval at 95 % spans more than a factor of 10 on either side and the
    fitted values could move with it, an exponent if it spans more than 1, both by the slopes at the
    fit; or if another optimum that fits as well lies as far away.

    >>> from perfmodel.forecasting.laws import TWO_VARIABLE_LAW
    >>> from perfmodel.forecasting.fitting import fit_law
    >>> size = np.geomspace(1e7, 1e9, 8)
    >>> fit = fit_law(TWO_VARIABLE_LAW, (size, np.full(8, 1e10)), 2 + 400 * size**-0.3)
    >>> undetermined(fit)
    ('E', 'B', 'beta')
    """
    spare = int(np.count_nonzero(fit.weights)) - len(fit.free)
    if spare < 1:
        return fit.free
    free = fit.problem.free
    most = float(stats.t.ppf(0.975, spare))
    half = most * parameter_errors(fit)
    far = np.ptp(equivalent_optima(fit, most)[:, free], axis=0)
    reach = np.maximum(half, far)
    matters = np.full(half.size, np.inf)
    np.multiply(half, _contributions(fit), out=matters, where=np.isfinite(half))
    scale = np.isin(fit.free, fit.law.above_zero)
    level = np.isin(fit.free, fit.law.linear)
    bound = np.where(scale, np.log(10), np.where(level, 10 * np.ptp(fit.y), 1.0))
    # A floor near 0 has a logarithm that is open, and a size that isn't.
    closed = level & scale & (matters < np.abs(fit.y).mean()) & np.isfinite(matters)
    return tuple(np.array(fit.free)[(reach > bound) & ~closed].tolist())


def parameter_errors(fit: LawFit) -> Floats:
    """Return the standard errors of the free parameters as searched for, by the slopes at the fit.

    Infinite where the runs say nothing about one.
    """
    _, slopes = fit.problem.residuals(fit.u, fit.y)
    weighted = slopes * np.sqrt(fit.weights)[:, None]
    return deviation(fit) * standard_errors(weighted, np.eye(weighted.shape[1]))


def forecast_error(fit: LawFit, logs: Floats) -> float:
    """Return the standard error of the law's value at logarithms `logs`, shape (v,), by slopes.

    Of its logarithm where logarithms are fitted; infinite where the runs say nothing about it.
    """
    _, slopes = fit.problem.residuals(fit.u, fit.y)
    there = replace(fit.problem, logs=logs.reshape(-1, 1))
    toward = there.residuals(fit.u, np.ones(1))[1]
    return deviation(fit) * float(
        standard_errors(slopes * np.sqrt(fit.weights)[:, None], toward)[0]
    )


def deviation(fit: LawFit) -> float:
    """Return the standard deviation of the runs around a fit, above 0 by rounding."""
    spare = max(int(np.count_nonzero(fit.weights)) - len(fit.free), 1)
    unit = 1.0 if fit.problem.of_logs else float(np.abs(fit.y).max()) or 1.0
    return max(float(np.sqrt((fit.weights * fit.residuals**2).sum() / spare)), _EXACT * unit)


def equivalent_optima(fit: LawFit, limit: float) -> Floats:
    """Return where starts ended that fit as well, to `limit` standard errors, shape (k, p)."""
    spare = max(int(np.count_nonzero(fit.weights)) - len(fit.free), 1)
    u, objectives = fit.optima
    unit = max(fit.objective / spare, deviation(fit) * min(fit.problem.delta, deviation(fit)) / 2)
    return np.vstack([fit.u, u[objectives - fit.objective <= limit**2 * unit]])


def _contributions(fit: LawFit) -> Floats:
    """Return by how much the fitted values move with each free parameter, as searched for."""
    _, slopes = fit.problem.residuals(fit.u, fit.y)
    size = np.abs(slopes).max(axis=0)
    return np.asarray(size * (np.abs(fit.y).mean() if fit.problem.of_logs else 1.0))


def missing_runs(problem: Problem, weights: Floats) -> str:
    """Return what the runs would have to vary."""
    names, logs = problem.law.variables, problem.logs[:, weights > 0]
    for name, values in zip(names, logs, strict=True):
        different = np.unique(values.round(9))
        if different.size < 2:
            return f"all runs have {name} = {np.exp(values[0]):.6g}; add runs at other {name}"
    moved = logs - logs.mean(axis=1, keepdims=True)
    spread = np.linalg.svd(moved, compute_uv=False)
    if len(names) > 1 and spread[-1] < _TOGETHER * spread[0]:
        listed = " and ".join(names)
        return f"{listed} move together in all runs; add runs that change one and keep the other"
    wanted = ", ".join(names)
    return f"too few runs over too narrow a range of {wanted}; add runs further out"
