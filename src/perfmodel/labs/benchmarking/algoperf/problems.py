"""Six small problems to train on, with the gradients of many trials at once.

Parameters have the shape (trials, dimensions): a problem returns the loss that is to be brought
down, of shape (trials,), and a noisy gradient of it: with noise added, or of a few examples drawn
anew in each step, the same for all trials. All data are drawn from the seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perfmodel.validation import Floats, whole

_ROWS = 120
"""Examples to train on, and as many to validate on."""
_BATCH = 20
"""Examples of which a step takes the gradient."""
_NOISE = 0.1
"""Standard deviation of what is added to each element of a gradient without examples."""


@dataclass(frozen=True)
class Problem:
    """A loss to bring down, by its gradient."""

    name: str
    dimensions: int
    spread: float
    """Standard deviation of a starting point."""
    loss: Callable[[Floats], Floats]
    """Validation loss: from (trials, dimensions) to (trials,)."""
    gradient: Callable[[Floats, np.random.Generator], Floats]
    """A noisy gradient of the training loss, of the shape of its first argument."""

    def start(self, trials: int, rng: np.random.Generator) -> Floats:
        """Return random starting points of shape (trials, dimensions)."""
        return rng.normal(0, self.spread, (whole("trials", trials, 1), self.dimensions))


def small_problems(seed: int = 0) -> tuple[Problem, ...]:
    """Return the six problems with data of one seed.

    >>> [problem.name for problem in small_problems()]
    ['quadratic', 'valley', 'logistic', 'rare words', 'factors', 'network']
    """
    streams = np.random.default_rng(whole("seed", seed)).spawn(4)
    return (
        quadratic(),
        valley(),
        logistic(streams[0]),
        rare_words(streams[1]),
        factors(streams[2]),
        network(streams[3]),
    )


def quadratic(dimensions: int = 20, condition: float = 100.0) -> Problem:
    """Return a bowl that is steeper one way than another, by the condition number."""
    steepness = np.geomspace(1, 1 / condition, dimensions)
    return Problem(
        "quadratic",
        dimensions,
        1.0,
        lambda x: 0.5 * (x**2) @ steepness,
        lambda x, rng: x * steepness + _noise(x, rng),
    )


def valley(dimensions: int = 6) -> Problem:
    """Return Rosenbrock's bent valley, which is steep across and nearly flat along."""

    def loss(x: Floats) -> Floats:
        steps = (x[:, 1:] - x[:, :-1] ** 2) ** 2
        return np.asarray((5 * steps + (1 - x[:, :-1]) ** 2).sum(axis=1))

    def gradient(x: Floats, rng: np.random.Generator) -> Floats:
        off, slope = x[:, 1:] - x[:, :-1] ** 2, _noise(x, rng)
        slope[:, :-1] -= 20 * x[:, :-1] * off + 2 * (1 - x[:, :-1])
        slope[:, 1:] += 10 * off
        return slope

    return Problem("valley", dimensions, 0.5, loss, gradient)


def logistic(rng: np.random.Generator, dimensions: int = 20) -> Problem:
    """Return a logistic regression whose features have scales from 0.1 to 3."""
    scales = np.geomspace(0.1, 3, dimensions)
    features = rng.normal(0, scales, (2 * _ROWS, dimensions))
    truth = rng.normal(0, 1 / scales)
    labels = np.sign(features @ truth / np.sqrt(dimensions) + rng.normal(0, 0.5, 2 * _ROWS))
    return _classifier("logistic", features, labels)


def rare_words(rng: np.random.Generator, dimensions: int = 40) -> Problem:
    """Return a logistic regression on words, of which the k-th occurs in 1/k of the texts."""
    chance = 1 / np.arange(1.0, dimensions + 1)
    features = (rng.random((2 * _ROWS, dimensions)) < chance).astype(float)
    labels = np.sign(features @ rng.normal(0, 2, dimensions) + rng.normal(0, 0.5, 2 * _ROWS))
    return _classifier("rare words", features, labels)


def factors(rng: np.random.Generator, rows: int = 12, columns: int = 10, rank: int = 2) -> Problem:
    """Return a table to be written as a product of two thin ones."""
    table = rng.normal(size=(rows, rank)) @ rng.normal(size=(rank, columns))

    def split(x: Floats) -> tuple[Floats, Floats, Floats]:
        left = x[:, : rows * rank].reshape(-1, rows, rank)
        right = x[:, rows * rank :].reshape(-1, rank, columns)
        return left, right, left @ right - table

    def loss(x: Floats) -> Floats:
        return np.asarray((split(x)[2] ** 2).mean(axis=(1, 2)))

    def gradient(x: Floats, rng: np.random.Generator) -> Floats:
        left, right, off = split(x)
        slopes = (off @ right.swapaxes(1, 2), left.swapaxes(1, 2) @ off)
        slope = np.concatenate([s.reshape(len(x), -1) for s in slopes], axis=1)
        return slope * 2 / table.size + 0.1 * _noise(x, rng)

    return Problem("factors", (rows + columns) * rank, 0.3, loss, gradient)


def network(rng: np.random.Generator, inputs: int = 4, hidden: int = 8) -> Problem:
    """Return a network of one hidden layer that is to do what another such network does."""
    features = rng.normal(size=(2 * _ROWS, inputs))
    weights, ends = rng.normal(size=(inputs, hidden)), rng.normal(size=hidden)
    wanted = np.tanh(features @ weights) @ ends

    def forward(x: Floats, rows: slice | NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
        first, last = x[:, : inputs * hidden].reshape(-1, inputs, hidden), x[:, -hidden:]
        active = np.tanh(features[rows] @ first)
        return last, active, (active @ last[:, :, None])[..., 0] - wanted[rows]

    def loss(x: Floats) -> Floats:
        return np.asarray((forward(x, slice(_ROWS, None))[2] ** 2).mean(axis=1))

    def gradient(x: Floats, rng: np.random.Generator) -> Floats:
        rows = rng.integers(_ROWS, size=_BATCH)
        last, active, off = forward(x, rows)
        back = off[:, :, None] * last[:, None, :] * (1 - active**2)
        slopes = (features[rows].T @ back, (off[:, None, :] @ active)[:, 0])
        return np.concatenate([s.reshape(len(x), -1) for s in slopes], axis=1) * 2 / _BATCH

    return Problem("network", (inputs + 1) * hidden, 0.5, loss, gradient)


def _classifier(name: str, features: Floats, labels: Floats) -> Problem:
    """Return a logistic regression: half of the examples to train, half to validate."""
    signed = features * labels[:, None]

    def gradient(x: Floats, rng: np.random.Generator) -> Floats:
        rows = signed[rng.integers(_ROWS, size=_BATCH)]
        return -0.5 * (1 - np.tanh(0.5 * x @ rows.T)) @ rows / _BATCH

    return Problem(
        name,
        features.shape[1],
        0.5,
        lambda x: np.logaddexp(0, -x @ signed[_ROWS:].T).mean(axis=1),
        gradient,
    )


def _noise(x: Floats, rng: np.random.Generator) -> Floats:
    return np.tile(rng.normal(0, _NOISE, x.shape[1]), (len(x), 1))
