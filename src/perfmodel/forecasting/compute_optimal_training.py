"""The best split of a training budget between a model's size and its data, by the two-variable law.

A run of N parameters on D tokens takes about 6 N D floating-point operations, and using the model
about 2 N a token.

Sources: J. Hoffmann et al., arXiv:2203.15556, equation 4 and section 3.3; N. Sardana, J. Portes,
S. Doubov, J. Frankle, "Beyond Chinchilla-optimal", ICML 2024, arXiv:2401.00448 (use counted in).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar

from perfmodel.forecasting.fitting import Estimates
from perfmodel.forecasting.laws import TWO_VARIABLE_LAW
from perfmodel.validation import Floats, non_negative, positive

TRAINING_FLOPS = 6.0
"""Floating-point operations of training, for each parameter and token."""
USE_FLOPS = 2.0
"""The same of using the model."""


class Allocation(NamedTuple):
    """A model's size and the data it is trained on."""

    parameters: Floats
    tokens: Floats

    @property
    def tokens_per_parameter(self) -> Floats:
        """Tokens for each parameter."""
        return np.asarray(self.tokens / self.parameters)


def allocation_exponent(theta: Mapping[str, ArrayLike]) -> Floats:
    """Return the power of compute with which the best size grows, beta/(alpha + beta) of `theta`.

    Examples
    --------
    >>> print(allocation_exponent({"alpha": 0.3, "beta": 0.1}).round(3))
    0.25
    """
    _require(theta, "alpha", "beta")
    alpha, beta = positive("alpha", theta["alpha"]), positive("beta", theta["beta"])
    return np.asarray(beta / (alpha + beta))


def compute_optimal(theta: Mapping[str, ArrayLike], compute: ArrayLike) -> Allocation:
    """Return the `Allocation`, size and data, of least loss for a training budget.

    `theta` has `A`, `B`, `alpha` and `beta` of the two-variable law, also as arrays such as the
    samples of a bootstrap; `compute` is in floating-point operations. Raises `ValueError` if
    `theta` is that of a fit whose runs leave it open.

    Examples
    --------
    >>> best = compute_optimal({"A": 400.0, "B": 400.0, "alpha": 0.3, "beta": 0.3}, 6e20)
    >>> print(best.parameters, best.tokens)
    10000000000.0 10000000000.0
    """
    _require(theta, "A", "B", "alpha", "beta")
    size, data = (positive(name, theta[name]) for name in ("A", "B"))
    alpha, beta = (positive(name, theta[name]) for name in ("alpha", "beta"))
    product = positive("compute", compute) / TRAINING_FLOPS
    scale = (alpha * size / (beta * data)) ** (1 / (alpha + beta))
    parameters = scale * product ** allocation_exponent(theta)
    return Allocation(np.asarray(parameters), np.asarray(product / parameters))


def lifetime_optimal(theta: Mapping[str, float], loss: float, used_tokens: float) -> Allocation:
    """Return the cheapest `Allocation` for a loss, where the model will also be used.

    `theta` is of the two-variable law, the `loss` above its floor `E`, and `used_tokens` are what
    the model will read and write in its life. Raises `ValueError` if the loss is not above the
    floor.

    Examples
    --------
    >>> theta = {"E": 1.8, "A": 480.0, "B": 2100.0, "alpha": 0.35, "beta": 0.37}
    >>> used = [lifetime_optimal(theta, 2.0, tokens).tokens_per_parameter for tokens in (0, 1e13)]
    >>> bool(used[1] > 2 * used[0])
    True
    """
    _require(theta, *TWO_VARIABLE_LAW.parameters)
    TWO_VARIABLE_LAW.vector(theta)
    for name in ("alpha", "beta"):
        positive(name, theta[name])
    served = float(non_negative("used_tokens", used_tokens))
    gap = float(positive("loss", loss)) - theta["E"]
    if not gap > 0:
        raise ValueError(f"loss must be above the floor E = {theta['E']:g}, got {loss!r}")

    def log_runs(logit: float) -> tuple[float, float]:
        """Return the logarithms of size and data, for the log odds of the size's part of the gap.

        The data have the rest of the gap to the floor.
        """
        size = np.log(theta["A"] / gap) + np.logaddexp(0, -logit)
        data = np.log(theta["B"] / gap) + np.logaddexp(0, logit)
        return float(size / theta["alpha"]), float(data / theta["beta"])

    log_served = float(np.log(USE_FLOPS * served)) if served else -np.inf

    def log_cost(logit: float) -> float:
        size, data = log_runs(logit)
        return size + float(np.logaddexp(np.log(TRAINING_FLOPS) + data, log_served))

    best = minimize_scalar(log_cost, bounds=(-700, 700), method="bounded", options={"xatol": 1e-9})
    with np.errstate(over="ignore"):
        parameters, tokens = np.exp(log_runs(best.x))
        reached = np.isfinite(parameters * tokens)
    if not reached:
        raise ValueError(f"loss can't be reached with finite sizes by theta {dict(theta)}")
    return Allocation(np.asarray(parameters), np.asarray(tokens))


def _require(theta: Mapping[str, ArrayLike], *names: str) -> None:
    """Refuse parameters of a fit whose runs leave them open."""
    if isinstance(theta, Estimates):
        theta.require(names)
