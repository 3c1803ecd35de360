"""Tasks: the delay of many flows, and rates under unequal targets."""

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
        "falls with the flows: More flows make a longer queue. In (2) the rate 1/N is raised to p, "
        "so x has N to the power p.",
        lambda flows, target, base, exponent: base + target * np.sqrt(flows),
        "always the root: That holds only for an exponent of 1/2.",
        lambda flows, target, base, exponent: target * flows**exponent,
        "base forgotten: (2) uses the inflation minus the base. Add the base again.",
        lambda flows, target, base, exponent: target * flows**exponent - base,
        "base taken off: (2) has the base with a minus. On the other side it has a plus.",
        lambda flows, target, base, exponent: (base + target) * flows**exponent,
        "base in the power: Only the delay above the base grows with the flows.",
    ),
    hint="Put the rate 1/N into (2) and solve for x.",
    right="No flow knows N. The queue tells it to all flows.",
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
        "proportional to the targets: (2) has a power of the rate, so twice the target isn't twice "
        "the rate.",
        lambda targets, exponent: targets**exponent / (targets**exponent).sum(),
        "power upside down: Solve (2) for the rate. The target is raised to 1/p, not to p.",
        lambda targets, exponent: targets**2 / (targets**2).sum(),
        "always the square: That holds only for an exponent of 1/2.",
        lambda targets, exponent: targets ** (-1 / exponent) / (targets ** (-1 / exponent)).sum(),
        "targets upside down: You gave the lowest rate to the highest target. A flow with a higher "
        "target speeds up for longer.",
        lambda targets, exponent: targets ** (1 / exponent),
        "not to scale: The ratios are right, but the rates must add up to the link's rate, 1.",
        lambda targets, exponent: np.full(len(targets), 1 / len(targets)),
        "even shares: The flows see the same delay, but have different targets.",
    ),
    hint="All flows see the same x. So by (2) a rate is proportional to its target to the power "
    "1/p. Divide by the sum.",
    right="With p = 1/2 a flow with twice the target gets four times the rate. Fairness here is an "
    "agreement, and nothing enforces it.",
)
