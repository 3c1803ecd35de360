"""Laws of scale: how a loss or a success rate goes with parameters, tokens or compute.

Every law is linear in some of its parameters once the others are given, and knows its slope in all
of them; `perfmodel.forecasting.fitting` makes use of both.

Sources: J. Hoffmann et al., "Training compute-optimal large language models", NeurIPS 2022,
arXiv:2203.15556, equation 2 (`TWO_VARIABLE_LAW`); D. Khatri et al., "The art of scaling
reinforcement learning compute for LLMs", arXiv:2510.13786, equation 1 (`SIGMOID_LAW`);
E. Caballero, K. Gupta, I. Rish, D. Krueger, "Broken neural scaling laws", ICLR 2023
(`BROKEN_POWER_LAW`, with one break and no floor); C. Xu, K. Chen, X. Li, K. Shen, C. Li, "Unveiling
downstream performance scaling of LLMs", arXiv:2502.17262 (`SUCCESS_LAW`, with its ceiling and its
scale of compute instead of c and a).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, finite, positive

Evaluation = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""Of parameters (..., p) and logarithms of the variables (v, n): the values (..., n) and their
slopes in the parameters (..., n, p)."""


@dataclass(frozen=True, eq=False)
class Law:
    """A form with parameters that are to be found.

    >>> print(POWER_LAW.value({"a": 6.0, "b": 0.5}, [1, 4, 9]))
    [6. 3. 2.]
    """

    name: str
    formula: str
    variables: tuple[str, ...]
    parameters: tuple[str, ...]
    linear: tuple[str, ...]
    """Parameters in which the law is linear."""
    above_zero: tuple[str, ...]
    """Parameters that are above zero; they are fitted as logarithms."""
    exponents: Mapping[str, tuple[float, ...]]
    """Where to start the search, for parameters that aren't linear and have no unit."""
    evaluate: Evaluation

    def value(self, theta: Mapping[str, float], *variables: ArrayLike) -> Floats:
        """Return the law's value for a number for each of `parameters`, and an array a variable.

        Arrays are above 0, and are broadcast.
        """
        logs = self.logs(*variables)
        values, _ = self.evaluate(self.vector(theta), logs.reshape(len(logs), -1))
        return values.reshape(logs.shape[1:])

    def logs(self, *variables: ArrayLike) -> Floats:
        """Return the logarithms of the variables, broadcast, shape (v, ...)."""
        if len(variables) != len(self.variables):
            raise ValueError(
                f"x must be {len(self.variables)} array(s) for {', '.join(self.variables)}, "
                f"got {len(variables)}"
            )
        named = zip(self.variables, variables, strict=True)
        arrays = np.broadcast_arrays(*(positive(name, values) for name, values in named))
        return np.asarray(np.log(np.stack(arrays)))

    def vector(self, theta: Mapping[str, float]) -> Floats:
        """Return the parameters in their order, checked."""
        if set(theta) != set(self.parameters):
            raise ValueError(
                f"theta must give {', '.join(self.parameters)}, got {', '.join(theta) or 'nothing'}"
            )
        return np.array(
            [
                float((positive if name in self.above_zero else finite)(name, theta[name]))
                for name in self.parameters
            ]
        )


def _power(logs: Floats, exponent: Floats) -> Floats:
    """Return x^-exponent of shape (..., n), kept where its square is a float: e^-300 to e^300."""
    return np.exp(np.clip(-exponent[..., None] * logs, -300, 300))


def _single_power(theta: Floats, logs: Floats) -> tuple[Floats, Floats]:
    a, b = (theta[..., i] for i in range(2))
    decay = _power(logs[0], b)
    value = a[..., None] * decay
    return value, np.stack([decay, -value * logs[0]], axis=-1)


def _saturating(sign: float) -> Evaluation:
    def evaluate(theta: Floats, logs: Floats) -> tuple[Floats, Floats]:
        gap, slopes = _single_power(theta[..., 1:], logs)
        ones = np.ones((*gap.shape, 1))
        return theta[..., :1] + sign * gap, np.concatenate([ones, sign * slopes], axis=-1)

    return evaluate


def _two_variable(theta: Floats, logs: Floats) -> tuple[Floats, Floats]:
    by_size, size_slopes = _single_power(theta[..., [1, 3]], logs[:1])
    by_data, data_slopes = _single_power(theta[..., [2, 4]], logs[1:])
    slopes = [np.ones_like(by_size)]
    slopes += [s[..., i] for i in range(2) for s in (size_slopes, data_slopes)]
    return theta[..., :1] + by_size + by_data, np.stack(slopes, axis=-1)


def _sigmoid(theta: Floats, logs: Floats) -> tuple[Floats, Floats]:
    start, ceiling, middle, steepness = (theta[..., i, None] for i in range(4))
    away = logs[0] - np.log(middle)
    fraction = 1 / (1 + np.exp(np.clip(-steepness * away, -300, 300)))
    rise = (ceiling - start) * fraction * (1 - fraction)
    slopes = [1 - fraction, fraction, -rise * steepness / middle, rise * away]
    return start + (ceiling - start) * fraction, np.stack(slopes, axis=-1)


def _success(theta: Floats, logs: Floats) -> tuple[Floats, Floats]:
    start, ceiling, scale, exponent = (theta[..., i, None] for i in range(4))
    away = logs[0] - np.log(scale)
    loss = np.exp(np.clip(-exponent * away, -300, 300))
    fraction = np.exp(-loss)
    rise = (ceiling - start) * fraction * loss
    slopes = [1 - fraction, fraction, -rise * exponent / scale, rise * away]
    return start + (ceiling - start) * fraction, np.stack(slopes, axis=-1)


_BEND = 0.25
"""Width of the bend of the broken law, in powers of e; as narrow as data of runs can tell."""


def _broken(theta: Floats, logs: Floats) -> tuple[Floats, Floats]:
    a, b, c, d = (theta[..., i, None] for i in range(4))
    away = (logs[0] - np.log(d)) / _BEND
    bend = _BEND * np.logaddexp(0, away)
    past = 1 / (1 + np.exp(np.clip(-away, -300, 300)))
    decay = np.exp(np.clip(-b * logs[0] - c * bend, -300, 300))
    value = a * decay
    slopes = [decay, -value * logs[0], -value * bend, value * c * past / d]
    return value, np.stack(slopes, axis=-1)


_EXPONENTS = (0.1, 0.3, 0.6, 1.0, 1.8)

POWER_LAW = Law(
    "power law",
    "a x^-b",
    ("x",),
    ("a", "b"),
    ("a",),
    ("a",),
    {"b": _EXPONENTS},
    _single_power,
)
SATURATING_POWER_LAW = Law(
    "saturating power law",
    "e + a x^-b",
    ("x",),
    ("e", "a", "b"),
    ("e", "a"),
    ("e", "a"),
    {"b": _EXPONENTS},
    _saturating(1.0),
)
RISING_POWER_LAW = Law(
    "rising power law",
    "e - a x^-b",
    ("x",),
    ("e", "a", "b"),
    ("e", "a"),
    ("a",),
    {"b": _EXPONENTS},
    _saturating(-1.0),
)
TWO_VARIABLE_LAW = Law(
    "two-variable law",
    "E + A N^-alpha + B D^-beta",
    ("N", "D"),
    ("E", "A", "B", "alpha", "beta"),
    ("E", "A", "B"),
    ("E", "A", "B"),
    {"alpha": (0.1, 0.3, 0.6, 1.0), "beta": (0.1, 0.3, 0.6, 1.0)},
    _two_variable,
)
SIGMOID_LAW = Law(
    "sigmoid in log compute",
    "R0 + (A - R0)/(1 + (Cmid/C)^B)",
    ("C",),
    ("R0", "A", "Cmid", "B"),
    ("R0", "A"),
    ("Cmid", "B"),
    {"B": (0.4, 0.8, 1.5, 3.0)},
    _sigmoid,
)
SUCCESS_LAW = Law(
    "success by loss",
    "R0 + (A - R0) exp(-(K/C)^b)",
    ("C",),
    ("R0", "A", "K", "b"),
    ("R0", "A"),
    ("K", "b"),
    {"b": (0.2, 0.5, 1.0, 2.5)},
    _success,
)
BROKEN_POWER_LAW = Law(
    "broken power law",
    "a x^-b (1 + (x/d)^4)^(-c/4)",
    ("x",),
    ("a", "b", "c", "d"),
    ("a",),
    ("a", "d"),
    {"b": (0.0, 0.3, 0.8), "c": (-0.5, 0.5)},
    _broken,
)
