"""The reader's tasks: efficient@1 from counts, and the number of runs that scatter requires."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

_COSTS = np.array([900.0, 1000.0, 1200.0, 700.0, 1100.0, 600.0])
_PASSED = np.array([True, True, True, False, True, False])

beats_best = Task(
    "The fraction of samples that are correct and beat the best known solution",
    reference=lambda costs, correct, best: np.mean(correct & (costs < best)),
    cases=[(_COSTS, _PASSED, 1000.0), (_COSTS[:4], _PASSED[:4], 1200.0)],
    mistakes=mistakes(
        lambda costs, correct, best: np.mean(costs < best),
        "wrong samples too: You counted samples that fail their tests. A program that returns at "
        "once would beat all others.",
        lambda costs, correct, best: np.mean(correct & (costs <= best)),
        "equal counts: You counted a sample that only equals the best. COFFE requires strictly "
        "less.",
        lambda costs, correct, best: np.mean(costs[correct] < best),
        "of the correct: You divided by the number of correct samples. Divide by all samples; a "
        "wrong sample counts as 0.",
        lambda costs, correct, best: np.mean(correct & (costs > best)),
        "slower than the best: You counted the samples that cost more. Efficient samples cost "
        "less than `best`.",
    ),
    hint="Each sample has two conditions. `&` joins arrays of truth values, each in brackets. The "
    "mean of truth values is a fraction.",
    right="With k = 1 this is the efficient@1 of a problem.",
)

repeats = Task(
    "Runs until the 95 % interval of a mean is narrow enough",
    reference=lambda spread, half_width: np.ceil((1.96 * spread / half_width) ** 2),
    cases=[(0.0565, 0.01), (0.0237, 0.005)],
    mistakes=mistakes(
        lambda spread, half_width: np.ceil(1.96 * spread / half_width),
        "not squared: The interval narrows with the square root of the number of runs. Square the "
        "ratio.",
        lambda spread, half_width: np.ceil((spread / half_width) ** 2),
        "one standard error: You used one standard error to either side, which gives 68 %. A 95 % "
        "interval needs 1.96 standard errors.",
        lambda spread, half_width: np.ceil((2 * spread / half_width) ** 2),
        "two standard errors: An interval of 95 % reaches 1.96 standard errors to either side, not "
        "2.",
        lambda spread, half_width: np.ceil((half_width / (1.96 * spread)) ** 2),
        "upside down: The ratio is upside down. More scatter must require more runs.",
        lambda spread, half_width: np.ceil((2 * 1.96 * spread / half_width) ** 2),
        "whole width: You used the whole width. `half_width` is already half of the interval.",
        lambda spread, half_width: (1.96 * spread / half_width) ** 2,
        "not rounded up: The number of runs is a whole number. Round up.",
    ),
    hint="Equation (2), rounded up by `np.ceil`.",
    right="For 5.65 % and 1 % this gives 123 runs of every program. Ten runs give a half-width of "
    "3.5 %.",
    unit="runs",
)
