"""What the reader does: integrate power, find what a phone can keep up, and plan a benchmark."""

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
        "times left out: A sum of watts isn't an energy. Each sample stands for a time.",
        lambda times, power: float(np.mean(power) * (times[-1] - times[0])),
        "mean times duration: That weighs all samples alike. Here they don't come at equal "
        "distances.",
        lambda times, power: float(np.sum(power[:-1] * np.diff(times))),
        "time after: You let a sample stand for the time after it. By (1) it stands for the time "
        "before.",
        lambda times, power: float(np.sum((power[1:] + power[:-1]) / 2 * np.diff(times))),
        "trapezoids: A fair rule, and for a smooth signal the better one. Equation (1) has "
        "rectangles.",
    ),
    hint="`np.diff(times)` has one number fewer than `power`. Which sample has no time before it?",
    right="The first sample counts nothing, as there is no time before it. Whoever computes "
    "energy makes such a choice, and rarely says which.",
    unit="J",
)

sustained_rate = Task(
    "Tokens a second that a phone can keep up",
    reference=lambda energy, resistance, limit, air: (limit - air) / resistance / (3.6 * energy),
    cases=[(0.16, 4.0, 48.0, 25.0), (0.16, 1.7, 48.0, 35.0), (0.3, 4.0, 45.0, 20.0)],
    mistakes=mistakes(
        lambda energy, resistance, limit, air: limit / resistance / (3.6 * energy),
        "air left out: Heat flows by the difference to the air. In air of 48 °C the phone could "
        "not give off anything.",
        lambda energy, resistance, limit, air: (limit - air) / resistance / energy,
        "milliwatt-hours as joules: The energy is in mWh. 1 mWh is 3.6 J.",
        lambda energy, resistance, limit, air: (limit - air) * resistance / (3.6 * energy),
        "resistance multiplied: A higher resistance holds the heat back: divide by it.",
        lambda energy, resistance, limit, air: (limit - air) / resistance * 3.6 * energy,
        "energy multiplied: Watts are joules a token times tokens a second. Solve that for the "
        "tokens.",
    ),
    hint="The sustained power, in watts, over the energy of a token, in joules.",
    right="The first case gives 10 tokens/s where 13.6 were reported. Air of 35 °C instead of 25 "
    "takes 43 % from any such speed: write down at what temperature you measured.",
    unit="tokens/s",
)

questions_needed = Task(
    "Questions that resolve a difference",
    reference=lambda share, difference: 2 * share * (1 - share) * (1.96 / difference) ** 2 + 1,
    cases=[(0.5, 0.01), (0.5, 0.02), (0.75, 0.01)],
    mistakes=mistakes(
        lambda share, difference: share * (1 - share) * (1.96 / difference) ** 2 + 1,
        "one share's error: Both shares are uncertain: their difference has the standard error s "
        "times the root of 2.",
        lambda share, difference: 2 * share * (1 - share) * (1.96 / difference) + 1,
        "not squared: The error falls with the root of the questions, so these grow with the "
        "square.",
        lambda share, difference: 2 * share * (1 - share) / difference**2 + 1,
        "one standard error: One standard error is exceeded by chance every third time. A level of "
        "5 % asks for 1.96 of them.",
    ),
    hint="Set the difference equal to 1.96 times the root of 2 times s, with s as above, and solve "
    "for m.",
    right="One point takes 19,000 questions, two points a quarter of that. The largest task above "
    "has 10,042.",
    tolerance=0.01,
    unit="questions",
)
