"""The made-up benchmark: what small models answer, and what a large one would."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.forecasting.cod.difficulty_clusters import DifficultyClusters, cluster_items
from perfmodel.labs.forecasting.cod.inputs import (
    COMPUTE,
    OF_EACH,
    OTHER_SPREAD,
    SAMPLES,
    SORTS,
    SPREAD,
    TARGET,
)
from perfmodel.validation import Floats, positive, whole


@dataclass(frozen=True, eq=False)
class Benchmark:
    """Items with their true curves, and the pass rates that small models showed."""

    seed: int
    amounts: Floats
    """a of each item, shape (600,)."""
    rates: Floats
    """Measured pass rates, shape (600, 8)."""

    def true_rates(self, compute: ArrayLike) -> Floats:
        """Return chances to pass each item, shape (600, n), by compute in the smallest model's."""
        return _chances(self.amounts, compute)

    @property
    def truth(self) -> Floats:
        """Chances of the large model, shape (600,)."""
        return self.true_rates([TARGET])[:, 0]

    def stranger(self, compute: float) -> Floats:
        """Return measured pass rates of another recipe's model, shape (600,)."""
        rng = np.random.default_rng([self.seed, 1])
        amounts = _of_each("a") * np.exp(rng.normal(0, OTHER_SPREAD, len(self.amounts)))
        probabilities = _chances(amounts, [float(positive("compute", compute))])[:, 0]
        return rng.binomial(SAMPLES, probabilities) / SAMPLES


@cache
def draw_benchmark(seed: int, samples: int = SAMPLES) -> Benchmark:
    """Return a benchmark with items drawn anew and pass rates measured by so many answers.

    >>> draw_benchmark(0).rates.shape
    (600, 8)
    """
    rng = np.random.default_rng(whole("seed", seed))
    answers = whole("samples", samples, 1)
    amounts = _of_each("a") * np.exp(rng.normal(0, SPREAD, OF_EACH * len(SORTS)))
    rates = rng.binomial(answers, _chances(amounts, COMPUTE)) / answers
    return Benchmark(seed, amounts, rates)


@cache
def clusters_of(seed: int, samples: int = SAMPLES) -> DifficultyClusters:
    """Return the clusters of a benchmark's items."""
    return cluster_items(draw_benchmark(seed, samples).rates, COMPUTE)


def _of_each(name: str) -> Floats:
    return np.repeat([float(getattr(sort, name)) for sort in SORTS], OF_EACH)


def _chances(amounts: Floats, compute: ArrayLike) -> Floats:
    falling = np.asarray(compute, dtype=float) ** -_of_each("b")[:, None]
    return np.asarray(np.exp(-amounts[:, None] * falling - _of_each("c")[:, None]))
