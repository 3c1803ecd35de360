"""Laws of job sizes in which a few jobs are most of the work, and laws taken from a trace.

Sizes of files, of processes and of cluster jobs look like this: mostly tiny, and one job in a
hundred that brings half of the work. Each law has the methods that
`perfmodel.queueing.distributions.service.Service` lists.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.moments import within_floats
from perfmodel.queueing.distributions.quadrature import (
    Complex,
    density_rule,
    geometric_breaks,
    transform,
)
from perfmodel.validation import Floats, non_negative, one_number, positive, sample


@dataclass(frozen=True)
class BoundedPareto:
    """A power law with exponent `shape` between sizes `low` and `high`, in seconds.

    The density is proportional to x^-(shape + 1). The smaller the shape, the more of the work is
    in the few largest jobs.

    References
    ----------
    M. Harchol-Balter, "Performance Modeling and Design of Computer Systems", Cambridge, 2013.

    >>> law = BoundedPareto(shape=1.1, low=1.0, high=1e6)
    >>> print(round(law.moment(1), 4))
    8.2369
    """

    shape: float
    low: float
    high: float

    def __post_init__(self) -> None:
        """Refuse a shape or a size that is not above 0, and an empty range."""
        one_number("shape", self.shape, positive)
        one_number("low", self.low, positive)
        if not one_number("high", self.high) > self.low:
            raise ValueError(f"high must be above low = {self.low!r}, got {self.high!r}")

    @within_floats
    def moment(self, order: int) -> float:
        """Return E[S^order]."""
        return float(self.partial_moment(order, self.high))

    def partial_moment(self, order: int, size: ArrayLike) -> Floats:
        """Return E[S^order; S <= size]."""
        decades = np.log(np.clip(non_negative("size", size), self.low, self.high) / self.low)
        exponent = order - self.shape
        integral = np.expm1(exponent * decades) / exponent if exponent else decades
        return np.asarray(self._scale() * float(self.low) ** order * integral)

    def laplace(self, s: ArrayLike) -> Complex:
        """Return E[exp(-s S)] by quadrature."""
        return _transform(self.quadrature(), s)

    def sample(self, rng: np.random.Generator, count: int) -> Floats:
        """Return `count` independent draws from the generator `rng`."""
        return self.quantile(rng.random(count))

    def quantile(self, probability: ArrayLike) -> Floats:
        """Return the size that a share `probability` of the jobs does not exceed."""
        cut = -np.expm1(-self.shape * np.log(self.high / self.low))
        return np.asarray(self.low * np.exp(-np.log1p(-np.asarray(probability) * cut) / self.shape))

    def work_fraction_of_largest(self, fraction: ArrayLike) -> Floats:
        """Return the share of all work that the largest `fraction` of the jobs brings.

        >>> print(round(BoundedPareto(1.0, 1.0, 3366.0).work_fraction_of_largest(0.01), 3))
        0.437
        """
        largest = self.quantile(1 - np.asarray(fraction))
        return 1 - self.partial_moment(1, largest) / self.moment(1)

    def breaks(self) -> Floats:
        """Return panels from `low` to `high`, growing geometrically."""
        return geometric_breaks(float(self.low), float(self.high))

    def quadrature(self) -> tuple[Floats, Floats]:
        """Return nodes and weights of an expectation."""
        constant = self._scale() * float(self.low) ** -1.0
        return density_rule(
            self.breaks()[1:], lambda x: constant * (x / self.low) ** (-self.shape - 1)
        )

    def _scale(self) -> float:
        return float(self.shape / -np.expm1(-self.shape * np.log(self.high / self.low)))


@dataclass(frozen=True)
class Lognormal:
    """The exponential of a normal variable, given by its `mean` in seconds and its `scv`.

    >>> print(round(Lognormal(2.0, 3.0).moment(2), 12))
    16.0
    """

    mean: float
    scv: float

    def __post_init__(self) -> None:
        """Refuse a mean or scv that is not above 0."""
        one_number("mean", self.mean, positive)
        one_number("scv", self.scv, positive)

    @within_floats
    def moment(self, order: int) -> float:
        """Return mean^k (1 + scv)^(k (k - 1) / 2) for the order k."""
        return float(self.mean**order * (1 + self.scv) ** (order * (order - 1) / 2))

    def partial_moment(self, order: int, size: ArrayLike) -> Floats:
        """Return E[S^order; S <= size]."""
        from scipy.special import ndtr

        with np.errstate(divide="ignore"):
            score = (np.log(non_negative("size", size)) - self._centre()) / self._log_deviation()
        return np.asarray(self.moment(order) * ndtr(score - order * self._log_deviation()))

    def laplace(self, s: ArrayLike) -> Complex:
        """Return E[exp(-s S)] by quadrature."""
        return _transform(self.quadrature(), s)

    def sample(self, rng: np.random.Generator, count: int) -> Floats:
        """Return `count` independent draws from the generator `rng`."""
        return rng.lognormal(self._centre(), self._log_deviation(), count)

    def breaks(self) -> Floats:
        """Return panels that leave less than 1e-15 of the second moment on each side."""
        low, high = (np.exp(self._centre() + z * self._log_deviation()) for z in self._scores())
        finest = min(1.15, float(np.exp(self._log_deviation() / 2)))
        return geometric_breaks(float(low), float(high), finest)

    def quadrature(self) -> tuple[Floats, Floats]:
        """Return nodes and weights of an expectation."""
        centre, deviation = self._centre(), self._log_deviation()
        root = np.sqrt(2 * np.pi) * deviation
        return density_rule(
            self.breaks()[1:],
            lambda x: np.exp(-(((np.log(x) - centre) / deviation) ** 2) / 2) / (root * x),
        )

    def _log_deviation(self) -> float:
        return float(np.sqrt(np.log1p(self.scv)))

    def _centre(self) -> float:
        return float(np.log(self.mean) - self._log_deviation() ** 2 / 2)

    def _scores(self) -> tuple[float, float]:
        return -8.5, 8.5 + 2 * self._log_deviation()


@dataclass(frozen=True)
class Empirical:
    """The empirical distribution (ECDF): each of the measured `values`, in seconds, equally likely.

    >>> law = Empirical((1.0, 1.0, 4.0))
    >>> law.moment(1), law.moment(2)
    (2.0, 6.0)
    """

    values: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse an empty trace, negative times, and a trace of zeros; keep them as a tuple."""
        times = non_negative("values", sample("values", self.values))
        positive("the mean of values", times.mean())
        object.__setattr__(self, "values", tuple(float(time) for time in times))

    @within_floats
    def moment(self, order: int) -> float:
        """Return the mean of values^order."""
        return float(np.mean(np.array(self.values) ** order))

    def partial_moment(self, order: int, size: ArrayLike) -> Floats:
        """Return the mean of values^order over all values, those above `size` taken as 0."""
        ordered = np.sort(self.values)
        sums = np.concatenate([[0.0], np.cumsum(ordered**order)]) / ordered.size
        return np.asarray(sums[np.searchsorted(ordered, non_negative("size", size), side="right")])

    def laplace(self, s: ArrayLike) -> Complex:
        """Return the mean of exp(-s values)."""
        return _transform(self.quadrature(), s)

    def sample(self, rng: np.random.Generator, count: int) -> Floats:
        """Return `count` values drawn with replacement by the generator `rng`."""
        return rng.choice(np.array(self.values), count)

    def breaks(self) -> Floats:
        """Return 0 and the distinct values."""
        return np.unique([0.0, *self.values])

    def quadrature(self) -> tuple[Floats, Floats]:
        """Return the distinct values and how often each occurs."""
        nodes, counts = np.unique(self.values, return_counts=True)
        return nodes, counts / counts.sum()


def _transform(rule: tuple[Floats, Floats], s: ArrayLike) -> Complex:
    return transform(rule, lambda z: np.exp(-z), s)
