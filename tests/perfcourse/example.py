"""A tiny bank with one question of each kind, for the tests of the machinery."""

import numpy as np

from perfcourse.bank import Bank, Mistake, array, choice, function, measured, number
from perfcourse.bank.properties import limit, monotone, refuses, vectorised


def speedup(serial, n):
    if not np.all((np.asarray(serial) >= 0) & (np.asarray(serial) <= 1)):
        raise ValueError(f"serial must be between 0 and 1, got {serial!r}")
    return 1 / (serial + (1 - serial) / n)


def drawn(rng):
    return {"serial": rng.uniform(0.05, 0.6), "n": int(rng.integers(3, 64))}


gustafson = Mistake(
    "scaled problem",
    lambda serial, n: n + (1 - n) * serial,
    "That is Gustafson's law: there the problem grows with the machine.",
)
swapped = Mistake(
    "fractions swapped",
    lambda serial, n: 1 / (1 - serial + serial / n),
    "You divided the serial part by n; it's the parallel part that n processors share.",
)

bank = Bank(
    "example",
    "One question of each kind",
    [
        function(
            "q1",
            "Speedup",
            reference=speedup,
            inputs=drawn,
            points=5,
            mistakes=[gustafson, swapped],
            properties=[
                limit("one processor", (0.3, 1), 1, "On one processor the speedup is 1."),
                vectorised((0.1, np.array([1, 2, 4])), 1),
                refuses((1.5, 4), 1, "A serial fraction above 1 deserves a ValueError."),
                monotone("more is faster", 1, [1, 2, 4], (0.2, 1), 1, "More must be faster."),
            ],
        ),
        number(
            "q2",
            "Your machine's speedup",
            reference=speedup,
            inputs=drawn,
            points=2,
            mistakes=[gustafson, swapped],
        ),
        array(
            "q3",
            "Speedup on 1, 2, 4 and 8 processors",
            reference=lambda serial: speedup(serial, np.array([1, 2, 4, 8])),
            inputs=lambda rng: {"serial": rng.uniform(0.05, 0.6)},
            mistakes=[
                Mistake(
                    "linear",
                    lambda serial: np.array([1.0, 2, 4, 8]),
                    "You left the serial part out.",
                )
            ],
        ),
        choice(
            "q4",
            "Is doubling the processors worth it?",
            choices=("double", "keep"),
            reference=lambda serial, n: (
                "double" if speedup(serial, 2 * n) / speedup(serial, n) > 1.5 else "keep",
                speedup(serial, 2 * n) / speedup(serial, n),
            ),
            inputs=drawn,
            mistakes=[
                Mistake(
                    "linear", lambda serial, n: ("double", 2.0), "Twice the processors isn't twice."
                )
            ],
        ),
        measured(
            "q5",
            "Your measured serial fraction",
            columns=("processors", "seconds"),
            reference=lambda processors, seconds: karp_flatt(processors, seconds),
            example=lambda rng: measurement(rng.uniform(0.05, 0.4)),
            least=2,
            plausible=lambda processors, seconds: (
                "" if (seconds > 0).all() else "Times must be above 0."
            ),
            mistakes=[
                Mistake(
                    "efficiency",
                    lambda processors, seconds: seconds[0] / seconds[-1] / processors[-1],
                    "That is the parallel efficiency.",
                )
            ],
        ),
    ],
)


def karp_flatt(processors, seconds):
    psi, n = seconds[0] / seconds[-1], processors[-1]
    return (1 / psi - 1 / n) / (1 - 1 / n)


def measurement(serial):
    n = np.array([1, 2, 4])
    return {"processors": n, "seconds": 10 * (serial + (1 - serial) / n)}
