"""A toy AlgoPerf: four optimisers on six small problems, from setting targets to steps needed.

Parameters have the shape (trials, dimensions): a problem returns the loss that is to be brought
down, of shape (trials,), and a noisy gradient of it: with noise added, or of a few examples drawn
again in each step, the same for all trials. All data are drawn from the seed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.measurement.runs import timed
from perfmodel.validation import Floats, finite, positive, whole

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
    deviation: float
    """Standard deviation of a starting point."""
    loss: Callable[[Floats], Floats]
    """Validation loss: from (trials, dimensions) to (trials,)."""
    gradient: Callable[[Floats, np.random.Generator], Floats]
    """A noisy gradient of the training loss, of the shape of its first argument."""

    def start(self, trials: int, rng: np.random.Generator) -> Floats:
        """Return random starting points of shape (trials, dimensions)."""
        return rng.normal(0, self.deviation, (whole("trials", trials, 1), self.dimensions))


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
    probability = 1 / np.arange(1.0, dimensions + 1)
    features = (rng.random((2 * _ROWS, dimensions)) < probability).astype(float)
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
    for moment, decay, value in zip(state, (0.9, 0.999), (slope, slope**2), strict=True):
        moment += (1 - decay) * (value - moment)
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

    >>> bowl, rule = quadratic(2, 1.0), OPTIMISERS["gradient descent"]
    >>> losses = train(bowl, rule, [0.1, 1.0], np.ones((2, 2)), np.random.default_rng(0), 10)
    >>> print(losses.round(2))
    [[0.35 0.01]
     [0.13 0.01]]
    """
    rate = positive("rates", rates)[:, None]
    position = finite("start", start).copy()
    states = [np.zeros_like(position) for _ in range(optimiser.states)]
    look, losses = whole("every", every, 1), []
    with np.errstate(all="ignore"):
        for step in range(1, whole("steps", steps, 1) + 1):
            position -= rate * optimiser.update(problem.gradient(position, rng), states, step)
            if step % look == 0:
                losses.append(problem.loss(position))
    history = np.reshape(losses, (-1, len(position)))
    return np.where(np.isfinite(history), history, np.inf)


TARGET_STEPS = 100
"""Steps in which the targets are set."""
MOST_STEPS = 400
"""Steps after which a trial ends."""
EVERY = 5
"""Steps between two looks at the validation loss."""
SETTINGS, RERUNS = 20, 20
"""Random learning rates of each optimiser, and starts for the best of all, that set a target."""
STUDIES, TRIALS = 3, 5
"""Studies of a submission to the external ruleset, and tuning trials in each."""


class ToyResult(NamedTuple):
    """Steps to target, and what they were measured against."""

    optimisers: tuple[str, ...]
    problems: tuple[Problem, ...]
    targets: Floats
    """Validation losses, shape (problems,)."""
    trials: Floats
    """Steps to target of each trial, shape (optimisers, problems, studies, trials a study)."""

    def steps(self) -> Floats:
        """Return the median over studies of the fastest trial's steps, (optimisers, problems)."""
        return np.asarray(np.median(self.trials.min(axis=-1), axis=-1))


def set_target(
    problem: Problem, optimisers: Mapping[str, Optimiser] = OPTIMISERS, seed: int = 0
) -> float:
    """Return a validation loss that the best of some known optimisers reaches in time.

    Of each optimiser random learning rates are tried; the best of all is run again from other
    starts, and the target is the median of the best losses of those runs.

    >>> 0 < set_target(small_problems()[0]) < 0.1
    True
    """
    rng = np.random.default_rng(whole("seed", seed))
    found = []
    for rule in optimisers.values():
        rates = rule.draw(SETTINGS, rng)
        losses = train(problem, rule, rates, problem.start(SETTINGS, rng), rng, TARGET_STEPS, EVERY)
        best = losses.min(axis=0)
        found.append((float(best.min()), float(rates[best.argmin()]), rule))
    _, rate, rule = min(found, key=lambda entry: entry[0])
    start = problem.start(RERUNS, rng)
    again = train(problem, rule, np.full(RERUNS, rate), start, rng, TARGET_STEPS, EVERY)
    return float(np.median(again.min(axis=0)))


def steps_to_target(losses: Floats, target: float, every: int = EVERY) -> Floats:
    """Return the steps at which each trial is first seen at the target (infinity: never).

    >>> print(steps_to_target(np.array([[3.0, 3.0], [1.0, 2.0], [2.0, 2.0]]), 1.5))
    [10. inf]
    """
    reached = losses <= target
    first = whole("every", every, 1) * (reached.argmax(axis=0) + 1.0)
    return np.where(reached.any(axis=0), first, np.inf)


def toy_competition(studies: int = STUDIES, seed: int = 0, data_seed: int = 0) -> ToyResult:
    """Hold the competition in some studies (the rules say 3) of five trials each.

    >>> toy_competition(studies=1).steps().shape
    (4, 6)
    """
    problems = small_problems(data_seed)
    targets = [set_target(problem, seed=data_seed) for problem in problems]
    shape = whole("studies", studies, 1), TRIALS
    streams = iter(np.random.default_rng(whole("seed", seed)).spawn(len(problems)))
    steps = np.empty((len(OPTIMISERS), len(problems), *shape))
    for column, (problem, target) in enumerate(zip(problems, targets, strict=True)):
        rng = next(streams)
        for row, rule in enumerate(OPTIMISERS.values()):
            rates, start = rule.draw(shape[0] * TRIALS, rng), problem.start(shape[0] * TRIALS, rng)
            losses = train(problem, rule, rates, start, rng, MOST_STEPS, EVERY)
            steps[row, column] = steps_to_target(losses, target).reshape(shape)
    return ToyResult(tuple(OPTIMISERS), problems, np.array(targets), steps)


LEARNING_RATE = 0.01
"""What a step costs doesn't depend on it."""


def measure_steps(problems: Sequence[Problem], rounds: int = 9, steps: int = 40) -> Floats:
    """Measure a step's seconds, (rounds, optimisers, problems), in turns: best of three runs each.

    >>> measure_steps(small_problems()[:2], rounds=1, steps=5).shape
    (1, 4, 2)
    """
    length = whole("steps", steps, 1)
    seconds = [
        [_seconds(problem, rule, length) for rule in OPTIMISERS.values() for problem in problems]
        for _ in range(whole("rounds", rounds, 1))
    ]
    return np.reshape(seconds, (-1, len(OPTIMISERS), len(problems))) / length


def _seconds(problem: Problem, rule: Optimiser, steps: int) -> float:
    rng = np.random.default_rng(0)
    start = problem.start(1, rng)

    def run() -> None:
        train(problem, rule, [LEARNING_RATE], start, rng, steps, every=steps)

    return float(timed(run, 3).min())
