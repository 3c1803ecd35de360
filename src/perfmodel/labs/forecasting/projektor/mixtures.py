"""Mixtures of three sources of digits: what a classifier learns from them, and how far they are.

The classifier is scikit-learn's logistic regression on its 1,797 pictures of digits. Its accuracy
and the transport distance are of the same drawn examples.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import threadpoolctl
from numpy.typing import NDArray

from perfmodel.labs.forecasting.projektor.optimal_transport import labelled_cost, transport_cost
from perfmodel.validation import Floats, whole

SOURCES = ((0, 1, 2, 3), (3, 4, 5, 6), (6, 7, 8, 9))
"""Digits that each source holds, in scikit-learn's pictures; none holds all."""
PILOTS = (60, 90)
"""Examples of a pilot run, small and large."""
TARGET = 300
"""Examples of the run that is forecast."""
EVALUATION = 400
"""Pictures that accuracy is the share of; no run learns from them."""
VALIDATION = 200
"""The first of those: the sample to which a mixture's distance is computed."""
LABEL_COST = 5.0
"""Of taking an example for one of another digit, in squared distances of pixels from 0 to 1."""
PILOTED = 0.45
"""Pilots are run of mixtures with less than this share of the second source."""


@dataclass(frozen=True, eq=False)
class MixtureRuns:
    """What came out of each mixture, size and draw."""

    fractions: Floats
    """Of the three sources, shape (mixtures, 3)."""
    accuracy: dict[int, Floats]
    """By size in examples: shares of the evaluation pictures, shape (mixtures, draws)."""
    distance: dict[int, Floats]
    """By size of the pilots: transport cost to the validation sample, shape (mixtures, draws)."""

    @property
    def piloted(self) -> NDArray[np.bool_]:
        """Which mixtures pilots are run of; the others are to be forecast."""
        return np.asarray(self.fractions[:, 1] < PILOTED)


@dataclass(frozen=True, eq=False)
class DigitSources:
    """Pictures in a random order: evaluation ones first, the rest in three sources."""

    pixels: Floats
    """From 0 to 1, shape (n, 64)."""
    digits: NDArray[np.int64]

    @property
    def pools(self) -> list[NDArray[np.int64]]:
        """The pictures that each source holds, by their places; sources overlap."""
        rest = np.arange(EVALUATION, self.digits.size)
        return [rest[np.isin(self.digits[rest], held)] for held in SOURCES]

    def drawn(self, counts: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the places of this many pictures of each source, drawn with replacement."""
        parts = [rng.choice(pool, count) for pool, count in zip(self.pools, counts, strict=True)]
        return np.concatenate(parts)

    def accuracy(self, chosen: NDArray[np.int64]) -> float:
        """Return the share of evaluation pictures named rightly after learning from some."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(max_iter=200)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(self.pixels[chosen], self.digits[chosen])
        return float(model.score(self.pixels[:EVALUATION], self.digits[:EVALUATION]))

    def distance(self, chosen: NDArray[np.int64]) -> float:
        """Return the transport cost from some pictures to the validation sample."""
        cost = labelled_cost(
            self.pixels[chosen],
            self.digits[chosen],
            self.pixels[:VALIDATION],
            self.digits[:VALIDATION],
            LABEL_COST,
        )
        return transport_cost(cost)


def shuffled_digits(seed: int) -> DigitSources:
    """Return the pictures in an order of their own."""
    from sklearn.datasets import load_digits

    pixels, digits = load_digits(return_X_y=True)
    order = np.random.default_rng(whole("seed", seed)).permutation(digits.size)
    return DigitSources(pixels[order] / 16, digits[order])


def mixture_grid(parts: int) -> Floats:
    """Return all mixtures of three sources in whole parts, shape (mixtures, 3).

    >>> mixture_grid(1)
    array([[0., 0., 1.],
           [0., 1., 0.],
           [1., 0., 0.]])
    """
    count = whole("parts", parts, 1)
    steps = range(count + 1)
    result = [(i, j, count - i - j) for i, j in product(steps, steps) if i + j <= count]
    return np.array(result) / count


def counted(fractions: Floats, size: int) -> NDArray[np.int64]:
    """Return how many examples of each source make up a size; the largest source takes the rest.

    >>> counted(np.array([0.25, 0.25, 0.5]), 90)
    array([22, 22, 46])
    """
    counts = np.round(fractions * size).astype(np.int64)
    counts[int(np.argmax(fractions))] += size - counts.sum()
    return counts


def measure(
    seed: int = 0, parts: int = 10, draws: int = 2, sizes: Sequence[int] = (*PILOTS, TARGET)
) -> MixtureRuns:
    """Run every mixture of a grid in steps of 1/`parts`, with `draws` samples a size.

    Sizes are in examples; distances are of all sizes but the target.

    >>> runs = measure(parts=1, draws=1)
    >>> bool(runs.accuracy[300].max() < 0.5)  # no source alone has all digits
    True
    """
    data, fractions = shuffled_digits(seed), mixture_grid(parts)
    rng, repeats = np.random.default_rng([seed, 1]), whole("draws", draws, 1)
    accuracy, distance = {}, {}
    with threadpoolctl.threadpool_limits(1):  # a pool of threads costs more than it brings
        for size in (whole("sizes", size, 20) for size in sizes):
            chosen = [
                [data.drawn(counted(mixture, size), rng) for _ in range(repeats)]
                for mixture in fractions
            ]
            accuracy[size] = np.array([[data.accuracy(item) for item in row] for row in chosen])
            if size != TARGET:
                distance[size] = np.array([[data.distance(item) for item in row] for row in chosen])
    return MixtureRuns(fractions, accuracy, distance)
