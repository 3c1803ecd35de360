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
            "That many are busy on average. With no more, the line never ends.",
        ),
        Mistake(
            "in proportion",
            lambda rate, service, safety: math.ceil((1 + safety) * rate * service),
            "A margin in proportion to the load is far too much for a large fleet: the load "
            "fluctuates with its square root.",
        ),
        Mistake(
            "root of the rate",
            lambda rate, service, safety: math.ceil(rate * service + safety * math.sqrt(rate)),
            "The root is of the load, rate times service, which is what fluctuates.",
        ),
        Mistake(
            "rounded down",
            lambda rate, service, safety: math.floor(
                rate * service + safety * math.sqrt(rate * service)
            ),
            "Servers are whole: round up, or more wait than you meant to.",
        ),
    ],
    hint="The load R is rate times service, the servers busy on average. Then R + beta sqrt(R), "
    "rounded up.",
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
            "That says that the deviation lasts. It fades by the factor `memory` each minute.",
        ),
        Mistake(
            "profile",
            lambda profile, deviation, memory, minutes: profile,
            "That forgets what you see now. Only far ahead is it right.",
        ),
        Mistake(
            "one step",
            lambda profile, deviation, memory, minutes: profile * math.exp(deviation * memory),
            "That is one minute ahead. Each further minute takes the factor once more.",
        ),
        Mistake(
            "times minutes",
            lambda profile, deviation, memory, minutes: (
                profile * math.exp(deviation * memory * minutes)
            ),
            "The factor is taken once a minute: to the power of the minutes, not times them.",
        ),
        Mistake(
            "not a logarithm",
            lambda profile, deviation, memory, minutes: profile * (1 + deviation * memory**minutes),
            "The deviation is the logarithm of a factor.",
        ),
    ],
    hint="Each minute the deviation takes the factor `memory` on average, and the next minute once "
    "more. It is the logarithm of the factor on the profile.",
    right="With a memory of 0.98 half of a deviation is left after 34 minutes. A server that "
    "starts in less can follow it; one that takes an hour had better follow the profile.",
    unit="requests",
)
