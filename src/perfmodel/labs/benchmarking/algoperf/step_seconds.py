"""What a step costs on the reader's machine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perfmodel.labs.benchmarking.algoperf.optimisers import OPTIMISERS, Optimiser, train
from perfmodel.labs.benchmarking.algoperf.problems import Problem
from perfmodel.measurement.runs import timed
from perfmodel.validation import Floats, whole

LEARNING_RATE = 0.01
"""What a step costs doesn't depend on it."""


def measure_steps(problems: Sequence[Problem], rounds: int = 9, steps: int = 40) -> Floats:
    """Measure the seconds of a step of one trial, of every optimiser on every problem, in turns.

    A round goes through all pairs, and keeps the shortest of three runs of each. The result has the
    shape (rounds, optimisers, problems).

    >>> from perfmodel.labs.benchmarking.algoperf.problems import small_problems
    >>> measure_steps(small_problems()[:2], rounds=1, steps=5).shape
    (1, 4, 2)
    """
    length = whole("steps", steps, 1)
    taken = [
        [_seconds(problem, rule, length) for rule in OPTIMISERS.values() for problem in problems]
        for _ in range(whole("rounds", rounds, 1))
    ]
    return np.reshape(taken, (-1, len(OPTIMISERS), len(problems))) / length


def _seconds(problem: Problem, rule: Optimiser, steps: int) -> float:
    rng = np.random.default_rng(0)
    start = problem.start(1, rng)

    def run() -> None:
        train(problem, rule, [LEARNING_RATE], start, rng, steps, every=steps)

    return float(timed(run, 3).min())
