"""What the reader does: a sigmoid's value, and the compute at which a share of its gain is made."""

from __future__ import annotations

from perfmodel.tasks import Mistake, Task

pass_rate = Task(
    "The pass rate after a budget",
    reference=lambda hours, start, ceiling, middle, steepness: (
        start + (ceiling - start) / (1 + (middle / hours) ** steepness)
    ),
    cases=[(8000.0, 0.4, 0.61, 2542.0, 1.92), (4000.0, 0.4, 0.645, 11_272.0, 1.89)],
    mistakes=[
        Mistake(
            "start forgotten",
            lambda hours, start, ceiling, middle, steepness: (
                ceiling / (1 + (middle / hours) ** steepness)
            ),
            "That begins at 0. The curve begins at the rate before training.",
        ),
        Mistake(
            "ceiling for gain",
            lambda hours, start, ceiling, middle, steepness: (
                start + ceiling / (1 + (middle / hours) ** steepness)
            ),
            "What is added at most is the ceiling less the start.",
        ),
        Mistake(
            "upside down",
            lambda hours, start, ceiling, middle, steepness: (
                start + (ceiling - start) / (1 + (hours / middle) ** steepness)
            ),
            "That falls with the budget: the half-way point stands over the budget.",
        ),
        Mistake(
            "steepness as a factor",
            lambda hours, start, ceiling, middle, steepness: (
                start + (ceiling - start) / (1 + steepness * middle / hours)
            ),
            "B is an exponent of the ratio.",
        ),
        Mistake(
            "without the steepness",
            lambda hours, start, ceiling, middle, steepness: (
                start + (ceiling - start) / (1 + middle / hours)
            ),
            "That is the curve of B = 1, whatever the steepness: raise the ratio to the power B.",
        ),
        Mistake(
            "gain only",
            lambda hours, start, ceiling, middle, steepness: (
                (ceiling - start) / (1 + (middle / hours) ** steepness)
            ),
            "That is what has been gained. Add the rate before training.",
        ),
    ],
    hint="Put the numbers into (1); at the half-way point the result is halfway up.",
    right="Half of the gain at the half-way point, whatever the steepness.",
)

hours_for = Task(
    "The budget for a share of the gain",
    reference=lambda share, middle, steepness: middle * (share / (1 - share)) ** (1 / steepness),
    cases=[(0.9, 2542.0, 1.92), (0.25, 11_272.0, 1.89)],
    mistakes=[
        Mistake(
            "steepness, not its inverse",
            lambda share, middle, steepness: middle * (share / (1 - share)) ** steepness,
            "Solve for C: the power B moves to the other side as a root.",
        ),
        Mistake(
            "odds upside down",
            lambda share, middle, steepness: middle * ((1 - share) / share) ** (1 / steepness),
            "That gives less than the half-way point for 0.9.",
        ),
        Mistake(
            "without the root",
            lambda share, middle, steepness: middle * share / (1 - share),
            "The odds are (C/Cmid) to the power B: take the root of order B before you multiply.",
        ),
        Mistake(
            "share without odds",
            lambda share, middle, steepness: middle * (1 / (1 - share)) ** (1 / steepness),
            "At a share of one half the answer must be the half-way point itself.",
        ),
        Mistake(
            "in proportion",
            lambda share, middle, steepness: 2 * share * middle,
            "The curve bends: the last tenth takes far more than the first.",
        ),
    ],
    hint="share = 1/(1 + (Cmid/C)^B). Solve for C: the odds share/(1 - share) are (C/Cmid)^B.",
    right="Nine tenths of the gain take 9^(1/B) half-way points: about three at B = 1.9. Neither "
    "the start nor the ceiling matters.",
)
