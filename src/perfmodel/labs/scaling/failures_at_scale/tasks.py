"""Tasks: compute the least loss, the longest recovery, and a failure rate by age."""

from __future__ import annotations

from math import sqrt

from perfmodel.tasks import Mistake, Task

first_order = Task(
    "The first-order loss at Young's interval",
    reference=lambda save, mtbf: sqrt(2 * save / mtbf),
    cases=[(60.0, 11135.0), (40.0, 604800.0), (5.0, 3600.0)],
    mistakes=[
        Mistake(
            "saves alone",
            lambda save, mtbf: sqrt(save / (2 * mtbf)),
            "You computed one of the two terms. At Young's interval both are equal, so add the "
            "other.",
        ),
        Mistake(
            "the interval",
            lambda save, mtbf: sqrt(2 * save * mtbf),
            "You computed the interval in seconds. Put it into the first two terms of equation "
            "(3).",
        ),
        Mistake(
            "not square",
            lambda save, mtbf: 2 * save / mtbf,
            "The interval depends on a square root, so the loss does as well.",
        ),
    ],
    hint="Put the square root of 2 C M into C/tau + tau/(2 M). Both terms are equal there.",
    right="Half the save time makes the loss smaller by the square root of 2, not by 2.",
)

longest_recovery = Task(
    "The longest mean recovery that a goal allows",
    reference=lambda hours, interruptions, goal, interval: (
        hours * 60 * (1 - goal) / interruptions - interval / 2
    ),
    cases=[(1296.0, 466, 0.9, 20.0), (720.0, 100, 0.95, 10.0), (1000.0, 50, 0.8, 30.0)],
    mistakes=[
        Mistake(
            "no rework",
            lambda hours, interruptions, goal, interval: hours * 60 * (1 - goal) / interruptions,
            "That is the whole loss of an interruption. Half an interval of work is part of it.",
        ),
        Mistake(
            "whole interval",
            lambda hours, interruptions, goal, interval: (
                hours * 60 * (1 - goal) / interruptions - interval
            ),
            "An interruption comes at any time of an interval. On average half of it is lost.",
        ),
        Mistake(
            "hours",
            lambda hours, interruptions, goal, interval: (
                hours * (1 - goal) / interruptions - interval / 120
            ),
            "The question asks for minutes; that is in hours.",
        ),
    ],
    hint="Divide the lost time by the interruptions. Each interruption loses half an interval of "
    "work and one recovery, because saves don't stop the run.",
    right="With a save every 20 minutes Llama 3 had under 7 minutes for detection, restart and "
    "reload together.",
    unit="min",
)

hazard = Task(
    "A yearly failure rate, with its relative standard error",
    reference=lambda failures, exposure: (failures / exposure, 1 / sqrt(failures)),
    cases=[(146, 9335.0), (11, 9414.3), (62, 25127.0)],
    mistakes=[
        Mistake(
            "years for a failure",
            lambda failures, exposure: (exposure / failures, 1 / sqrt(failures)),
            "The first value is years for each failure. The rate is failures for each year.",
        ),
        Mistake(
            "absolute",
            lambda failures, exposure: (failures / exposure, sqrt(failures) / exposure),
            "The second value is the standard error itself. Divide it by the rate.",
        ),
        Mistake(
            "of the count",
            lambda failures, exposure: (failures / exposure, sqrt(failures)),
            "The square root of the count is its standard error. Divide by the count.",
        ),
    ],
    hint="Divide failures by the years that all boards lived. A count that is Poisson distributed "
    "has a standard error of its square root.",
    right="Rates from few failures are uncertain: 11 failures leave a standard error of 30 %.",
)
