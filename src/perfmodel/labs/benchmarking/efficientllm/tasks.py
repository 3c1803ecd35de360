"""What the reader does: a mean over time, energy per token, the loss that a rate hides."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

mean_power = Task(
    "The mean power of a trace",
    reference=lambda times, watts: watts[:-1] @ np.diff(times) / (times[-1] - times[0]),
    cases=[
        (np.array([0.0, 1.0, 2.0, 6.0]), np.array([300.0, 400.0, 100.0, 100.0])),
        (np.array([5.0, 5.5, 8.0]), np.array([50.0, 250.0, 90.0])),
    ],
    mistakes=mistakes(
        lambda times, watts: watts.mean(),
        "mean of the readings: That gives each reading the same weight. A reading stands for the "
        "time until the next one.",
        lambda times, watts: watts[:-1] @ np.diff(times),
        "energy: Those are joules. Divide by the time that passed.",
        lambda times, watts: np.trapezoid(watts, times) / (times[-1] - times[0]),
        "straight lines: You let the power go straight from one reading to the next. Here it stays "
        "until the next reading.",
        lambda times, watts: watts[:-1] @ np.diff(times) / times[-1],
        "divided by the last time: The trace doesn't begin at 0: divide by the last time less the "
        "first.",
        lambda times, watts: watts[1:] @ np.diff(times) / (times[-1] - times[0]),
        "next reading's power: You gave each gap the power of the reading at its end. It holds "
        "that at its beginning.",
    ),
    hint="`np.diff(times)` are the gaps; the first reading stands for the first gap.",
    right="This is what (1) says with an integral. A list of readings "
    "without their times can't give it.",
    unit="W",
)

energy_saved = Task(
    "The energy that int4 saves per token",
    reference=lambda power, rate, new_power, new_rate: 1 - new_power / new_rate / (power / rate),
    cases=[(212.0, 24.74, 191.0, 26.40), (279.0, 17.54, 215.0, 19.20), (100.0, 10.0, 90.0, 5.0)],
    mistakes=mistakes(
        lambda power, rate, new_power, new_rate: 1 - new_power / power,
        "power alone: That is the share of the power saved. A token now takes another time, too.",
        lambda power, rate, new_power, new_rate: 1 - new_power * new_rate / (power * rate),
        "power times rate: Watts times tokens per second is no energy per token: joules per second "
        "over tokens per second is.",
        lambda power, rate, new_power, new_rate: new_power / new_rate / (power / rate),
        "share that is left: That is the share that is still used. How much is saved?",
        lambda power, rate, new_power, new_rate: power / rate - new_power / new_rate,
        "joules: Those are joules per token. The share saved is asked for: divide by what was "
        "used.",
        lambda power, rate, new_power, new_rate: power / rate / (new_power / new_rate) - 1,
        "over the new one: You divided by the new energy. A saving is a share of what was used "
        "before.",
    ),
    hint="Joules per token are watts over tokens per second.",
    right="A column called energy whose unit is the watt hides this: where the power "
    "falls by a tenth and the rate by half, each token costs 1.8 times the energy.",
)

hidden_loss = Task(
    "The loss of score that a compression rate hides",
    reference=lambda rate, bits_before, bits_after: 1 - rate * bits_after / bits_before,
    cases=[(3.69, 16.0, 4.0), (1.9, 16.0, 8.0), (5.0, 32.0, 4.0)],
    mistakes=mistakes(
        lambda rate, bits_before, bits_after: bits_before / bits_after - rate,
        "against the best rate: That is how far the rate is below the ratio of sizes. Divide by "
        "that ratio: the loss is a share of the score.",
        lambda rate, bits_before, bits_after: bits_before / bits_after / rate - 1,
        "over the rate: You took the loss as a share of the new score. It is one of the old.",
        lambda rate, bits_before, bits_after: rate * bits_after / bits_before,
        "share kept: That is the share of the score that is kept.",
        lambda rate, bits_before, bits_after: 1 - rate * bits_before / bits_after,
        "bits upside down: Below 0, so the score would have grown many times: the ratio of bits is "
        "upside down.",
        lambda rate, bits_before, bits_after: 1 - rate,
        "rate alone: The rate holds the gain in size as well. Divide that out first.",
    ),
    hint="The rate is `bits_before / bits_after` times the share of the score that is kept.",
    right="A model four times smaller that loses a quarter of its score has a rate of 3, and so "
    "has one three times smaller that loses nothing. A product lets one buy the other.",
)
