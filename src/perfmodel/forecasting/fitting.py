"""Fit a law to runs: a robust loss, many starts, and whether they agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import nnls

from perfmodel.forecasting.descent import Problem, descend
from perfmodel.forecasting.determination import missing_runs, undetermined
from perfmodel.forecasting.laws import Law
from perfmodel.validation import Floats, finite, one_of, positive

LOSSES = ("huber of logs", "least squares of logs", "least squares")
_SMALLEST = 1e-9
"""What a scale starts at where all results are 0: its logarithm must exist."""
_SAME = 1e-4
"""Relative difference of objectives within which two starts ended at the same place."""


class Estimates(dict[str, float]):
    """The parameters of a fit by name, and which of them its runs leave open."""

    undetermined: tuple[str, ...] = ()
    missing: str = ""
    """What further runs would have to vary; empty where nothing is open."""

    def require(self, names: Sequence[str]) -> None:
        """Refuse to go on with parameters that the runs leave open."""
        open_ones = [name for name in names if name in self.undetermined]
        if open_ones:
            raise ValueError(
                f"theta must be determined by its runs, which leave {', '.join(open_ones)} open: "
                f"{self.missing}"
            )


@dataclass(frozen=True, eq=False)
class LawFit:
    """A law with the parameters that fit some runs best."""

    law: Law
    theta: Estimates
    """The parameters, with what the runs leave open."""
    objective: float
    """Sum of the losses of all points, at its least."""
    residuals: Floats
    """Of the logarithms, or of the values where the loss is that of values; shape (n,)."""
    starts: float
    """Share of the starts that ended at this objective: near 0 the next search may find better."""
    weights: Floats
    """Of the points, shape (n,)."""
    problem: Problem
    optima: tuple[Floats, Floats]
    """Where the starts ended, as searched for, shape (starts, p), and the objectives there."""

    def predict(self, *variables: ArrayLike) -> Floats:
        """Return the law's value with these parameters, of the shape of the variables."""
        return self.law.value(self.theta, *variables)

    @property
    def y(self) -> Floats:
        """What was fitted, shape (n,)."""
        return self.problem.y

    @property
    def free(self) -> tuple[str, ...]:
        """Parameters that were found, not fixed."""
        return tuple(self.law.parameters[index] for index in self.problem.free)

    @property
    def u(self) -> Floats:
        """Parameters as they are searched for, scales as logarithms; shape (p,)."""
        return self.problem.internal(self.law.vector(self.theta))


def fit_law(
    law: Law,
    x: ArrayLike | Sequence[ArrayLike],
    y: ArrayLike,
    *,
    loss: str = "huber of logs",
    delta: float = 1e-3,
    fixed: Mapping[str, float] | None = None,
    weights: ArrayLike | None = None,
) -> LawFit:
    """Fit a law, and return the `LawFit`.

    Raises `ValueError` if there are fewer points than parameters.

    Parameters
    ----------
    x : array_like, shape (n,), or one such for each of the law's variables
        Above 0.
    y : array_like, shape (n,)
        Results of the runs; above 0 where logarithms are fitted. At least as many as parameters.
    loss : {'huber of logs', 'least squares of logs', 'least squares'}
        The first is hardly moved by outliers (Hoffmann et al. 2022, equation 3).
    delta : float
        Residual of a logarithm beyond which the Huber loss is a line.
    fixed : mapping, optional
        Parameters that are known.
    weights : array_like, shape (n,), optional
        0 or more; how many times each point counts.

    Examples
    --------
    >>> from perfmodel.forecasting.laws import SATURATING_POWER_LAW
    >>> x = np.array([1.0, 2, 4, 8, 16, 32])
    >>> fit = fit_law(SATURATING_POWER_LAW, x, 1.5 + 2 * x**-0.5)
    >>> print({name: round(value, 3) for name, value in fit.theta.items()})
    {'e': 1.5, 'a': 2.0, 'b': 0.5}
    """
    one_of("loss", loss, LOSSES)
    known = dict(fixed or {})
    limit = float(positive("delta", delta)) if loss == "huber of logs" else inf
    problem = _problem(law, x, y, loss != "least squares", limit, known)
    counts = np.ones(problem.y.size) if weights is None else _weights(weights, problem.y.size)
    if np.count_nonzero(counts) < len(problem.free):
        raise ValueError(
            f"weights must leave {len(problem.free)} points or more, got {np.count_nonzero(counts)}"
        )
    u, objectives = _search(problem, known, counts)
    best = int(objectives.argmin())
    nothing = 1e-15 * (1.0 if problem.of_logs else float(counts @ problem.y**2))
    same = objectives <= objectives[best] * (1 + _SAME) + nothing
    theta = problem.natural(u[best])
    fit = LawFit(
        law,
        Estimates(zip(law.parameters, map(float, theta), strict=True)),
        float(objectives[best]),
        problem.residuals(u[best], problem.y)[0],
        float(same.mean()),
        counts,
        problem,
        (u, objectives),
    )
    fit.theta.undetermined = undetermined(fit)
    if fit.theta.undetermined:
        fit.theta.missing = missing_runs(problem, counts)
    return fit


def _problem(
    law: Law,
    x: ArrayLike | Sequence[ArrayLike],
    y: ArrayLike,
    of_logs: bool,
    delta: float,
    known: Mapping[str, float],
) -> Problem:
    if not set(known) <= set(law.parameters):
        raise ValueError(f"fixed must name some of {', '.join(law.parameters)}, got {known}")
    several: Any = x if len(law.variables) > 1 else (x,)
    logs = law.logs(*several)
    results = (positive if of_logs else finite)("y", y)
    for name, value in known.items():
        (positive if name in law.above_zero else finite)(f"fixed[{name!r}]", value)
    free = np.flatnonzero([name not in known for name in law.parameters])
    if not free.size:
        raise ValueError(f"fixed must leave a parameter free, got all of {', '.join(known)}")
    if results.ndim != 1 or logs.shape != (len(law.variables), results.size):
        raise ValueError(
            f"x and y must be as long as each other, got {logs.shape[1:]} and {results.shape}"
        )
    if results.size < max(len(free), 2):
        raise ValueError(f"y must have {max(len(free), 2)} points or more, got {results.size}")
    return Problem(law, logs, results, of_logs, delta, free)


def _weights(weights: ArrayLike, size: int) -> Floats:
    counts = finite("weights", weights)
    if counts.shape != (size,) or (counts < 0).any() or not counts.any():
        raise ValueError(f"weights must be {size} numbers of 0 or more, not all 0")
    return counts


def _search(problem: Problem, known: Mapping[str, float], weights: Floats) -> tuple[Floats, Floats]:
    """Descend from every start, in two rounds: least squares first, then the loss asked for."""
    starts = problem.internal(_starts(problem, known, weights))
    rough = Problem(problem.law, problem.logs, problem.y, problem.of_logs, inf, problem.free)
    u, objectives, _ = descend(rough, starts, weights[None])
    if np.isfinite(problem.delta):
        u, objectives, _ = descend(problem, np.concatenate([u, starts]), weights[None])
    usable = np.isfinite(objectives) & np.isfinite(u).all(axis=1)
    return u[usable], objectives[usable]


def _starts(problem: Problem, known: Mapping[str, float], weights: Floats) -> Floats:
    """Return a grid over what the law isn't linear in, with the best of the rest for each point.

    Exponents come from the law's own grid, scales of a variable (`Cmid`, `d`) from the data.
    """
    law = problem.law
    within = np.exp([*np.quantile(problem.logs[0], [0.2, 0.5, 0.8]), problem.logs[0].max() + 1])
    grid = {
        name: (known[name],) if name in known else law.exponents.get(name, tuple(within))
        for name in law.parameters
        if name not in law.linear
    }
    result = []
    for values in product(*grid.values()):
        theta = np.ones(len(law.parameters))
        for name, value in [*zip(grid, values, strict=True), *known.items()]:
            theta[law.parameters.index(name)] = value
        result.append(_with_linear(problem, theta, known, weights))
    return np.array(result)


def _with_linear(
    problem: Problem, theta: Floats, known: Mapping[str, float], weights: Floats
) -> Floats:
    """Fill in the parameters in which the law is linear, by least squares, none below zero.

    A rising law has a negative slope in `a`, so that `a` is above zero there too.
    """
    law = problem.law
    indices = [law.parameters.index(name) for name in law.linear if name not in known]
    if not indices:
        return theta
    theta[indices] = 0
    rest, slopes = law.evaluate(theta, problem.logs)
    root = np.sqrt(weights) / (np.abs(problem.y) if problem.of_logs else 1)
    columns = (slopes * root[:, None])[:, indices]
    theta[indices] = nnls(columns, (problem.y - rest) * root)[0]
    theta[indices] = np.maximum(theta[indices], max(1e-3 * np.abs(problem.y).mean(), _SMALLEST))
    return theta
