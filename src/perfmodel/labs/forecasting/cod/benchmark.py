"""The made-up benchmark: what small models answer, and what a large one would."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.forecasting.cod.difficulty_clusters import DifficultyClusters, cluster_items
from perfmodel.validation import Floats, positive, whole


class ItemSort(NamedTuple):
    """Items whose loss is a C^-b + c, with C in the smallest model's compute."""

    a: float
    b: float
    c: float


SORTS = (
    ItemSort(3, 0.55, 0.05),
    ItemSort(6, 0.45, 0.05),
    ItemSort(12, 0.40, 0.10),
    ItemSort(25, 0.35, 0.15),
    ItemSort(200, 0.45, 0.20),
    ItemSort(60, 0.10, 0.30),
)
"""From easy to hard; chosen by us, without a look at any real benchmark."""
OF_EACH = 100
"""Items of each sort."""
LOG_DEVIATION = 0.1
"""Standard deviation of log a among the items of a sort."""
SAMPLES = 100
"""Answers of a model to an item, by which its pass rate is measured; as in the paper."""
UNIT = 1e20
"""Compute of the smallest model, FLOP."""
COMPUTE = np.geomspace(1, 260, 8)
"""Of the eight small models, in `UNIT`; as many as in the paper, which has 122 million to 7 billion
parameters."""
TARGET = 6_800.0
"""Compute of the large model, in `UNIT`: 26 times that of the largest small one."""
RECIPE_DEVIATION = 0.3
"""Standard deviation of log a between recipes: how far another maker's model differs."""
SEEDS = 12

PRINTED = (
    ("loss first, then accuracy", "5.29", "9.39"),
    ("one curve in compute", "3.10", "6.00"),
    ("pass rate in compute", "5.02", "8.80"),
    ("broken law", "5.17", "13.05"),
    ("clusters, no map", "2.24", "5.26"),
    ("clusters and map", "1.55", "2.68"),
)
"""Mean and largest absolute error over eight benchmarks, in points; the paper's main table."""


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
        return _probabilities(self.amounts, compute)

    @property
    def truth(self) -> Floats:
        """Chances of the large model, shape (600,)."""
        return self.true_rates([TARGET])[:, 0]

    def stranger(self, compute: float) -> Floats:
        """Return measured pass rates of another recipe's model, shape (600,)."""
        rng = np.random.default_rng([self.seed, 1])
        amounts = _of_each("a") * np.exp(rng.normal(0, RECIPE_DEVIATION, len(self.amounts)))
        probabilities = _probabilities(amounts, [float(positive("compute", compute))])[:, 0]
        return rng.binomial(SAMPLES, probabilities) / SAMPLES


@cache
def draw_benchmark(seed: int, samples: int = SAMPLES) -> Benchmark:
    """Return a benchmark with new items and pass rates measured by this many answers.

    >>> draw_benchmark(0).rates.shape
    (600, 8)
    """
    rng = np.random.default_rng(whole("seed", seed))
    answers = whole("samples", samples, 1)
    amounts = _of_each("a") * np.exp(rng.normal(0, LOG_DEVIATION, OF_EACH * len(SORTS)))
    rates = rng.binomial(answers, _probabilities(amounts, COMPUTE)) / answers
    return Benchmark(seed, amounts, rates)


@cache
def clusters_of(seed: int, samples: int = SAMPLES) -> DifficultyClusters:
    """Return the clusters of a benchmark's items."""
    return cluster_items(draw_benchmark(seed, samples).rates, COMPUTE)


def _of_each(name: str) -> Floats:
    return np.repeat([float(getattr(sort, name)) for sort in SORTS], OF_EACH)


def _probabilities(amounts: Floats, compute: ArrayLike) -> Floats:
    falling = np.asarray(compute, dtype=float) ** -_of_each("b")[:, None]
    return np.asarray(np.exp(-amounts[:, None] * falling - _of_each("c")[:, None]))
