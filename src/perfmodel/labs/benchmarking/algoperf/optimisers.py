"""Four optimisers, run on many trials at once, each trial with its own learning rate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.benchmarking.algoperf.problems import Problem
from perfmodel.validation import Floats, finite, positive, whole

Update = Callable[[Floats, list[Floats], int], Floats]
"""From the gradient, the state (changed in place) and the step's number to the direction."""


class Optimiser(NamedTuple):
    """A rule that turns gradients into steps, and the learning rates that it is tuned over."""

    update: Update
    states: int
    """Arrays of the parameters' shape that it keeps."""
    low: float
    high: float
    """Ends of the learning rates that are tried, evenly in their logarithm."""

    def draw(self, trials: int, rng: np.random.Generator) -> Floats:
        """Return random learning rates of shape (trials,)."""
        return np.exp(rng.uniform(np.log(self.low), np.log(self.high), whole("trials", trials, 1)))


def _gradient(slope: Floats, state: list[Floats], step: int) -> Floats:
    return slope


def _momentum(slope: Floats, state: list[Floats], step: int) -> Floats:
    state[0] *= 0.9
    state[0] += slope
    return state[0]


def _adagrad(slope: Floats, state: list[Floats], step: int) -> Floats:
    state[0] += slope**2
    return slope / (np.sqrt(state[0]) + 1e-8)


def _adam(slope: Floats, state: list[Floats], step: int) -> Floats:
    for kept, share, new in zip(state, (0.9, 0.999), (slope, slope**2), strict=True):
        kept += (1 - share) * (new - kept)
    mean, square = state[0] / (1 - 0.9**step), state[1] / (1 - 0.999**step)
    return mean / (np.sqrt(square) + 1e-8)


OPTIMISERS: Mapping[str, Optimiser] = {
    "gradient descent": Optimiser(_gradient, 0, 0.05, 5.0),
    "momentum": Optimiser(_momentum, 1, 0.005, 0.5),
    "Adagrad": Optimiser(_adagrad, 1, 0.05, 5.0),
    "Adam": Optimiser(_adam, 2, 0.005, 0.5),
}


def train(
    problem: Problem,
    optimiser: Optimiser,
    rates: ArrayLike,
    start: Floats,
    rng: np.random.Generator,
    steps: int,
    every: int = 5,
) -> Floats:
    """Train all trials side by side and return their validation losses.

    `start` has the shape (trials, dimensions), the result (steps // every, trials): infinite where
    a trial has run away. Looking at the loss, every `every` steps, costs no time.

    >>> from perfmodel.labs.benchmarking.algoperf.problems import quadratic
    >>> bowl, rule = quadratic(2, 1.0), OPTIMISERS["gradient descent"]
    >>> losses = train(bowl, rule, [0.1, 1.0], np.ones((2, 2)), np.random.default_rng(0), 10)
    >>> print(losses.round(2))
    [[0.35 0.01]
     [0.13 0.01]]
    """
    rate = positive("rates", rates)[:, None]
    place = finite("start", start).copy()
    states = [np.zeros_like(place) for _ in range(optimiser.states)]
    look, losses = whole("every", every, 1), []
    with np.errstate(all="ignore"):
        for step in range(1, whole("steps", steps, 1) + 1):
            place -= rate * optimiser.update(problem.gradient(place, rng), states, step)
            if step % look == 0:
                losses.append(problem.loss(place))
    found = np.reshape(losses, (-1, len(place)))
    return np.where(np.isfinite(found), found, np.inf)
