"""Tasks: compute the peak from times in seconds, and both costs from a straight line."""

from __future__ import annotations

import numpy as np

from perfmodel.scaling import usl_throughput
from perfmodel.tasks import Mistake, Task
from perfmodel.validation import Floats

_FEW, _MANY = np.array([2.0, 4, 8, 32]), np.array([4.0, 12, 48, 96])


def costs_of_line(load: Floats, throughput: Floats, rate_one: float) -> tuple[float, float]:
    """Return contention and coherency, the ends of a straight line over the load."""
    line = (rate_one * load / throughput - 1) / (load - 1)
    slope, start = np.polyfit(load, line, 1)
    return start, slope


peak_users = Task(
    "The peak of a service timed with a stopwatch",
    reference=lambda work, lock, tell: np.sqrt(work / tell),
    cases=[(0.095, 0.005, 5e-5), (0.095, 0.05, 5e-5), (0.5, 0.125, 2e-3)],
    mistakes=[
        Mistake(
            "pairs counted once",
            lambda work, lock, tell: np.sqrt(2 * work / tell),
            "You counted each pair once. A tells B and B tells A, which makes two messages.",
        ),
        Mistake(
            "seconds as shares",
            lambda work, lock, tell: np.sqrt((1 - lock) / tell),
            "Equation (2) needs fractions of a job, and you used seconds. Divide by the time of a "
            "job, as (3) does.",
        ),
        Mistake(
            "coherency alone",
            lambda work, lock, tell: np.sqrt((work + lock) / tell),
            "You computed the root of 1/kappa. The contention in (2) is missing.",
        ),
        Mistake(
            "messages as a share of the work",
            lambda work, lock, tell: np.sqrt((1 - lock / work) * work / tell),
            "You divided by the work alone. A job takes the work plus its time in the lock.",
        ),
    ],
    hint="Sigma and kappa from (3), then (2). A job takes `work + lock` seconds.",
    right="Simplify it on paper: the lock cancels, and the peak is at the root of work / message "
    "time. A shorter lock raises the curve and doesn't move its peak.",
    unit="users",
)

read_costs = Task(
    "Both costs from a straight line",
    reference=costs_of_line,
    cases=[
        (_FEW, usl_throughput(_FEW, 10, 0.05, 5e-4), 10.0),
        (_MANY, usl_throughput(_MANY, 2.5, 0.01, 3e-3), 2.5),
    ],
    mistakes=[
        Mistake(
            "slope first",
            lambda load, throughput, rate_one: costs_of_line(load, throughput, rate_one)[::-1],
            "`polyfit` gives the slope first and then where the line starts. The slope is kappa.",
        ),
        Mistake(
            "not divided",
            lambda load, throughput, rate_one: tuple(
                np.polyfit(load, rate_one * load / throughput - 1, 1)[::-1]
            ),
            "Without division it is a parabola in N. Which divisor leaves sigma + kappa N?",
        ),
        Mistake(
            "divided by N",
            lambda load, throughput, rate_one: tuple(
                np.polyfit(load, (rate_one * load / throughput - 1) / load, 1)[::-1]
            ),
            "You divided by N. Each user has N - 1 others.",
        ),
        Mistake(
            "one not taken away",
            lambda load, throughput, rate_one: tuple(
                np.polyfit(load, rate_one * load / throughput / (load - 1), 1)[::-1]
            ),
            "Subtract 1 first: it is the job itself, which is no loss.",
        ),
    ],
    hint="`(rate_one * load / throughput - 1) / (load - 1)` is the line; `np.polyfit(load, line, "
    "1)` fits it.",
    right="At 12 users kappa N adds 0.006 to a sigma of 0.05, which is small compared with the "
    "noise of a measurement. So data far below the peak can't show it.",
    tolerance=1e-4,
)
