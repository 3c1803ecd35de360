"""Energy of batched inference from few measurements: two constants, and what a fit determines.

A decoding step reads all weights once, whatever the batch. So a token costs A / B + e joules for a
batch of B: A joules a step that the batch shares, e joules that each token adds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq, nnls

from perfmodel.validation import Floats, non_negative, one_number, positive, sample

_FARTHEST = 40
"""Doublings after which a price is called unbounded."""


@dataclass(frozen=True)
class AmortisedEnergy:
    """Joules of a token as a shared step and a rest."""

    step: float
    """A, joules of a step whatever the batch."""
    token: float
    """e, joules that each token adds."""

    def energy(self, batch: ArrayLike) -> Floats:
        """Return J a token at a batch of this many requests, above 0.

        >>> AmortisedEnergy(3.0, 0.07).energy([10, 30])
        array([0.37, 0.17])
        """
        return np.asarray(self.step / positive("batch", batch) + self.token)


def fit_amortised(batch: ArrayLike, energy: ArrayLike) -> AmortisedEnergy:
    """Fit the two constants by least squares of the relative errors.

    Parameters
    ----------
    batch : array_like, shape (n,)
        Running requests, above 0, two different ones or more.
    energy : array_like, shape (n,)
        Joules of a generated token, above 0. It must fall with the batch, but more slowly than one
        over the batch; otherwise the law predicts negative energies elsewhere, and is refused.

    Examples
    --------
    >>> fit = fit_amortised([8, 16, 32], [0.475, 0.2875, 0.19375])
    >>> round(fit.step, 6), round(fit.token, 6)
    (3.0, 0.1)
    """
    b, y = (
        positive("batch", sample("batch", batch, 2)),
        positive("energy", sample("energy", energy)),
    )
    if b.shape != y.shape:
        raise ValueError(f"batch and energy must be equally long, got {b.size} and {y.size}")
    if np.unique(b).size < 2:
        raise ValueError(f"batch must have two different values or more, got {batch!r}")
    found = np.linalg.lstsq(np.stack([1 / b, np.ones_like(b)], 1) / y[:, None], np.ones_like(y))[0]
    step, token = (float(value) for value in found)
    for name, value, said in (
        ("step", step, "the energy of a token must fall with the batch"),
        ("token", token, "energy times batch must rise with the batch: measure larger batches"),
    ):
        if value < -1e-9 * y.min():
            raise ValueError(f"{said}, or the fit has a negative {name}, here {value:.3g} J")
    return AmortisedEnergy(max(step, 0.0), max(token, 0.0))


@dataclass(frozen=True, eq=False)
class PowerDraw:
    """Power of a machine as a constant, a price a byte and a price an operation, none negative."""

    constant: float
    """Watts."""
    byte: float
    """Joules a byte."""
    operation: float
    """Joules an operation."""
    error: float
    """Root mean square of the relative errors."""
    byte_range: tuple[float, float]
    """Prices of a byte whose best fit has an error at most a tenth larger; may be infinite."""

    def power(self, byte_rate: ArrayLike, operation_rate: ArrayLike) -> Floats:
        """Return watts at rates of bytes/s and operations/s, 0 or more."""
        moved = self.byte * non_negative("byte_rate", byte_rate)
        return np.asarray(
            self.constant + moved + self.operation * non_negative("operation_rate", operation_rate)
        )


def fit_power_draw(
    byte_rate: ArrayLike, operation_rate: ArrayLike, power: ArrayLike, byte: float | None = None
) -> PowerDraw:
    """Fit the three prices to measured power, by least squares of the relative errors.

    Along one sweep of batches the rate of bytes falls while the rate of operations rises. Then a
    constant and one price explain the power as well as two prices, and the price of a byte that
    comes out means nothing: look at `byte_range`.

    Parameters
    ----------
    byte_rate, operation_rate : array_like, shape (n,)
        Bytes/s and operations/s, above 0; three or more.
    power : array_like, shape (n,)
        Watts, above 0.
    byte : float, optional
        A price of a byte in joules to hold, 0 or more; fitted if left out.

    Examples
    --------
    >>> rates = np.array([[3e12, 1e13], [1e12, 2e14], [2e12, 5e13], [5e11, 4e13]])
    >>> fit = fit_power_draw(*rates.T, 100 + 5e-11 * rates[:, 0] + 1e-12 * rates[:, 1])
    >>> round(fit.constant), round(1e12 * fit.byte), round(1e12 * fit.operation, 3)
    (100, 50, 1.0)
    """
    x, z, y = (
        positive(name, sample(name, values, 3))
        for name, values in (
            ("byte_rate", byte_rate),
            ("operation_rate", operation_rate),
            ("power", power),
        )
    )
    if not x.size == y.size == z.size:
        raise ValueError(
            "byte_rate, operation_rate and power must be equally long, got "
            f"{x.size}, {z.size} and {y.size}"
        )
    scales = np.array([y.mean(), y.mean() / x.mean(), y.mean() / z.mean()])
    columns = np.stack([np.ones_like(y), x, z], 1) * scales / y[:, None]

    def held(price: float) -> tuple[Floats, float]:
        rest = 1 - columns[:, 1] * price / scales[1]
        found, residual = nnls(columns[:, [0, 2]], rest)
        return found, float(residual)

    if byte is None:
        all_three, _ = nnls(columns, np.ones_like(y))
        best = float(all_three[1] * scales[1])
    else:
        best = one_number("byte", byte, non_negative)
    (constant, operation), residual = held(best)
    bounds = (best, best) if byte is not None else _range(held, best, scales[1])
    return PowerDraw(
        float(constant * scales[0]),
        best,
        float(operation * scales[2]),
        float(residual / np.sqrt(y.size)),
        bounds,
    )


def _range(
    held: Callable[[float], tuple[Floats, float]], best: float, scale: float
) -> tuple[float, float]:
    """Return where the error is a tenth above the least one, on either side of `best`."""
    limit, close = 1.1 * max(held(best)[1], 1e-9), 1e-12 * scale

    def excess(price: float) -> float:
        return float(held(price)[1] - limit)

    low = 0.0 if best == 0 or excess(0.0) <= 0 else float(brentq(excess, 0.0, best, xtol=close))
    high = best + 1e-3 * scale
    for _ in range(_FARTHEST):
        if excess(high) > 0:
            return low, float(brentq(excess, best, high, xtol=close))
        high = best + 2 * (high - best)
    return low, float("inf")
