"""Users that work in rounds, simulated: the system that the Universal Scalability Law describes.

In a round each of N users does one job. They work side by side, then pass one at a time through a
lock, then each tells every other what it changed, one message at a time; the next round starts
when all are done. With jobs of one length the throughput is the law itself, which makes this the
place to test a fit of it: the law's parameters are known, and `work_variation` adds the waiting for
the slowest user that the law has no term for.

Source: N. J. Gunther, "Guerrilla Capacity Planning", Springer, 2007, chapters 4-6, for the law;
the round is ours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, non_negative, positive, sample, whole


@dataclass(frozen=True)
class RoundCosts:
    """Mean times of a job in seconds, and how much they vary from job to job.

    >>> costs = RoundCosts(work=0.095, lock=0.005, tell=0.0001)
    >>> round(costs.rate_one, 3), round(costs.contention, 3), round(costs.coherency, 4)
    (10.0, 0.05, 0.001)
    """

    work: float
    """Time that overlaps with the other users' work, above 0."""
    lock: float = 0.0
    """Time in the lock, where one user is at a time, 0 or more."""
    tell: float = 0.0
    """Time to tell one other user what changed, 0 or more."""
    variation: float = 0.0
    """Standard deviation over mean of a time in the lock and of a message, 0 or more; gamma."""
    work_variation: float = 0.0
    """The same of the work. Above 0 a round waits for its slowest user."""

    def __post_init__(self) -> None:
        """Refuse times that cannot be."""
        positive("work", self.work)
        for name in ("lock", "tell", "variation", "work_variation"):
            non_negative(name, getattr(self, name))

    @property
    def rate_one(self) -> float:
        """The law's lambda in jobs per second: the throughput of one user alone."""
        return 1 / (self.work + self.lock)

    @property
    def contention(self) -> float:
        """The law's sigma."""
        return self.lock * self.rate_one

    @property
    def coherency(self) -> float:
        """The law's kappa."""
        return self.tell * self.rate_one


def simulate_rounds(load: ArrayLike, costs: RoundCosts, rounds: int = 100, seed: int = 0) -> Floats:
    """Return the throughput of users working in rounds, measured over some rounds at each load.

    A round of N users takes max(work) + sum of N locks + sum of N (N - 1) messages. It is in jobs
    per second, shape (k,), for numbers of users N; each has a stream of random numbers of its own,
    so that a repeated load is a repeated measurement.

    >>> costs = RoundCosts(work=0.095, lock=0.005, tell=0.0001)
    >>> print(simulate_rounds([1, 5, 40], costs, rounds=1).round(2))
    [10.   40.98 88.69]
    """
    users = [whole("load", n, 1) for n in sample("load", load)]
    count = whole("rounds", rounds, 1)
    streams = np.random.default_rng(whole("seed", seed)).spawn(len(users))
    return np.array(
        [_throughput(n, costs, count, rng) for n, rng in zip(users, streams, strict=True)]
    )


def _throughput(users: int, costs: RoundCosts, rounds: int, rng: np.random.Generator) -> float:
    work = _total(rng, costs.work, 1, costs.work_variation, (rounds, users)).max(axis=1)
    lock = _total(rng, costs.lock, users, costs.variation, (rounds,))
    tell = _total(rng, costs.tell, users * (users - 1), costs.variation, (rounds,))
    return float(users * rounds / np.sum(work + lock + tell))


def _total(
    rng: np.random.Generator, mean: float, count: int, variation: float, shape: tuple[int, ...]
) -> Floats:
    """Return sums of `count` independent gamma times, which are gamma times themselves."""
    if variation == 0 or mean == 0 or count == 0:
        return np.full(shape, mean * count, dtype=np.float64)
    return rng.gamma(count / variation**2, mean * variation**2, shape)
