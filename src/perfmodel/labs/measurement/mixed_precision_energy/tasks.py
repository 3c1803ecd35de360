"""Tasks: compare energies, compute what few runs can show, and pair the runs."""

from __future__ import annotations

import math

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.labs.measurement.mixed_precision_energy.savings import synthetic_powers
from perfmodel.tasks import Task

energy_left = Task(
    "The fraction of energy that is left",
    reference=lambda static, work, seconds, faster, left: (
        (static * seconds / faster + left * work) / (static * seconds + work)
    ),
    cases=[(60.0, 40e3, 1000.0, 1.6, 0.7), (20.0, 80e3, 500.0, 2.0, 0.9)],
    mistakes=mistakes(
        lambda static, work, seconds, faster, left: (
            (static + left * work * faster / seconds) / (static + work / seconds)
        ),
        "watts: You computed the ratio of the mean powers. Multiply each by its own time.",
        lambda static, work, seconds, faster, left: 1 / faster,
        "time alone: You divided everything by the speed. Only the static energy falls with the "
        "time. The work takes its joules, however fast it is done.",
        lambda static, work, seconds, faster, left: (
            (static * seconds + left * work) / faster / (static * seconds + work)
        ),
        "work by the clock: You divided the work's joules by the speed. In equation (1) they don't "
        "depend on the time.",
        lambda static, work, seconds, faster, left: (
            1 - (static * seconds / faster + left * work) / (static * seconds + work)
        ),
        "saved: You computed the fraction saved. The task asks for the fraction left.",
    ),
    hint="Use equation (1) twice, the second time with T / `faster` and W times `left`.",
    right="The result doesn't contain the mean powers that a meter shows. Reading only the meter "
    "measures something else.",
)

found_saving = Task(
    "The smallest saving that a few runs can find",
    reference=lambda runs, spread: (1.96 + 0.84) * spread * math.sqrt(2 / runs),
    cases=[(5, 10.0), (21, 10.0), (80, 3.0)],
    mistakes=mistakes(
        lambda runs, spread: 16 * spread / runs,
        "no root: You forgot the root. Equation (3) contains the square of the effect.",
        lambda runs, spread: 1.96 * spread * math.sqrt(2 / runs),
        "significance alone: Your factor is about 2.8, and (3) has 4. Either you left out the 80 % "
        "(a saving of 1.96 standard errors is significant in only half of all experiments), or the "
        "2 for two means.",
        lambda runs, spread: (1.96 + 0.84) * spread * math.sqrt(runs / 2),
        "more runs, less sight: With your line, more runs find only larger savings. Check the "
        "fraction under the root.",
    ),
    hint="Solve equation (3) for the effect. Its factor is 2 (1.96 + 0.84)², about 16.",
    right="Five runs with a standard deviation of 10 W can find 18 W, twice the saving. The "
    "experiment had too few runs from the start.",
    tolerance=0.02,
    unit="W",
)

pair_error = Task(
    "The standard error of a paired saving",
    reference=lambda full, mixed: np.std(full - mixed, ddof=1) / math.sqrt(len(full)),
    cases=[synthetic_powers(6, 9, 15, 0.9, seed=2), synthetic_powers(4, 9, 15, 0.5, seed=3)],
    mistakes=mistakes(
        lambda full, mixed: math.sqrt((np.var(full, ddof=1) + np.var(mixed, ddof=1)) / len(full)),
        "two groups: You computed the error of two groups. It still contains what a pair shares. "
        "Subtract first, then take the standard deviation.",
        lambda full, mixed: np.std(full - mixed, ddof=1),
        "one difference: You computed the standard deviation of one difference. The mean of n "
        "differences has a smaller error.",
        lambda full, mixed: np.std(full - mixed) / math.sqrt(len(full)),
        "divided by n: NumPy divides by n by default. A standard deviation around a mean of the "
        "same data divides by n - 1, so use `ddof=1`.",
    ),
    hint="The pairs give n differences. Divide their standard deviation by the root of n.",
    right="The mean difference divided by this error is the t of the paired test.",
    unit="W",
)
