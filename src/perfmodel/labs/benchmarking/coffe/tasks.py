"""What the reader does: efficient@1 from counts, and the repeats that a spread asks for."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

_COSTS = np.array([900.0, 1000.0, 1200.0, 700.0, 1100.0, 600.0])
_PASSED = np.array([True, True, True, False, True, False])

beats_best = Task(
    "The share of samples that are correct and beat the best solution known",
    reference=lambda costs, correct, best: np.mean(correct & (costs < best)),
    cases=[(_COSTS, _PASSED, 1000.0), (_COSTS[:4], _PASSED[:4], 1200.0)],
    mistakes=mistakes(
        lambda costs, correct, best: np.mean(costs < best),
        "wrong samples too: A sample that fails its tests counts as well: a program that returns "
        "at once would beat them all.",
        lambda costs, correct, best: np.mean(correct & (costs <= best)),
        "equal counts: You count a sample that only equals the best one. COFFE asks for strictly "
        "less.",
        lambda costs, correct, best: np.mean(costs[correct] < best),
        "of the correct: You divided by the correct samples. All samples are asked, the wrong ones "
        "with 0.",
        lambda costs, correct, best: np.mean(correct & (costs > best)),
        "slower than the best: Those are the samples that cost more. Efficient ones cost less than "
        "`best`.",
    ),
    hint="Each sample has two conditions; `&` joins arrays of truth values, each in brackets. The "
    "mean of truth values is a share.",
    right="Two conditions, and the second is strict: with k = 1 this is efficient@1 of a problem.",
)

repeats = Task(
    "Runs until a mean is known to a share of itself, 95 times in 100",
    reference=lambda spread, half_width: np.ceil((1.96 * spread / half_width) ** 2),
    cases=[(0.0565, 0.01), (0.0237, 0.005)],
    mistakes=mistakes(
        lambda spread, half_width: np.ceil(1.96 * spread / half_width),
        "not squared: The interval narrows with the root of the runs, so their number is a square.",
        lambda spread, half_width: np.ceil((spread / half_width) ** 2),
        "one standard error: That is for one standard error to either side, about 68 times in 100. "
        "95 times take 1.96 of them.",
        lambda spread, half_width: np.ceil((2 * spread / half_width) ** 2),
        "two standard errors: An interval of 95 % reaches 1.96 standard errors to either side, not "
        "2.",
        lambda spread, half_width: np.ceil((half_width / (1.96 * spread)) ** 2),
        "upside down: The ratio is upside down: a wider spread must ask for more runs.",
        lambda spread, half_width: np.ceil((2 * 1.96 * spread / half_width) ** 2),
        "whole width: You doubled the spread: `half_width` is already the half to one side.",
        lambda spread, half_width: (1.96 * spread / half_width) ** 2,
        "not rounded up: That is a number of runs, and there are no halves of them: round up.",
    ),
    hint="Equation (3), rounded up by `np.ceil`.",
    right="At 5.65 % and 1 % that is 123 runs of every program. Ten leave a half-width of 3.5 %.",
    unit="runs",
)
