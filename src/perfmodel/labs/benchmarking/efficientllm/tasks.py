"""The reader's tasks: a mean over time, energy per token, the loss that a rate hides."""

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
        "mean of the readings: You gave each reading the same weight. A reading stands for the "
        "time until the next reading.",
        lambda times, watts: watts[:-1] @ np.diff(times),
        "energy: You computed joules. Divide by the time that passed.",
        lambda times, watts: np.trapezoid(watts, times) / (times[-1] - times[0]),
        "straight lines: You drew a straight line from one reading to the next. Here the power "
        "stays at a reading until the next reading.",
        lambda times, watts: watts[:-1] @ np.diff(times) / times[-1],
        "divided by the last time: The trace doesn't begin at 0. Divide by the last time minus "
        "the first.",
        lambda times, watts: watts[1:] @ np.diff(times) / (times[-1] - times[0]),
        "next reading's power: You gave each gap the power of the reading at its end. The power "
        "stays at the reading at its beginning.",
    ),
    hint="`np.diff(times)` are the gaps. The first reading stands for the first gap.",
    right="This is the integral (1). A list of readings without their times can't give it.",
    unit="W",
)

energy_saved = Task(
    "The energy that int4 saves per token",
    reference=lambda power, rate, new_power, new_rate: 1 - new_power / new_rate / (power / rate),
    cases=[(212.0, 24.74, 191.0, 26.40), (279.0, 17.54, 215.0, 19.20), (100.0, 10.0, 90.0, 5.0)],
    mistakes=mistakes(
        lambda power, rate, new_power, new_rate: 1 - new_power / power,
        "power alone: You computed the fraction of the power that is saved. The time per token "
        "changes, too.",
        lambda power, rate, new_power, new_rate: 1 - new_power * new_rate / (power * rate),
        "power times rate: You multiplied watts by tokens per second. Energy per token is joules "
        "per second divided by tokens per second.",
        lambda power, rate, new_power, new_rate: new_power / new_rate / (power / rate),
        "share that is left: You computed the fraction that is still used. Subtract it from 1.",
        lambda power, rate, new_power, new_rate: power / rate - new_power / new_rate,
        "joules: You computed joules per token. The question asks for a fraction, so divide by "
        "the old energy per token.",
        lambda power, rate, new_power, new_rate: power / rate / (new_power / new_rate) - 1,
        "over the new one: You divided by the new energy. A saving is a fraction of the old "
        "energy.",
    ),
    hint="Joules per token are watts divided by tokens per second.",
    right="A column called energy in watts hides this. If the power falls by 10 % and the rate by "
    "half, each token costs 1.8 times the energy.",
)

hidden_loss = Task(
    "The loss of score that a compression rate hides",
    reference=lambda rate, bits_before, bits_after: 1 - rate * bits_after / bits_before,
    cases=[(3.69, 16.0, 4.0), (1.9, 16.0, 8.0), (5.0, 32.0, 4.0)],
    mistakes=mistakes(
        lambda rate, bits_before, bits_after: bits_before / bits_after - rate,
        "against the best rate: You computed how far the rate is below the ratio of sizes. The "
        "loss is a fraction of the score, so divide by that ratio.",
        lambda rate, bits_before, bits_after: bits_before / bits_after / rate - 1,
        "over the rate: You took the loss as a fraction of the new score. The question asks for a "
        "fraction of the old score.",
        lambda rate, bits_before, bits_after: rate * bits_after / bits_before,
        "share kept: You computed the fraction of the score that is kept. Subtract it from 1.",
        lambda rate, bits_before, bits_after: 1 - rate * bits_before / bits_after,
        "bits upside down: Your result is below 0, so the score would have grown. The ratio of "
        "bits is upside down.",
        lambda rate, bits_before, bits_after: 1 - rate,
        "rate alone: The rate also contains the gain in size. Divide the rate by this gain first.",
    ),
    hint="The rate is `bits_before / bits_after` times the fraction of the score that is kept.",
    right="A model four times smaller that loses a quarter of its score has a rate of 3. A model "
    "three times smaller that loses nothing has the same rate. The product can't tell them apart.",
)
