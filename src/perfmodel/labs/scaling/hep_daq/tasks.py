"""Tasks: compute a stage's power, order two filters, and find the first trigger's ratio."""

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
            "You counted every event. The previous stage throws most of them away. How many "
            "events a second are left?",
        ),
        Mistake(
            "what was thrown away",
            lambda rate, ratio, energy: rate * (1 - 1 / ratio) * energy,
            "You counted the rejected events. This stage gets the other events.",
        ),
        Mistake(
            "ratio the wrong way",
            lambda rate, ratio, energy: rate * ratio * energy,
            "You multiplied by the ratio. One event in `ratio` goes on, so the rate falls.",
        ),
    ],
    hint="Power is the energy of an event times the events per second that arrive at this stage.",
    right="The power contains the ratio of the previous stage, not the stage's own ratio.",
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
        (15.0, 2.0, 20.0, 1.1),
        (20.0, 100.0, 15.0, 1.05),
    ],
    mistakes=[
        Mistake(
            "the cheaper",
            lambda cost_a, ratio_a, cost_b, ratio_b: "a" if cost_a <= cost_b else "b",
            "You put the cheaper filter first. But a cheap filter that passes nearly everything "
            "only adds its cost.",
        ),
        Mistake(
            "the stricter",
            lambda cost_a, ratio_a, cost_b, ratio_b: "a" if ratio_a >= ratio_b else "b",
            "You put the stricter filter first. But every event pays for the first filter.",
        ),
        Mistake(
            "cost over ratio",
            lambda cost_a, ratio_a, cost_b, ratio_b: (
                "a" if cost_a / ratio_a <= cost_b / ratio_b else "b"
            ),
            "You compared cost over ratio. The value of a filter is the fraction that it rejects, "
            "1 - 1/ratio.",
        ),
        Mistake(
            "cost for a rejected event of the other",
            lambda cost_a, ratio_a, cost_b, ratio_b: (
                "a" if cost_a + cost_b / ratio_b <= cost_b + cost_a / ratio_a else "b"
            ),
            "You used the wrong ratio. The second filter gets the events that the first one "
            "passes.",
        ),
    ],
    hint="Compute the mean cost of an event in each order. The second filter works on one event in "
    "`ratio`, with the ratio of the first filter.",
    right="An equivalent rule: put the filter with the smaller cost / (1 - 1/ratio) first. This is "
    "the cost for each rejected event.",
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
            "You used GPUs. The question is about the planned design.",
        ),
        Mistake(
            "factor",
            lambda: Design().power() / BUDGET,
            "You computed the factor by which the power must fall. The ratio must grow from 53.3 "
            "by this factor.",
        ),
        Mistake(
            "not that far",
            lambda: FIRST_RATIO * BUDGET / Design().power(),
            "Your ratio is below 53.3, so more events pass. The ratio must grow.",
        ),
    ],
    hint="Nearly all the power is used after the first trigger. It is inversely proportional to "
    "the ratio. `Design(first_ratio=...).power()` is in watts.",
    right="Power is inversely proportional to the ratio. But a higher ratio has a price: it may "
    "reject the events that you built the machine for.",
    tolerance=0.01,
)
