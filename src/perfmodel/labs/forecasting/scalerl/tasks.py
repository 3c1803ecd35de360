"""The reader's tasks: a sigmoid's value, and the compute for a fraction of its gain."""

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
            "Your curve starts at 0. It should start at the rate before training.",
        ),
        Mistake(
            "ceiling for gain",
            lambda hours, start, ceiling, middle, steepness: (
                start + ceiling / (1 + (middle / hours) ** steepness)
            ),
            "You added too much. The whole gain is the ceiling minus the start.",
        ),
        Mistake(
            "upside down",
            lambda hours, start, ceiling, middle, steepness: (
                start + (ceiling - start) / (1 + (hours / middle) ** steepness)
            ),
            "Your curve falls with the budget. Divide the half-way point by the budget.",
        ),
        Mistake(
            "steepness as a factor",
            lambda hours, start, ceiling, middle, steepness: (
                start + (ceiling - start) / (1 + steepness * middle / hours)
            ),
            "You multiplied by B. It is the exponent of the ratio.",
        ),
        Mistake(
            "without the steepness",
            lambda hours, start, ceiling, middle, steepness: (
                start + (ceiling - start) / (1 + middle / hours)
            ),
            "You used B = 1. Raise the ratio to the power B.",
        ),
        Mistake(
            "gain only",
            lambda hours, start, ceiling, middle, steepness: (
                (ceiling - start) / (1 + (middle / hours) ** steepness)
            ),
            "You computed only the gain. Add the rate before training.",
        ),
    ],
    hint="Put the numbers into (1). At the half-way point the result is halfway up.",
    right="At the half-way point half of the gain is made, whatever the steepness.",
)

hours_for = Task(
    "The budget for a share of the gain",
    reference=lambda share, middle, steepness: middle * (share / (1 - share)) ** (1 / steepness),
    cases=[(0.9, 2542.0, 1.92), (0.25, 11_272.0, 1.89)],
    mistakes=[
        Mistake(
            "steepness, not its inverse",
            lambda share, middle, steepness: middle * (share / (1 - share)) ** steepness,
            "You used B as a power. Solve for C: B moves to the other side as a root.",
        ),
        Mistake(
            "odds upside down",
            lambda share, middle, steepness: middle * ((1 - share) / share) ** (1 / steepness),
            "Your odds are upside down: 0.9 must need more than the half-way point.",
        ),
        Mistake(
            "without the root",
            lambda share, middle, steepness: middle * share / (1 - share),
            "You left out a root. The odds are (C/Cmid) to the power B, so take their B-th root.",
        ),
        Mistake(
            "share without odds",
            lambda share, middle, steepness: middle * (1 / (1 - share)) ** (1 / steepness),
            "For one half the answer must be the half-way point. Use share/(1 - share).",
        ),
        Mistake(
            "in proportion",
            lambda share, middle, steepness: 2 * share * middle,
            "You assumed a straight line. The curve bends, and the last 10 % take far longer than "
            "the first.",
        ),
    ],
    hint="share = 1/(1 + (Cmid/C)^B). The odds share/(1 - share) are (C/Cmid)^B. Solve for C.",
    right="90 % of the gain take 9^(1/B) half-way points, about three for B = 1.9. The start and "
    "the ceiling don't matter.",
)
