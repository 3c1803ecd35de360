"""Laws of times whose tails fall off at least exponentially, from a constant to a mixture.

Each has the methods that `perfmodel.queueing.distributions.service.Service` lists.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.moments import within_floats
from perfmodel.queueing.distributions.quadrature import Complex, density_rule, geometric_breaks
from perfmodel.validation import (
    Floats,
    at_least,
    at_most,
    non_negative,
    one_number,
    positive,
    sample,
    whole,
    within,
)


@dataclass(frozen=True)
class Exponential:
    """The memoryless law with a `mean` in seconds: scv 1.

    >>> Exponential(0.5).moment(2)
    0.5
    """

    mean: float

    def __post_init__(self) -> None:
        """Refuse a mean that is not above 0."""
        one_number("mean", self.mean, positive)

    @within_floats
    def moment(self, order: int) -> float:
        """Return mean^k k! for the order k, which is E[S^order]."""
        return float(self.mean) ** order * factorial(order)

    def partial_moment(self, order: int, size: ArrayLike) -> Floats:
        """Return E[S^order; S <= size], an incomplete gamma function."""
        return self.moment(order) * _gamma_share(order + 1, size, self.mean)

    def laplace(self, s: ArrayLike) -> Complex:
        """Return 1 / (1 + s mean)."""
        return 1 / (1 + np.asarray(s, dtype=np.complex128) * self.mean)

    def sample(self, rng: np.random.Generator, count: int) -> Floats:
        """Return `count` independent draws from the generator `rng`."""
        return rng.exponential(self.mean, count)

    def breaks(self) -> Floats:
        """Return panels up to where less than 1e-19 of the jobs are left."""
        return geometric_breaks(1e-6 * self.mean, 45 * self.mean)

    def quadrature(self) -> tuple[Floats, Floats]:
        """Return nodes and weights of an expectation."""
        return density_rule(self.breaks(), lambda x: np.exp(-x / self.mean) / self.mean)


@dataclass(frozen=True)
class Deterministic:
    """Every job needs exactly `mean` seconds: scv 0.

    >>> Deterministic(3.0).moment(2)
    9.0
    """

    mean: float

    def __post_init__(self) -> None:
        """Refuse a mean that is not above 0."""
        one_number("mean", self.mean, positive)

    @within_floats
    def moment(self, order: int) -> float:
        """Return mean^order."""
        return float(self.mean) ** order

    def partial_moment(self, order: int, size: ArrayLike) -> Floats:
        """Return mean^order where size reaches the mean, else 0."""
        return np.where(non_negative("size", size) >= self.mean, self.moment(order), 0.0)

    def laplace(self, s: ArrayLike) -> Complex:
        """Return exp(-s mean)."""
        return np.exp(-np.asarray(s, dtype=np.complex128) * self.mean)

    def sample(self, rng: np.random.Generator, count: int) -> Floats:
        """Return `count` copies of the mean; `rng` is not used."""
        return np.full(count, float(self.mean))

    def breaks(self) -> Floats:
        """Return 0 and the mean."""
        return np.array([0.0, self.mean])

    def quadrature(self) -> tuple[Floats, Floats]:
        """Return the one node with all the weight."""
        return np.array([float(self.mean)]), np.array([1.0])


@dataclass(frozen=True)
class Uniform:
    """Every size from `low` to `high` seconds is equally likely.

    >>> Uniform(0, 2).moment(1)
    1.0
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        """Refuse an empty or negative range."""
        one_number("low", self.low, non_negative)
        if not one_number("high", self.high) > self.low:
            raise ValueError(f"high must be above low = {self.low!r}, got {self.high!r}")

    @within_floats
    def moment(self, order: int) -> float:
        """Return the mean of x^order over the range."""
        return float(self.partial_moment(order, self.high))

    def partial_moment(self, order: int, size: ArrayLike) -> Floats:
        """Return E[S^order; S <= size]."""
        end = np.clip(non_negative("size", size), self.low, self.high)
        products = [end**k * float(self.low) ** (order - k) for k in range(order + 1)]
        return np.asarray((end - self.low) / (self.high - self.low) * np.mean(products, axis=0))

    def laplace(self, s: ArrayLike) -> Complex:
        """Return (exp(-s low) - exp(-s high)) / (s (high - low)), and 1 at s = 0."""
        z = np.asarray(s, dtype=np.complex128) * (self.high - self.low)
        safe = np.where(z == 0, 1, z)
        share = np.where(z == 0, 1, -np.expm1(-safe) / safe)
        return np.exp(-np.asarray(s, dtype=np.complex128) * self.low) * share

    def sample(self, rng: np.random.Generator, count: int) -> Floats:
        """Return `count` independent draws from the generator `rng`."""
        return rng.uniform(self.low, self.high, count)

    def breaks(self) -> Floats:
        """Return 0 and the ends of the range."""
        return np.unique([0.0, float(self.low), float(self.high)])

    def quadrature(self) -> tuple[Floats, Floats]:
        """Return nodes and weights of an expectation."""
        return density_rule(
            np.linspace(self.low, self.high, 65),
            lambda x: np.full_like(x, 1 / (self.high - self.low)),
        )


@dataclass(frozen=True)
class Erlang:
    """A sum of `stages` equal exponential stages with `mean` seconds in all: scv 1 / stages.

    >>> Erlang(1.0, 4).moment(2)
    1.25
    """

    mean: float
    stages: int

    def __post_init__(self) -> None:
        """Refuse a mean that is not above 0 or a number of stages that is not whole."""
        one_number("mean", self.mean, positive)
        whole("stages", self.stages, 1)

    @within_floats
    def moment(self, order: int) -> float:
        """Return theta^k n (n + 1) ... (n + k - 1), k the order, theta the mean of a stage."""
        rising = np.prod([self.stages + j for j in range(order)], dtype=float)
        return float((self.mean / self.stages) ** order * rising)

    def partial_moment(self, order: int, size: ArrayLike) -> Floats:
        """Return E[S^order; S <= size], an incomplete gamma function."""
        share = _gamma_share(self.stages + order, size, self.mean / self.stages)
        return self.moment(order) * share

    def laplace(self, s: ArrayLike) -> Complex:
        """Return (1 + s mean / stages)^-stages."""
        stage = self.mean / self.stages
        return (1 + np.asarray(s, dtype=np.complex128) * stage) ** -float(self.stages)

    def sample(self, rng: np.random.Generator, count: int) -> Floats:
        """Return `count` independent draws from the generator `rng`."""
        return rng.gamma(self.stages, self.mean / self.stages, count)

    def breaks(self) -> Floats:
        """Return panels fine enough for the hump around the mean."""
        deviation = self.mean / self.stages**0.5
        hump = np.linspace(max(0.0, self.mean - 12 * deviation), self.mean + 45 * deviation, 229)
        return np.unique(np.concatenate([geometric_breaks(1e-6 * self.mean, hump[-1]), hump]))

    def quadrature(self) -> tuple[Floats, Floats]:
        """Return nodes and weights of an expectation."""
        from scipy.special import gammaln

        n, theta = self.stages, self.mean / self.stages
        return density_rule(
            self.breaks(),
            lambda x: np.exp((n - 1) * np.log(x / theta) - x / theta - gammaln(n)) / theta,
        )


@dataclass(frozen=True)
class Hyperexponential:
    """A job is of class i with probability p_i and then exponential with mean m_i: scv above 1.

    >>> law = Hyperexponential.balanced(1.0, 4.0)
    >>> print(round(law.moment(1), 12), round(law.moment(2), 12))
    1.0 5.0
    """

    probabilities: tuple[float, ...]
    means: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse probabilities that do not sum to 1, or as many means as there are not."""
        p = within("probabilities", sample("probabilities", self.probabilities), 0, 1)
        if abs(p.sum() - 1) > 1e-9:
            raise ValueError(f"probabilities must sum to 1, got {self.probabilities!r}")
        if positive("means", sample("means", self.means)).shape != p.shape:
            raise ValueError(f"means must be one for each of {p.size} classes, got {self.means!r}")

    @classmethod
    def balanced(cls, mean: float, scv: float) -> Hyperexponential:
        """Return the law of two classes that bring the same work, from its mean and scv >= 1."""
        half, squared_cv = (
            one_number("mean", mean, positive) / 2,
            one_number("scv", scv, _mixed_scv),
        )
        p = float((1 + np.sqrt((squared_cv - 1) / (squared_cv + 1))) / 2)
        rare = float(1 / (squared_cv + 1 + np.sqrt(squared_cv**2 - 1)))
        return cls((p, rare), (float(half / p), float(half / rare)))

    @within_floats
    def moment(self, order: int) -> float:
        """Return the sum of p_i m_i^k k! for the order k."""
        p, m = np.array(self.probabilities), np.array(self.means, dtype=float)
        return float(p @ m**order) * factorial(order)

    def partial_moment(self, order: int, size: ArrayLike) -> Floats:
        """Return E[S^order; S <= size]."""
        p, m = np.array(self.probabilities), np.array(self.means, dtype=float)
        shares = _gamma_share(order + 1, np.asarray(size, dtype=float)[..., np.newaxis], m)
        return np.asarray((shares * p * m**order).sum(-1) * factorial(order))

    def laplace(self, s: ArrayLike) -> Complex:
        """Return the sum of p_i / (1 + s m_i)."""
        z = np.asarray(s, dtype=np.complex128)[..., np.newaxis]
        return np.asarray((np.array(self.probabilities) / (1 + z * np.array(self.means))).sum(-1))

    def sample(self, rng: np.random.Generator, count: int) -> Floats:
        """Return `count` independent draws from the generator `rng`."""
        edges = np.cumsum(self.probabilities) / np.sum(self.probabilities)
        chance = rng.random(count)
        means: Any = float(self.means[-1])
        for edge, mean in zip(edges[-2::-1].tolist(), self.means[-2::-1], strict=True):
            means = np.where(chance < edge, mean, means)
        drawn = rng.standard_exponential(count)
        drawn *= means
        return drawn

    def breaks(self) -> Floats:
        """Return panels from a millionth of the shortest mean to 45 of the longest."""
        return geometric_breaks(1e-6 * min(self.means), 45 * max(self.means))

    def quadrature(self) -> tuple[Floats, Floats]:
        """Return nodes and weights of an expectation."""
        p, m = np.array(self.probabilities), np.array(self.means, dtype=float)
        return density_rule(
            self.breaks(), lambda x: (np.exp(-x[..., np.newaxis] / m) * p / m).sum(-1)
        )


def _mixed_scv(name: str, scv: ArrayLike) -> Floats:
    return at_most(name, at_least(name, scv, 1), 1e12)


def _gamma_share(shape: int, size: ArrayLike, scale: ArrayLike) -> Floats:
    from scipy.special import gammainc

    x = non_negative("size", size) / np.asarray(scale, dtype=float)
    return np.asarray(gammainc(shape, x))
