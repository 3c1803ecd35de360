"""Many fits at once: damped Newton steps on a robust loss, for all resamples and starts together.

SciPy minimises one sum at a time and calls Python for each step of each. Here the steps of
thousands of fits are the same few operations on arrays of shape (fits, points, parameters), which
is what makes a bootstrap of a law something to play with (`benchmarks/law_fitting.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perfmodel.forecasting.laws import Law
from perfmodel.validation import Floats

_STEPS = 80
_TOLERANCE = 1e-10
"""Relative change of the objective below which a step ends the search."""
_BATCH = 1 << 18
"""Fits times points that are moved together: what the caches hold."""


Descended = tuple[Floats, Floats, NDArray[np.bool_]]
"""What was found, its objective, and whether the search came to its end."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What is minimised: the sum of weights times the Huber loss of the residuals."""

    law: Law
    logs: Floats
    """Logarithms of the variables, shape (v, n)."""
    y: Floats
    """Shape (n,), or (fits, n) where each fit has its own."""
    of_logs: bool
    """Whether residuals are those of logarithms."""
    delta: float
    """Where the loss turns from a square into a line; infinity for least squares."""
    free: NDArray[np.intp]
    """Places of the parameters that may move."""

    @property
    def logged(self) -> NDArray[np.bool_]:
        """Whether each parameter is searched for as a logarithm, shape (p,)."""
        return np.isin(self.law.parameters, self.law.above_zero)

    def natural(self, u: Floats) -> Floats:
        """Return parameters from what is searched for, both of shape (..., p)."""
        return np.where(self.logged, np.exp(np.clip(np.where(self.logged, u, 0), -300, 300)), u)

    def internal(self, theta: Floats) -> Floats:
        """Return what is searched for from parameters."""
        return np.where(self.logged, np.log(np.where(self.logged, theta, 1)), theta)

    def residuals(self, u: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Return residuals (..., n) and their slopes in the free parameters (..., n, f)."""
        theta = self.natural(u)
        value, slopes = self.law.evaluate(theta, self.logs)
        slopes = (slopes * np.where(self.logged, theta, 1)[..., None, :])[..., self.free]
        if self.of_logs:
            value = np.maximum(value, 1e-300)
            return np.log(value) - np.log(y), slopes / value[..., None]
        return value - y, slopes

    def loss(self, residuals: Floats) -> Floats:
        """Return half the square of small residuals, and a line for those beyond `delta`.

        It may be infinite where a step has gone too far, which is then not taken.
        """
        size = np.abs(residuals)
        within = np.minimum(size, self.delta)
        with np.errstate(over="ignore"):
            return np.asarray(within * (size - within / 2))


def descend(problem: Problem, starts: Floats, weights: Floats) -> Descended:
    """Minimise from each start.

    `starts`, shape (fits, p): parameters as they are searched for (`Problem.internal`). `weights`,
    shape (fits, n) or (1, n): of the points, 0 or more. The results are the parameters, shape
    (fits, p), the objective and whether it converged, shape (fits,) each.
    """
    fits, points = len(starts), problem.logs.shape[1]
    size = max(1, _BATCH // points)
    weights = np.broadcast_to(weights, (fits, points))
    y = np.broadcast_to(problem.y, (fits, points))
    parts = [
        _newton(problem, starts[i : i + size], weights[i : i + size], y[i : i + size])
        for i in range(0, fits, size)
    ]
    u, objective, converged = (np.concatenate(part) for part in zip(*parts, strict=True))
    return u, objective, converged


def _newton(problem: Problem, starts: Floats, weights: Floats, y: Floats) -> Descended:
    """Levenberg and Marquardt's damped steps, each kept only where it goes down."""
    u = starts.copy()
    residuals, slopes = problem.residuals(u, y)
    objective = (weights * problem.loss(residuals)).sum(axis=-1)
    damping = np.full(len(u), 1e-3)
    left = np.arange(len(u))
    converged = np.zeros(len(u), dtype=bool)
    for step in range(_STEPS):
        trial = u[left]
        trial[:, problem.free] += _steps(
            problem, residuals, slopes, weights[left], damping[left], step
        )
        new_residuals, new_slopes = problem.residuals(trial, y[left])
        new = (weights[left] * problem.loss(new_residuals)).sum(axis=-1)
        better = new < objective[left]
        gain = np.where(better, objective[left] - new, 0)
        done = (gain <= _TOLERANCE * objective[left]) & (better | (damping[left] > 1e6))
        residuals[better], slopes[better] = new_residuals[better], new_slopes[better]
        u[left[better]], objective[left[better]] = trial[better], new[better]
        damping[left] = np.where(better, np.maximum(damping[left] / 5, 1e-9), damping[left] * 8)
        converged[left[done]] = True
        if done.any():
            residuals, slopes, left = residuals[~done], slopes[~done], left[~done]
        if not left.size:
            break
    return u, objective, converged


def _steps(
    problem: Problem,
    residuals: Floats,
    slopes: Floats,
    weights: Floats,
    damping: Floats,
    step: int,
) -> Floats:
    """Return the damped Newton step of each fit, shape (fits, f).

    The second derivative of the loss is 1 within `delta` and 0 beyond. Far from the goal few
    residuals are within, so the curvature is mixed with that of a parabola through the loss
    (weights of `delta` over the residual), less of it from step to step.
    """
    size = np.maximum(np.abs(residuals), 1e-300)
    parabola = np.minimum(1, problem.delta / size)
    fraction = 0.5**step if np.isfinite(problem.delta) else 1.0
    curvature = weights * ((1 - fraction) * (size <= problem.delta) + fraction * parabola)
    downhill = np.einsum("kn,knf->kf", weights * parabola * residuals, slopes)
    hessian = (slopes * curvature[..., None]).swapaxes(-1, -2) @ slopes
    unit = _units(problem)
    hessian *= np.outer(unit, unit)
    diagonal = np.einsum("kff->kf", hessian)
    raised = diagonal * damping[:, None] + 1e-12 * diagonal.max(axis=1, keepdims=True) + 1e-300
    hessian[:, range(slopes.shape[2]), range(slopes.shape[2])] += raised
    return -unit * np.linalg.solve(hessian, (unit * downhill)[..., None])[..., 0]


def _units(problem: Problem) -> Floats:
    """Return the unit of each free parameter: a level counts the same in any unit of y."""
    names = [problem.law.parameters[index] for index in problem.free]
    level = float(np.abs(problem.y).mean()) or 1.0
    linear = np.array([name in problem.law.linear for name in names])
    return np.where(linear & ~problem.logged[problem.free], level, 1.0)
