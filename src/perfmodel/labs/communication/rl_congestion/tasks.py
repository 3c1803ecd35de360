"""What the reader does: the delay of many flows, and shares under unequal targets."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

inflation = Task(
    "The inflation at which flows stand still",
    reference=lambda flows, target, base, exponent: base + target * flows**exponent,
    cases=[(64, 0.064, 1.5, 0.5), (100, 0.3, 0.0, 0.5), (16, 0.2, 1.0, 0.25)],
    mistakes=mistakes(
        lambda flows, target, base, exponent: base + target * flows**-exponent,
        "falls with the flows: More flows make a longer queue. A rate of 1/N is to the power p on "
        "the other side.",
        lambda flows, target, base, exponent: base + target * np.sqrt(flows),
        "always the root: That holds for an exponent of 1/2 only.",
        lambda flows, target, base, exponent: target * flows**exponent,
        "base forgotten: The law weighs the inflation less its base: add the base again.",
        lambda flows, target, base, exponent: target * flows**exponent - base,
        "base taken off: The base stands on the other side of (2) with a minus: bring it over.",
        lambda flows, target, base, exponent: (base + target) * flows**exponent,
        "base in the power: Only what is above the base grows with the flows.",
    ),
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
    mistakes=mistakes(
        lambda targets, exponent: targets / targets.sum(),
        "proportional to the targets: The rate stands under a power in (2): twice the target is "
        "not twice the rate.",
        lambda targets, exponent: targets**exponent / (targets**exponent).sum(),
        "power upside down: Solve (2) for the rate: the target is raised to 1/p, not to p.",
        lambda targets, exponent: targets**2 / (targets**2).sum(),
        "always the square: That holds for an exponent of 1/2 only.",
        lambda targets, exponent: targets ** (-1 / exponent) / (targets ** (-1 / exponent)).sum(),
        "targets upside down: You gave the flow with the highest target the least. A higher target "
        "bears more delay for its rate: who speeds up longer?",
        lambda targets, exponent: targets ** (1 / exponent),
        "not to scale: Those are the right ratios, but the rates must add up to the line's, 1.",
        lambda targets, exponent: np.full(len(targets), 1 / len(targets)),
        "even shares: They see the same delay, and want different things of it.",
    ),
    hint="All see the same x. So by (2) a rate goes with its target to the power 1/p; divide by "
    "the sum.",
    right="One impolite flow gets four times the rate for twice the target: fairness here is an "
    "agreement, and nothing enforces it.",
)
