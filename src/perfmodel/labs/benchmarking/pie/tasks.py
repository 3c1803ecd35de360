"""The reader's tasks: the paper's score, the noise of one timing, and the number of repeats."""

from __future__ import annotations

import numpy as np
from scipy import stats

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

_OLD = np.array([4.0, 2.0, 1.0, 3.0])
_NEW = np.array([1.0, 2.5, 0.2, 2.9])
_RIGHT = np.array([True, True, False, True])

speedup_score = Task(
    "The paper's SPEEDUP",
    reference=lambda old, new, correct: np.mean(np.where(correct, np.maximum(old / new, 1), 1)),
    cases=[
        (_OLD, _NEW, _RIGHT),
        (np.array([1.0, 1.0]), np.array([2.0, 0.25]), np.array([True, True])),
        (np.array([5.0, 6.0, 8.0]), np.array([1.0, 9.0, 4.0]), np.array([False, False, True])),
    ],
    mistakes=mistakes(
        lambda old, new, correct: np.mean(old / new),
        "ratios as they are: Two rules are missing. A wrong program counts as 1, and so does a "
        "slower program.",
        lambda old, new, correct: np.mean(np.maximum(old / new, 1)),
        "wrong programs count: You counted wrong programs with their ratio. A wrong program counts "
        "as 1, because the old program stays.",
        lambda old, new, correct: np.mean(np.where(correct, old / new, 1)),
        "slowdowns count: You counted slower programs with their ratio. A slower edit is dropped "
        "and the old program stays, so the ratio counts as 1.",
        lambda old, new, correct: np.mean(np.maximum(old / new, 1)[correct]),
        "only the correct: You left the wrong programs out of the mean. They count as 1, and the "
        "mean is over all programs.",
        lambda old, new, correct: np.mean(np.where(correct, np.maximum(new / old, 1), 1)),
        "new over old: A speedup is old time over new time.",
        lambda old, new, correct: (
            np.sum(old) / np.sum(np.where(correct, np.minimum(old, new), old))
        ),
        "ratio of sums: You computed the speedup of running all programs once. The paper takes "
        "the mean of ratios, in which short programs count as much as long programs.",
    ),
    hint="`np.maximum(old / new, 1)` where `correct`, 1 elsewhere. `np.where` does both.",
    right="This score is never below 1, whatever the edit does. It can't punish.",
)

noise_of_one = Task(
    "The noise of one timing",
    reference=lambda ratios: np.std(np.log(ratios), ddof=1) / np.sqrt(2),
    cases=[
        (np.array([0.8, 1.0, 1.1, 1.4, 0.9]),),
        (np.array([0.5, 2.0, 1.0]),),
    ],
    mistakes=mistakes(
        lambda ratios: np.std(np.log(ratios), ddof=1),
        "both timings: You computed the noise of the ratio, which contains the variance of both "
        "timings. The question asks for one timing.",
        lambda ratios: np.std(np.log(ratios), ddof=1) / 2,
        "halved: Variances add up, standard deviations don't. The ratio has twice the variance of "
        "one timing.",
        lambda ratios: np.std(ratios, ddof=1) / np.sqrt(2),
        "of the ratios: Take logarithms first. Sigma is the standard deviation of the logarithm.",
        lambda ratios: np.std(ratios, ddof=1),
        "of the ratios, both timings: Take logarithms first, and remember that both timings add "
        "their variance.",
        lambda ratios: np.std(np.log(ratios)) / np.sqrt(2),
        "divided by n: For a sample, divide by n - 1, with `ddof=1`.",
        lambda ratios: np.var(np.log(ratios), ddof=1) / 2,
        "variance: You computed sigma squared. Take the square root.",
    ),
    hint="`np.std(np.log(ratios), ddof=1)` is the noise of the ratio. Two timings made it.",
    right="Identical programs measure the clock. Do this once on each machine, before any claim.",
    tolerance=1e-4,
)

repeats_enough = Task(
    "Repeats that are enough",
    reference=lambda noise, threshold, chance: np.ceil(
        2 * (stats.norm.isf(chance) * noise / np.log(threshold)) ** 2
    ),
    cases=[(0.10, 1.1, 0.01), (0.25, 1.1, 0.01), (0.05, 1.02, 0.001)],
    mistakes=mistakes(
        lambda noise, threshold, chance: np.ceil(
            (stats.norm.isf(chance) * noise / np.log(threshold)) ** 2
        ),
        "one noisy timing: You counted one noisy timing. Both are noisy, so the variance of the "
        "ratio is 2 sigma squared over m.",
        lambda noise, threshold, chance: np.ceil(
            2 * (stats.norm.isf(chance / 2) * noise / np.log(threshold)) ** 2
        ),
        "two-sided: Only ratios above the threshold pass. This is one side, so use the whole "
        "probability for it.",
        lambda noise, threshold, chance: np.ceil(
            2 * (stats.norm.isf(chance) * noise / (threshold - 1)) ** 2
        ),
        "without a logarithm: The noise is on the logarithm, so the threshold is "
        "`np.log(threshold)`.",
        lambda noise, threshold, chance: np.floor(
            2 * (stats.norm.isf(chance) * noise / np.log(threshold)) ** 2
        ),
        "rounded down: You rounded down, which is one run too few. Round up.",
        lambda noise, threshold, chance: (
            2 * (stats.norm.isf(chance) * noise / np.log(threshold)) ** 2
        ),
        "not whole: The number of runs is a whole number. Round up.",
    ),
    hint="Solve (3) for m: ln(threshold) = z sigma sqrt(2/m), with z = `stats.norm.isf(chance)`.",
    right="At 10 % noise a gain of 10 % needs twelve runs of each program. Half the gain needs "
    "about four times the runs.",
    unit="runs",
)
