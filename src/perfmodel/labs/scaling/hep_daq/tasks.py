"""What the reader does: a stage's watts, the order of two filters, the first trigger's ratio."""

from __future__ import annotations

from scipy.optimize import brentq

from perfmodel.labs.scaling.hep_daq.designs import Design
from perfmodel.labs.scaling.hep_daq.inputs import FIRST_RATIO
from perfmodel.tasks import Mistake, Task

BUDGET = 20e6
"""W."""

stage_power = Task(
    "The power of a stage",
    reference=lambda rate, ratio, energy: rate / ratio * energy,
    cases=[(40e6, 50, 400.0), (40e6, 400, 10.0), (1000.0, 1, 2.0)],
    mistakes=[
        Mistake(
            "every event",
            lambda rate, ratio, energy: rate * energy,
            "The stage before it has thrown most events away. How many a second are left?",
        ),
        Mistake(
            "what was thrown away",
            lambda rate, ratio, energy: rate * (1 - 1 / ratio) * energy,
            "That is for the events that were rejected. This stage gets those that were not.",
        ),
        Mistake(
            "ratio the wrong way",
            lambda rate, ratio, energy: rate * ratio * energy,
            "One event in `ratio` goes on: the rate falls.",
        ),
    ],
    hint="Watts are joules for an event times events per second, those that arrive here.",
    right="The ratio of the stage before it is in it, and not its own.",
    unit="W",
)

both_orders = Task(
    "The filter that goes first",
    reference=lambda cost_a, ratio_a, cost_b, ratio_b: (
        "a" if cost_a + cost_b / ratio_a <= cost_b + cost_a / ratio_b else "b"
    ),
    cases=[
        (1.0, 2.0, 100.0, 100.0),
        (5.0, 1.05, 20.0, 10.0),
        (1.0, 10.0, 1.2, 2.0),
        (1.0, 2.0, 10.0, 100.0),
    ],
    mistakes=[
        Mistake(
            "the cheaper",
            lambda cost_a, ratio_a, cost_b, ratio_b: "a" if cost_a <= cost_b else "b",
            "A cheap filter that lets nearly all through only adds its cost.",
        ),
        Mistake(
            "the stricter",
            lambda cost_a, ratio_a, cost_b, ratio_b: "a" if ratio_a >= ratio_b else "b",
            "A strict filter at the front is paid for by every event.",
        ),
        Mistake(
            "cost over ratio",
            lambda cost_a, ratio_a, cost_b, ratio_b: (
                "a" if cost_a / ratio_a <= cost_b / ratio_b else "b"
            ),
            "A filter is worth what it rejects, a share 1 - 1/ratio, and not its ratio.",
        ),
        Mistake(
            "cost for a rejected event of the other",
            lambda cost_a, ratio_a, cost_b, ratio_b: (
                "a" if cost_a + cost_b / ratio_b <= cost_b + cost_a / ratio_a else "b"
            ),
            "The second filter gets what the one in front let through.",
        ),
    ],
    hint="Add up what one event costs on average in each order; the filter behind works on one "
    "event in this many, by the ratio of the one in front.",
    right="The same as: smaller cost / (1 - 1/ratio) first, the cost of a rejected event.",
)

needed_ratio = Task(
    "The first trigger's ratio for 20 MW",
    reference=lambda: brentq(lambda ratio: Design(first_ratio=ratio).power() - BUDGET, 53, 400),
    mistakes=[
        Mistake(
            "GPUs as well",
            lambda: brentq(
                lambda ratio: Design(first_ratio=ratio, gpu=True).power() - BUDGET, 53, 400
            ),
            "That is with GPUs. The question is for the design as planned.",
        ),
        Mistake(
            "factor",
            lambda: Design().power() / BUDGET,
            "That is the factor by which the power must fall. The ratio grows from 53.3 by it.",
        ),
        Mistake(
            "not that far",
            lambda: FIRST_RATIO * BUDGET / Design().power(),
            "A ratio below 53.3 lets more events through.",
        ),
    ],
    hint="Nearly all the power is behind the first trigger, and inversely proportional to its "
    "ratio. `Design(first_ratio=...).power()` is in watts.",
    right="Power is a hyperbola of the ratio. The ratio isn't free, though: each rejected event "
    "might have been one of those you built the machine for.",
    tolerance=0.01,
)
