"""Phase-type laws and Markovian arrival processes: variability and correlation as small matrices.

A phase-type time is how long a Markov chain takes to be absorbed: stages in series are less
variable than an exponential time, stages in parallel more. An arrival process whose chain goes on
after each arrival (MAP) can be bursty, with calm hours and busy ones.

Source: M. F. Neuts, "Matrix-Geometric Solutions in Stochastic Models", Johns Hopkins, 1981; G.
Latouche and V. Ramaswami, "Introduction to Matrix Analytic Methods", SIAM, 1999.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from math import ceil, factorial, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.queueing.distributions.elimination import fundamental_matrix
from perfmodel.queueing.distributions.generators import (
    given_exits,
    lacking_exits,
    leads_out,
    square_generator,
    stationary_phases,
)
from perfmodel.queueing.distributions.moments import within_floats
from perfmodel.queueing.distributions.phase_sampling import absorption_times
from perfmodel.queueing.distributions.uniformisation import (
    mixed_quantile,
    mixed_tail,
    steps_needed,
)
from perfmodel.validation import (
    Floats,
    finite,
    non_negative,
    one_number,
    positive,
    sample,
    whole,
    within,
)

_MOST_ORDER = 100
_MOST_LAG = 10**9


@dataclass(frozen=True, eq=False)
class PhaseType:
    """The time to absorption of a chain that starts with `start` and moves by `generator`.

    >>> two_stages = PhaseType(np.array([1.0, 0.0]), np.array([[-2.0, 2.0], [0.0, -2.0]]))
    >>> print(two_stages.moment(1), two_stages.moment(2))
    1.0 1.5
    """

    start: Floats
    """Probability of each phase at the start, shape (phases,); they sum to 1."""
    generator: Floats
    """Rates between phases in 1/s, shape (phases, phases); rows sum to 0 or less."""
    exits: Floats = field(default_factory=lambda: np.zeros(0))
    """Rates of absorption in 1/s. If left out they are what the rows lack to 0, which loses the
    digits of rare ones."""

    def __post_init__(self) -> None:
        """Refuse a start that is no law, and a generator with wrong signs or no way out."""
        start, generator = (
            within("start", self.start, 0, 1),
            square_generator("generator", self.generator),
        )
        if start.shape != generator.shape[:1] or abs(start.sum() - 1) > 1e-9:
            raise ValueError(
                f"start must be {generator.shape[0]} probabilities that sum to 1, got {start}"
            )
        exits = (
            lacking_exits(generator)
            if not np.size(self.exits)
            else given_exits(generator, self.exits)
        )
        below = (generator.sum(1) <= -1e-9 * generator.diagonal()).all()
        if not below or not leads_out(generator, exits):
            raise ValueError(
                "generator must have rows that sum to 0 or less and, from each phase, a way out "
                f"that rounding doesn't hide (or give exits), got {generator}"
            )
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "generator", generator)
        object.__setattr__(self, "exits", exits)

    @classmethod
    def exponential(cls, mean: float) -> PhaseType:
        """Return the exponential distribution with a `mean` in seconds as a phase type.

        >>> print(PhaseType.exponential(2.0).moment(2))
        8.0
        """
        return cls(np.ones(1), np.array([[-1 / one_number("mean", mean, positive)]]))

    @classmethod
    def erlang(cls, mean: float, stages: int) -> PhaseType:
        """Return a sum of equal exponential `stages` with a `mean` in seconds in all.

        >>> print(PhaseType.erlang(1.0, 4).moment(2))
        1.25
        """
        n = whole("stages", stages, 1, 1000)
        pace = n / one_number("mean", mean, positive)
        return cls(np.eye(n)[0], pace * (np.eye(n, k=1) - np.eye(n)))

    @classmethod
    def hyperexponential(cls, mean: float, scv: float) -> PhaseType:
        """Return two mixed exponential distributions of equal work with this mean and scv >= 1.

        >>> law = PhaseType.hyperexponential(1.0, 4.0)
        >>> print(round(law.moment(1), 12), round(law.moment(2), 12))
        1.0 5.0
        """
        squared_cv = one_number("scv", scv, partial(within, low=1, high=1e12))
        p = float((1 + np.sqrt((squared_cv - 1) / (squared_cv + 1))) / 2)
        rates = 2 * np.array([p, 1 - p]) / one_number("mean", mean, positive)
        return cls(np.array([p, 1 - p]), -np.diag(rates))

    @classmethod
    def of_two_moments(cls, mean: float, scv: float) -> PhaseType:
        """Return a phase-type law with this mean in seconds and this scv above 0.

        Up to scv 1 it is a mixture of two Erlang laws of n - 1 and n stages of one rate, n the
        least number that can be so regular; above, a balanced hyperexponential law.

        References
        ----------
        H. C. Tijms, "Stochastic Models: An Algorithmic Approach", Wiley, 1994.

        >>> law = PhaseType.of_two_moments(2.0, 0.4)
        >>> print(round(law.moment(1), 12), round(law.moment(2), 12), law.start.size)
        2.0 5.6 3
        """
        squared_cv = one_number("scv", scv, partial(within, low=1e-3, high=1e12))
        if squared_cv >= 1:
            return cls.hyperexponential(mean, squared_cv)
        n = max(2, ceil(1 / squared_cv - 1e-9))
        skip = (n * squared_cv - sqrt(max(0.0, n * (1 + squared_cv) - n**2 * squared_cv))) / (
            1 + squared_cv
        )
        skip = min(1.0, max(0.0, skip))
        pace = (n - skip) / one_number("mean", mean, positive)
        start = np.zeros(n)
        start[:2] = 1 - skip, skip
        return cls(start, pace * (np.eye(n, k=1) - np.eye(n)))

    @within_floats
    def moment(self, order: int) -> float:
        """Return k! start (-generator)^-k 1 for the order k."""
        times, left = fundamental_matrix(self.generator, self.exits), np.ones(self.start.size)
        for _ in range(whole("order", order, 0, _MOST_ORDER)):
            left = times @ left
        return float(factorial(order) * (self.start @ left))

    def laplace(self, s: ArrayLike) -> NDArray[np.complex128]:
        """Return E[exp(-s S)] = start (s I - generator)^-1 exits."""
        z = np.asarray(s, dtype=np.complex128)[..., np.newaxis, np.newaxis]
        exits = self.exits.astype(np.complex128)[:, np.newaxis]
        return np.asarray(
            np.linalg.solve(z * np.eye(self.start.size) - self.generator, exits)[..., 0]
            @ self.start
        )

    def tail(self, time: ArrayLike) -> Floats:
        """Return P(S > time), by uniformisation: a sum of positive terms."""
        return mixed_tail(non_negative("time", time), *self._left_after_steps(np.max(time)))

    def quantile(self, probability: ArrayLike) -> Floats:
        """Return the time in seconds that a share `probability` of the draws stays within."""
        return mixed_quantile(self._left_after_steps, probability, self.moment(1))

    def sample(self, rng: np.random.Generator, count: int) -> Floats:
        """Return `count` independent draws in seconds."""
        return absorption_times(self.start, self.generator, rng, count)

    def _left_after_steps(self, horizon: float) -> tuple[float, Floats]:
        pace = float(np.max(-self.generator.diagonal()))
        step = np.eye(self.start.size) + self.generator / pace
        left, present = [], self.start
        for _ in range(steps_needed(pace * float(horizon))):
            left.append(present.sum())
            present = present @ step
        return pace, np.array(left)


@dataclass(frozen=True, eq=False)
class ArrivalProcess:
    """A Markovian arrival process: a chain with moves that bring an arrival and moves that do not.

    >>> calls = ArrivalProcess.poisson(3.0)
    >>> print(calls.rate, calls.scv, calls.correlation(1))
    3.0 1.0 0.0
    """

    quiet: Floats
    """D0, rates between phases without an arrival, shape (phases, phases), diagonal negative."""
    marked: Floats
    """D1, rates with an arrival; the rows of D0 + D1 sum to 0."""

    def __post_init__(self) -> None:
        """Refuse matrices of different shape, negative rates and rows that do not sum to 0."""
        quiet = square_generator("quiet", self.quiet)
        marked = non_negative("marked", self.marked)
        if marked.shape != quiet.shape or not marked.any():
            raise ValueError(f"marked must be like quiet, with a rate above 0, got {marked}")
        rows = (quiet + marked).sum(1)
        closed = (np.abs(rows) <= 1e-9 * np.abs(quiet.diagonal())).all()
        if not closed or not leads_out(quiet, marked.sum(1)):
            raise ValueError(f"quiet + marked must have rows that sum to 0, got sums {rows}")
        object.__setattr__(self, "quiet", quiet)
        object.__setattr__(self, "marked", marked)

    @classmethod
    def poisson(cls, rate: float) -> ArrivalProcess:
        """Return the Poisson process of `rate` arrivals per second."""
        value = one_number("rate", rate, positive)
        return cls(np.array([[-value]]), np.array([[value]]))

    @classmethod
    def renewal(cls, distribution: PhaseType) -> ArrivalProcess:
        """Return arrivals with independent times of a phase-type law between them."""
        if not isinstance(distribution, PhaseType):
            raise ValueError(f"distribution must be a PhaseType, got {distribution!r}")
        return cls(distribution.generator, np.outer(distribution.exits, distribution.start))

    @classmethod
    def modulated(cls, rates: ArrayLike, switching: ArrayLike) -> ArrivalProcess:
        """Return Poisson arrivals whose rate follows a chain (MMPP).

        `rates` are the arrivals per second in each state, `switching` the chain's generator, whose
        rows sum to 0.
        """
        marked = np.diag(non_negative("rates", sample("rates", rates)))
        moves = finite("switching", switching)
        if moves.shape != marked.shape or np.abs(moves.sum(1)).max() > 1e-9 * np.abs(moves).max():
            raise ValueError(f"switching must be like rates, with rows that sum to 0, got {moves}")
        return cls(moves - marked, marked)

    @property
    def phases(self) -> Floats:
        """Probability of each phase at a random time."""
        return stationary_phases(self.quiet + self.marked)

    @property
    def start(self) -> Floats:
        """Probability of each phase just after an arrival."""
        after = self.phases @ self.marked
        return np.asarray(after / after.sum())

    @property
    def rate(self) -> float:
        """Arrivals per second."""
        return float((self.phases @ self.marked).sum())

    @property
    def scv(self) -> float:
        """Squared coefficient of variation of the time between arrivals."""
        between = self._between()
        return between.moment(2) / between.moment(1) ** 2 - 1

    @property
    def dispersion(self) -> float:
        """Variance of a sum of n times between arrivals, n large, in units of n squared means.

        It is the scv where the times are independent, and more where long ones follow long ones.

        >>> print(round(ArrivalProcess.poisson(3.0).dispersion, 12))
        1.0
        """
        away, start = self._away(), self.start
        jumps, means, found = away @ self.marked, away.sum(1), start @ away
        mean, base = float(start @ means), int(np.argmax(start))
        others = np.arange(start.size) != base
        apart = np.zeros(start.size)
        if others.any():
            visits = fundamental_matrix(jumps[np.ix_(others, others)], jumps[others, base])
            apart[others] = visits @ (means[others] - mean)
        after = found @ (apart - means) - mean * (start @ apart) + mean**2
        return self.scv + 2 * float(after) * self.rate**2

    def moment(self, order: int) -> float:
        """Return the mean of the times between arrivals to the power `order`."""
        return self._between().moment(order)

    def correlation(self, lag: int) -> float:
        """Return the correlation of two times between arrivals that are `lag` apart."""
        away = self._away()
        jumps = np.linalg.matrix_power(away @ self.marked, whole("lag", lag, 1, _MOST_LAG))
        product = self.start @ away @ jumps @ away.sum(1)
        mean = 1 / self.rate
        return float((product - mean**2) / (self.scv * mean**2))

    def _between(self) -> PhaseType:
        return PhaseType(self.start, self.quiet, self.marked.sum(1))

    def _away(self) -> Floats:
        """Return the mean time in each phase (column) until the next arrival, from each phase."""
        return fundamental_matrix(self.quiet, self.marked.sum(1))
