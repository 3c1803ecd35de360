"""What the reader does: the delay of many flows, and shares under unequal targets."""

from __future__ import annotations

import numpy as np

from perfmodel.tasks import Mistake, Task

inflation = Task(
    "The inflation at which flows stand still",
    reference=lambda flows, target, base, exponent: base + target * flows**exponent,
    cases=[(64, 0.064, 1.5, 0.5), (100, 0.3, 0.0, 0.5), (16, 0.2, 1.0, 0.25)],
    mistakes=[
        Mistake(
            "falls with the flows",
            lambda flows, target, base, exponent: base + target * flows**-exponent,
            "More flows make a longer queue. A rate of 1/N is to the power p on the other side.",
        ),
        Mistake(
            "always the root",
            lambda flows, target, base, exponent: base + target * np.sqrt(flows),
            "That holds for an exponent of 1/2 only.",
        ),
        Mistake(
            "base forgotten",
            lambda flows, target, base, exponent: target * flows**exponent,
            "The law weighs the inflation less its base: add the base again.",
        ),
        Mistake(
            "base taken off",
            lambda flows, target, base, exponent: target * flows**exponent - base,
            "The base stands on the other side of (2) with a minus: bring it over.",
        ),
        Mistake(
            "base in the power",
            lambda flows, target, base, exponent: (base + target) * flows**exponent,
            "Only what is above the base grows with the flows.",
        ),
    ],
    hint="In (2) put 1/N for the rate, and solve for x.",
    right="The even share needs no bookkeeping: nobody knows N, and the queue tells it to all.",
)

shares = Task(
    "Rates under unequal targets",
    reference=lambda targets, exponent: (
        targets ** (1 / exponent) / (targets ** (1 / exponent)).sum()
    ),
    cases=[
        (np.array([0.064, 0.128]), 0.5),
        (np.array([1.0, 2.0, 3.0]), 0.75),
        (np.array([0.1, 0.1, 0.3]), 0.25),
    ],
    mistakes=[
        Mistake(
            "proportional to the targets",
            lambda targets, exponent: targets / targets.sum(),
            "The rate stands under a power in (2): twice the target is not twice the rate.",
        ),
        Mistake(
            "power upside down",
            lambda targets, exponent: targets**exponent / (targets**exponent).sum(),
            "Solve (2) for the rate: the target is raised to 1/p, not to p.",
        ),
        Mistake(
            "always the square",
            lambda targets, exponent: targets**2 / (targets**2).sum(),
            "That holds for an exponent of 1/2 only.",
        ),
        Mistake(
            "targets upside down",
            lambda targets, exponent: (
                targets ** (-1 / exponent) / (targets ** (-1 / exponent)).sum()
            ),
            "You gave the flow with the highest target the least. A higher target bears more "
            "delay for its rate: who speeds up longer?",
        ),
        Mistake(
            "not to scale",
            lambda targets, exponent: targets ** (1 / exponent),
            "Those are the right ratios, but the rates must add up to the line's, 1.",
        ),
        Mistake(
            "even shares",
            lambda targets, exponent: np.full(len(targets), 1 / len(targets)),
            "They see the same delay, and want different things of it.",
        ),
    ],
    hint="All see the same x. So by (2) a rate goes with its target to the power 1/p; divide by "
    "the sum.",
    right="One impolite flow gets four times the rate for twice the target: fairness here is an "
    "agreement, and nothing enforces it.",
)
