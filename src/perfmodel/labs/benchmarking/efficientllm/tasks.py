"""What the reader does: a mean over time, energy per token, the loss that a rate hides."""

from __future__ import annotations

import numpy as np

from perfmodel.tasks import Mistake, Task

mean_power = Task(
    "The mean power of a trace",
    reference=lambda times, watts: watts[:-1] @ np.diff(times) / (times[-1] - times[0]),
    cases=[
        (np.array([0.0, 1.0, 2.0, 6.0]), np.array([300.0, 400.0, 100.0, 100.0])),
        (np.array([5.0, 5.5, 8.0]), np.array([50.0, 250.0, 90.0])),
    ],
    mistakes=[
        Mistake(
            "mean of the readings",
            lambda times, watts: watts.mean(),
            "That gives each reading the same weight. A reading stands for the time until the "
            "next one.",
        ),
        Mistake(
            "energy",
            lambda times, watts: watts[:-1] @ np.diff(times),
            "Those are joules. Divide by the time that passed.",
        ),
        Mistake(
            "straight lines",
            lambda times, watts: np.trapezoid(watts, times) / (times[-1] - times[0]),
            "You let the power go straight from one reading to the next. Here it stays until the "
            "next reading.",
        ),
        Mistake(
            "divided by the last time",
            lambda times, watts: watts[:-1] @ np.diff(times) / times[-1],
            "The trace doesn't begin at 0: divide by the last time less the first.",
        ),
        Mistake(
            "next reading's power",
            lambda times, watts: watts[1:] @ np.diff(times) / (times[-1] - times[0]),
            "You gave each gap the power of the reading at its end. It holds that at its "
            "beginning.",
        ),
    ],
    hint="`np.diff(times)` are the gaps; the first reading stands for the first gap.",
    right="This is what (1) says with an integral. A list of readings "
    "without their times can't give it.",
    unit="W",
)

energy_saved = Task(
    "The energy that int4 saves per token",
    reference=lambda power, rate, new_power, new_rate: 1 - new_power / new_rate / (power / rate),
    cases=[(212.0, 24.74, 191.0, 26.40), (279.0, 17.54, 215.0, 19.20), (100.0, 10.0, 90.0, 5.0)],
    mistakes=[
        Mistake(
            "power alone",
            lambda power, rate, new_power, new_rate: 1 - new_power / power,
            "That is the share of the power saved. A token now takes another time, too.",
        ),
        Mistake(
            "power times rate",
            lambda power, rate, new_power, new_rate: 1 - new_power * new_rate / (power * rate),
            "Watts times tokens per second is no energy per token: joules per second over tokens "
            "per second is.",
        ),
        Mistake(
            "share that is left",
            lambda power, rate, new_power, new_rate: new_power / new_rate / (power / rate),
            "That is the share that is still used. How much is saved?",
        ),
        Mistake(
            "joules",
            lambda power, rate, new_power, new_rate: power / rate - new_power / new_rate,
            "Those are joules per token. The share saved is asked for: divide by what was used.",
        ),
        Mistake(
            "over the new one",
            lambda power, rate, new_power, new_rate: power / rate / (new_power / new_rate) - 1,
            "You divided by the new energy. A saving is a share of what was used before.",
        ),
    ],
    hint="Joules per token are watts over tokens per second.",
    right="A column called energy whose unit is the watt hides this: where the power "
    "falls by a tenth and the rate by half, each token costs 1.8 times the energy.",
)

hidden_loss = Task(
    "The loss of score that a compression rate hides",
    reference=lambda rate, bits_before, bits_after: 1 - rate * bits_after / bits_before,
    cases=[(3.69, 16.0, 4.0), (1.9, 16.0, 8.0), (5.0, 32.0, 4.0)],
    mistakes=[
        Mistake(
            "against the best rate",
            lambda rate, bits_before, bits_after: bits_before / bits_after - rate,
            "That is how far the rate is below the ratio of sizes. Divide by that ratio: the loss "
            "is a share of the score.",
        ),
        Mistake(
            "over the rate",
            lambda rate, bits_before, bits_after: bits_before / bits_after / rate - 1,
            "You took the loss as a share of the new score. It is one of the old.",
        ),
        Mistake(
            "share kept",
            lambda rate, bits_before, bits_after: rate * bits_after / bits_before,
            "That is the share of the score that is kept.",
        ),
        Mistake(
            "bits upside down",
            lambda rate, bits_before, bits_after: 1 - rate * bits_before / bits_after,
            "Below 0, so the score would have grown many times: the ratio of bits is upside down.",
        ),
        Mistake(
            "rate alone",
            lambda rate, bits_before, bits_after: 1 - rate,
            "The rate holds the gain in size as well. Divide that out first.",
        ),
    ],
    hint="The rate is `bits_before / bits_after` times the share of the score that is kept.",
    right="A model four times smaller that loses a quarter of its score has a rate of 3, and so "
    "has one three times smaller that loses nothing. A product lets one buy the other.",
)
