"""What the reader does: staff by the square root, and forecast by an autoregression."""

from __future__ import annotations

import math

from perfmodel.tasks import Mistake, Task

servers_by_the_rule = Task(
    "Servers by the square-root rule",
    reference=lambda rate, service, safety: math.ceil(
        rate * service + safety * math.sqrt(rate * service)
    ),
    cases=[(2.0, 50.0, 1.0615), (0.5, 50.0, 1.0615), (10.0, 0.05, 0.8), (3.0, 300.0, 2.0)],
    mistakes=[
        Mistake(
            "no safety",
            lambda rate, service, safety: math.ceil(rate * service),
            "This many servers are busy on average. Without more, the queue grows without bound.",
        ),
        Mistake(
            "in proportion",
            lambda rate, service, safety: math.ceil((1 + safety) * rate * service),
            "You took a margin in proportion to the load. That is far too much for a large fleet, "
            "because the load fluctuates with its square root.",
        ),
        Mistake(
            "root of the rate",
            lambda rate, service, safety: math.ceil(rate * service + safety * math.sqrt(rate)),
            "Take the root of the load, rate times service.",
        ),
        Mistake(
            "rounded down",
            lambda rate, service, safety: math.floor(
                rate * service + safety * math.sqrt(rate * service)
            ),
            "You rounded down, so more requests wait than the target allows. Round up.",
        ),
    ],
    hint="The load R is rate times service, the mean number of busy servers. Compute "
    "R + beta sqrt(R), and round up.",
    right="At a hundred times the load you need ten times the margin: 11 in 111, 107 in 10,107.",
    unit="servers",
)

rate_ahead = Task(
    "A forecast that falls back to the profile",
    reference=lambda profile, deviation, memory, minutes: (
        profile * math.exp(deviation * memory**minutes)
    ),
    cases=[(100.0, 0.3, 0.98, 5), (60.0, -0.2, 0.9, 1), (80.0, 0.5, 0.95, 60)],
    mistakes=[
        Mistake(
            "as now",
            lambda profile, deviation, memory, minutes: profile * math.exp(deviation),
            "You kept the deviation constant. It shrinks by the factor `memory` each minute.",
        ),
        Mistake(
            "profile",
            lambda profile, deviation, memory, minutes: profile,
            "You ignored the current deviation. This is right only far ahead.",
        ),
        Mistake(
            "one step",
            lambda profile, deviation, memory, minutes: profile * math.exp(deviation * memory),
            "You predicted one minute ahead. Each further minute takes the factor once more.",
        ),
        Mistake(
            "times minutes",
            lambda profile, deviation, memory, minutes: (
                profile * math.exp(deviation * memory * minutes)
            ),
            "The factor applies once each minute. Raise it to the power of the minutes.",
        ),
        Mistake(
            "not a logarithm",
            lambda profile, deviation, memory, minutes: profile * (1 + deviation * memory**minutes),
            "The deviation is the logarithm of a factor. Use the exponential.",
        ),
    ],
    hint="Each minute the deviation is multiplied by `memory` on average. It is the logarithm of "
    "the factor on the profile.",
    right="With a memory of 0.98, half of a deviation is left after 34 minutes. A server that "
    "starts faster can follow it. A server that takes an hour should follow the profile.",
    unit="requests",
)
