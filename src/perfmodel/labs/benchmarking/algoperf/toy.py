"""A toy AlgoPerf: four optimisers on six small problems, from setting targets to steps needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from perfmodel.labs.benchmarking.algoperf.optimisers import OPTIMISERS, Optimiser, train
from perfmodel.labs.benchmarking.algoperf.problems import Problem, small_problems
from perfmodel.validation import Floats, whole

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
    """Return after how many steps each trial is first seen at the target, or infinity.

    `losses` has the shape (looks, trials), as `train` returns them every `every` steps.

    >>> print(steps_to_target(np.array([[3.0, 3.0], [1.0, 2.0], [2.0, 2.0]]), 1.5))
    [10. inf]
    """
    reached = losses <= target
    first = whole("every", every, 1) * (reached.argmax(axis=0) + 1.0)
    return np.where(reached.any(axis=0), first, np.inf)


def toy_competition(studies: int = STUDIES, seed: int = 0, data_seed: int = 0) -> ToyResult:
    """Hold the competition: every optimiser tunes itself in some studies of five trials.

    The rules say 3 studies; `data_seed` is that of the problems' data and of the targets.

    >>> toy_competition(studies=1).steps().shape
    (4, 6)
    """
    problems = small_problems(data_seed)
    targets = [set_target(problem, seed=data_seed) for problem in problems]
    shape = whole("studies", studies, 1), TRIALS
    streams = iter(np.random.default_rng(whole("seed", seed)).spawn(len(problems)))
    found = np.empty((len(OPTIMISERS), len(problems), *shape))
    for column, (problem, target) in enumerate(zip(problems, targets, strict=True)):
        rng = next(streams)
        for row, rule in enumerate(OPTIMISERS.values()):
            rates, start = rule.draw(shape[0] * TRIALS, rng), problem.start(shape[0] * TRIALS, rng)
            losses = train(problem, rule, rates, start, rng, MOST_STEPS, EVERY)
            found[row, column] = steps_to_target(losses, target).reshape(shape)
    return ToyResult(tuple(OPTIMISERS), problems, np.array(targets), found)
