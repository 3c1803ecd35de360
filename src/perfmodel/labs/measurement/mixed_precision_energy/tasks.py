"""What the reader does: compare energies, find what few runs can show, and pair the runs."""

from __future__ import annotations

import math

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.labs.measurement.mixed_precision_energy.savings import synthetic_powers
from perfmodel.tasks import Task

energy_left = Task(
    "The energy that is left",
    reference=lambda static, work, seconds, faster, left: (
        (static * seconds / faster + left * work) / (static * seconds + work)
    ),
    cases=[(60.0, 40e3, 1000.0, 1.6, 0.7), (20.0, 80e3, 500.0, 2.0, 0.9)],
    mistakes=mistakes(
        lambda static, work, seconds, faster, left: (
            (static + left * work * faster / seconds) / (static + work / seconds)
        ),
        "watts: That is the ratio of the mean powers. Each has to be multiplied by its own time.",
        lambda static, work, seconds, faster, left: 1 / faster,
        "time alone: Only what is drawn for being on shrinks with the time. The work takes its "
        "joules, however fast it is done.",
        lambda static, work, seconds, faster, left: (
            (static * seconds + left * work) / faster / (static * seconds + work)
        ),
        "work by the clock: You divided the work's joules by the speed. In equation (1) they don't "
        "depend on the time.",
        lambda static, work, seconds, faster, left: (
            1 - (static * seconds / faster + left * work) / (static * seconds + work)
        ),
        "saved: That is the share saved. Asked for is the share left.",
    ),
    hint="Equation (1) twice, with T over `faster` and W times `left` the second time.",
    right="The mean powers that a meter shows aren't in it. Whoever reads only the meter has "
    "measured another thing.",
)

found_saving = Task(
    "The saving that a few runs can find",
    reference=lambda runs, spread: (1.96 + 0.84) * spread * math.sqrt(2 / runs),
    cases=[(5, 10.0), (21, 10.0), (80, 3.0)],
    mistakes=mistakes(
        lambda runs, spread: 16 * spread / runs,
        "no root: The effect stands in (3) as a square: take the root.",
        lambda runs, spread: 1.96 * spread * math.sqrt(2 / runs),
        "significance alone: Your factor is about 2.8, and (3) has 4. Either four in five is left "
        "out (a saving of 1.96 standard errors comes out significant in one experiment of two), or "
        "the 2 of two means, each of which scatters.",
        lambda runs, spread: (1.96 + 0.84) * spread * math.sqrt(runs / 2),
        "more runs, less sight: By your line, more runs find only larger savings.",
    ),
    hint="Solve equation (3) for the effect. Its factor is 2 (1.96 + 0.84)², about 16.",
    right="Five runs with a spread of 10 W can find 18 W, twice the saving. The experiment was "
    "lost before it began.",
    tolerance=0.02,
    unit="W",
)

pair_error = Task(
    "The standard error of a paired saving",
    reference=lambda full, mixed: np.std(full - mixed, ddof=1) / math.sqrt(len(full)),
    cases=[synthetic_powers(6, 9, 15, 0.9, seed=2), synthetic_powers(4, 9, 15, 0.5, seed=3)],
    mistakes=mistakes(
        lambda full, mixed: math.sqrt((np.var(full, ddof=1) + np.var(mixed, ddof=1)) / len(full)),
        "two groups: That is the error of two groups. What a pair shares is still in it: subtract "
        "first, then look at the spread.",
        lambda full, mixed: np.std(full - mixed, ddof=1),
        "one difference: That is the spread of one difference. The mean of n of them scatters "
        "less.",
        lambda full, mixed: np.std(full - mixed) / math.sqrt(len(full)),
        "divided by n: NumPy divides by n unless told otherwise. A spread around a mean taken from "
        "the same data divides by n - 1: `ddof=1`.",
    ),
    hint="The differences of the pairs are n numbers. Their standard deviation over the root of n.",
    right="The mean difference over this error is the t of the paired test.",
    unit="W",
)
