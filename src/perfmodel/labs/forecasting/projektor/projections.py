"""Pilots of two sizes projected to the target: how far off, and which mixture they take.

The projection is a straight line in the logarithm of size (F. Kang, H. A. Just, A. K. Sahu, R. Jia,
"Performance scaling via optimal transport: enabling data selection from partially revealed
sources", NeurIPS 2023, arXiv:2307.02460). The growth of noise follows from its weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.forecasting.projektor.mixtures import PILOTS, TARGET, MixtureRuns
from perfmodel.labs.forecasting.projektor.regressors import forecasts
from perfmodel.validation import Floats, finite, one_of, positive, whole, within


class ProjectionWeights(NamedTuple):
    """What a value at each of two sizes counts in the projection; together they are 1."""

    small: Floats
    large: Floats


def projection_weights(small: ArrayLike, large: ArrayLike, target: ArrayLike) -> ProjectionWeights:
    """Return the weights of two pilots in the value projected to a target size, in examples.

    >>> weights = projection_weights(1_000, 1_500, 10_000)
    >>> print(weights.small.round(5), weights.large.round(5))
    -4.67887 5.67887
    """
    first, second = positive("small", small), positive("large", large)
    if not (first < second).all():
        raise ValueError(f"small must be below large, got {small!r} and {large!r}")
    steps = np.log(positive("target", target) / first) / np.log(second / first)
    return ProjectionWeights(np.asarray(1 - steps), np.asarray(steps))


def projected(
    at_small: ArrayLike, at_large: ArrayLike, small: ArrayLike, large: ArrayLike, target: ArrayLike
) -> Floats:
    """Return the value at a target size, on the line through two pilots in the log of size.

    Nothing keeps the result of a fraction below 1.

    >>> print(projected(0.40, 0.45, 1_000, 1_500, 10_000).round(5))
    0.68394
    """
    weights = projection_weights(small, large, target)
    return np.asarray(
        weights.small * finite("at_small", at_small) + weights.large * finite("at_large", at_large)
    )


def noise_amplification(
    small: ArrayLike, large: ArrayLike, target: ArrayLike, correlation: ArrayLike = 0.0
) -> Floats:
    """Return how many times a pilot's standard error the projection's is.

    Both pilots have the same standard error. An error that they share isn't amplified: with a
    correlation of 1 the result is 1.

    >>> print(noise_amplification(1_000, 1_500, 10_000).round(3))
    7.358
    """
    low, high = projection_weights(small, large, target)
    shared = within("correlation", correlation, -1, 1)
    return np.asarray(np.sqrt(np.maximum(low**2 + high**2 + 2 * shared * low * high, 0)))


class Projected(NamedTuple):
    """How projections of the mixtures of all three sources came out."""

    error: float
    """Mean absolute error of accuracy."""
    bias: float
    """Mean error: above 0 where too much was forecast."""
    scatter: float
    """Standard deviation of the errors around their mean."""
    noise: float
    """Standard deviation that the pilots' own scatter leads to."""
    last_value: float
    """Mean absolute error of carrying the larger pilot's value on."""
    above_one: float
    """Share of the mixtures that are forecast to be right more often than always."""


FORMS: dict[str, tuple[Callable[[Floats], Floats], Callable[[Floats], Floats]]] = {
    "accuracy": (lambda a: a, lambda a: a),
    "log of the error": (lambda a: np.log(1 - a), lambda a: 1 - np.exp(a)),
}
"""What is taken to be straight in the logarithm of the size, and its inverse."""


def projection_errors(
    runs: MixtureRuns,
    draws: int,
    pilots: tuple[int, int] = PILOTS,
    form: str = "accuracy",
) -> Projected:
    """Return how projections come out, each pilot being the mean of some draws.

    All disjoint groups of `draws` are used; the truth is the mean of all draws at the target size.
    """
    there, back = FORMS[one_of("form", form, FORMS)]
    inside = (runs.fractions > 0).all(axis=1)
    truth = runs.accuracy[TARGET][inside].mean(axis=1)[:, None]
    small, large = (_groups(runs.accuracy[size][inside], draws) for size in pilots)
    ends = back(projected(there(small), there(large), *pilots, TARGET))
    off = ends - truth
    own = np.mean([runs.accuracy[size][inside].var(axis=1, ddof=1).mean() for size in pilots])
    noise = float(np.sqrt(own / draws) * noise_amplification(*pilots, TARGET))
    last = float(np.abs(large - truth).mean())
    beyond = float((ends > 1).mean())
    return Projected(
        float(np.abs(off).mean()), float(off.mean()), float(off.std()), noise, last, beyond
    )


def _groups(values: Floats, size: int) -> Floats:
    """Return means of disjoint groups of draws, shape (mixtures, groups)."""
    count = values.shape[1] // whole("draws", size, 1)
    if not count:
        raise ValueError(f"draws must be {values.shape[1]} or fewer, got {size!r}")
    kept = values[:, : count * size]
    return np.asarray(kept.reshape(len(values), count, size).mean(axis=2))


PILOTS_NEEDED = {
    "highest large pilot": 1,
    "highest projection of both pilots": 2,
    "least distance, no pilot": 0,
    "distance fitted at both sizes, projected": 2,
    "nearest to equal shares": 0,
}
"""By rule: of how many sizes pilots are run."""
OF_ITS_OWN = ("highest large pilot", "highest projection of both pilots")
"""Rules that can take only a mixture of which pilots were run."""


def runs_paid(runs: MixtureRuns) -> dict[str, int]:
    """Return how many pilots are run for each rule, all draws of all piloted mixtures."""
    draws = runs.accuracy[PILOTS[1]].shape[1]
    return {rule: n * draws * int(runs.piloted.sum()) for rule, n in PILOTS_NEEDED.items()}


def chosen_mixtures(runs: MixtureRuns) -> dict[str, int]:
    """Return the place of the mixture that each rule takes, by the rule's name.

    Rules `OF_ITS_OWN` take one of the mixtures that pilots were run of, the others one of all.
    """
    small, large = (runs.accuracy[size].mean(axis=1) for size in PILOTS)
    low, high = (forecasts(runs, size, "distance alone") for size in PILOTS)
    scores = {
        "highest large pilot": large,
        "highest projection of both pilots": projected(small, large, *PILOTS, TARGET),
        "least distance, no pilot": -runs.distance[PILOTS[1]].mean(axis=1),
        "distance fitted at both sizes, projected": projected(low, high, *PILOTS, TARGET),
        "nearest to equal shares": -np.abs(runs.fractions - 1 / 3).sum(axis=1),
    }
    for rule in OF_ITS_OWN:
        scores[rule] = np.where(runs.piloted, scores[rule], -np.inf)
    return {name: int(np.argmax(score)) for name, score in scores.items()}


def regrets(runs: MixtureRuns) -> dict[str, float]:
    """Return how much accuracy at the target size each rule leaves, against the best mixture."""
    truth = runs.accuracy[TARGET].mean(axis=1)
    return {name: float(truth.max() - truth[k]) for name, k in chosen_mixtures(runs).items()}
