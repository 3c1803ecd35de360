"""Tasks: integrate power, compute a sustained speed, and plan a benchmark."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

joules = Task(
    "Energy from samples of power",
    reference=lambda times, power: float(np.sum(power[1:] * np.diff(times))),
    cases=[
        (np.array([0.0, 1.0, 3.0]), np.array([5.0, 2.0, 4.0])),
        (np.array([0.0, 0.1, 0.3, 0.7]), np.array([1.0, 9.0, 6.0, 10.0])),
    ],
    mistakes=mistakes(
        lambda times, power: float(np.sum(power)),
        "times left out: You added up watts, which isn't an energy. Multiply each sample by its "
        "time.",
        lambda times, power: float(np.mean(power) * (times[-1] - times[0])),
        "mean times duration: You gave all samples the same weight, but their distances differ.",
        lambda times, power: float(np.sum(power[:-1] * np.diff(times))),
        "time after: You used the time after each sample. By (1) it stands for the time before.",
        lambda times, power: float(np.sum((power[1:] + power[:-1]) / 2 * np.diff(times))),
        "trapezoids: You used trapezoids, which are better for a smooth signal. Equation (1) has "
        "rectangles.",
    ),
    hint="`np.diff(times)` has one number fewer than `power`. Which sample has no time before it?",
    right="The first sample doesn't count, because there is no time before it. Every computation "
    "of energy makes such a choice, and papers rarely state it.",
    unit="J",
)

sustained_rate = Task(
    "Tokens a second that a phone can sustain",
    reference=lambda energy, resistance, limit, air: (limit - air) / resistance / (3.6 * energy),
    cases=[(0.16, 4.0, 48.0, 25.0), (0.16, 1.7, 48.0, 35.0), (0.3, 4.0, 45.0, 20.0)],
    mistakes=mistakes(
        lambda energy, resistance, limit, air: limit / resistance / (3.6 * energy),
        "air left out: You left out the air. Heat flows by the difference to the air, so in air of "
        "48 °C the phone couldn't give off any.",
        lambda energy, resistance, limit, air: (limit - air) / resistance / energy,
        "milliwatt-hours as joules: You used mWh as joules. 1 mWh is 3.6 J.",
        lambda energy, resistance, limit, air: (limit - air) * resistance / (3.6 * energy),
        "resistance multiplied: You multiplied by the resistance. A higher resistance holds heat "
        "back, so divide by it.",
        lambda energy, resistance, limit, air: (limit - air) / resistance * 3.6 * energy,
        "energy multiplied: You multiplied by the energy. Watts are joules a token times tokens a "
        "second. Solve for the tokens.",
    ),
    hint="Divide the sustained power, in watts, by the energy of a token, in joules.",
    right="The first case gives 10 tokens/s, and the notes report 13.6. Air of 35 °C instead of "
    "25 °C lowers such a speed by 43 %. Report the temperature of your measurement.",
    unit="tokens/s",
)

questions_needed = Task(
    "Questions that resolve a difference",
    reference=lambda share, difference: 2 * share * (1 - share) * (1.96 / difference) ** 2 + 1,
    cases=[(0.5, 0.01), (0.5, 0.02), (0.75, 0.01)],
    mistakes=mistakes(
        lambda share, difference: share * (1 - share) * (1.96 / difference) ** 2 + 1,
        "one share's error: You used the error of one fraction. Both are uncertain, so their "
        "difference has the standard error s times the root of 2.",
        lambda share, difference: 2 * share * (1 - share) * (1.96 / difference) + 1,
        "not squared: You forgot a square. The error falls with the root of the questions, so the "
        "questions grow with the square.",
        lambda share, difference: 2 * share * (1 - share) / difference**2 + 1,
        "one standard error: You used one standard error. Chance exceeds it in every third "
        "experiment. A level of 5 % needs 1.96.",
    ),
    hint="Set the difference equal to 1.96 times the root of 2 times s, with s as above, and solve "
    "for m.",
    right="A difference of one point needs 19,000 questions, and two points need 25 % of them. "
    "The largest task above has 10,042.",
    tolerance=0.01,
    unit="questions",
)
