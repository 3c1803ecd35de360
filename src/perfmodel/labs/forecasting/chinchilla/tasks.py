"""The reader's tasks: the best size for a budget, and the runs that an interval needs."""

from __future__ import annotations

from typing import Any

from perfmodel.tasks import Mistake, Task

_LAWS = [(480.0, 2100.0, 0.35, 0.37, 5.76e23), (400.0, 410.0, 0.34, 0.28, 1e21)]


def _size(A: float, B: float, alpha: float, beta: float, compute: float) -> Any:
    scale = (alpha * A / (beta * B)) ** (1 / (alpha + beta))
    return scale * (compute / 6) ** (beta / (alpha + beta))


best_size = Task(
    "The best size for a budget",
    reference=_size,
    cases=_LAWS,
    mistakes=[
        Mistake(
            "six forgotten",
            lambda A, B, alpha, beta, compute: _size(A, B, alpha, beta, 6 * compute),
            "You set N times D to the whole budget. A run takes 6 N D operations, so divide by 6.",
        ),
        Mistake(
            "exponents exchanged",
            lambda A, B, alpha, beta, compute: (
                (alpha * A / (beta * B)) ** (1 / (alpha + beta))
                * (compute / 6) ** (alpha / (alpha + beta))
            ),
            "You used the exponent of the data. With a large alpha the budget should go into data, "
            "so the exponent of the size has beta in the numerator.",
        ),
        Mistake(
            "without G",
            lambda A, B, alpha, beta, compute: (compute / 6) ** (beta / (alpha + beta)),
            "You left out the factor G of (3).",
        ),
        Mistake(
            "G without its root",
            lambda A, B, alpha, beta, compute: (
                alpha * A / (beta * B) * (compute / 6) ** (beta / (alpha + beta))
            ),
            "You left out a power. G is the fraction to the power 1/(alpha + beta).",
        ),
        Mistake(
            "G upside down",
            lambda A, B, alpha, beta, compute: (
                (beta * B / (alpha * A)) ** (1 / (alpha + beta))
                * (compute / 6) ** (beta / (alpha + beta))
            ),
            "Your G is upside down. With a larger A a small model loses more, so the size grows.",
        ),
        Mistake(
            "equal shares",
            lambda A, B, alpha, beta, compute: (compute / 6) ** 0.5,
            "You assumed as many tokens as parameters. Set alpha A/N^alpha equal to "
            "beta B/D^beta instead.",
        ),
        Mistake(
            "equal terms",
            lambda A, B, alpha, beta, compute: (
                (A / B) ** (1 / (alpha + beta)) * (compute / 6) ** (beta / (alpha + beta))
            ),
            "You set the two terms of the loss equal. Their slopes on a log axis must be equal: "
            "alpha and beta times the terms.",
        ),
        Mistake(
            "the data instead",
            lambda A, B, alpha, beta, compute: compute / 6 / _size(A, B, alpha, beta, compute),
            "You computed the tokens. The question asks for the size, in parameters.",
        ),
    ],
    hint="G = (alpha A/(beta B))^(1/(alpha + beta)), and N = G (C/6)^(beta/(alpha + beta)).",
    right="The size grows with the budget to the power beta/(alpha + beta). This is close to one "
    "half, so size and data grow together.",
)

runs_needed = Task(
    "Runs for a narrower interval",
    reference=lambda runs, width, wanted: runs * (width / wanted) ** 2,
    cases=[(240, 0.05, 0.001), (100, 0.2, 0.05)],
    mistakes=[
        Mistake(
            "width like one over runs",
            lambda runs, width, wanted: runs * width / wanted,
            "You used the number of runs without a root. The width falls with the square root of "
            "the runs, so half the width needs four times the runs.",
        ),
        Mistake(
            "width like one over the square",
            lambda runs, width, wanted: runs * (width / wanted) ** 0.5,
            "Your root is on the wrong side. The width is proportional to 1/sqrt(runs).",
        ),
        Mistake(
            "factor only",
            lambda runs, width, wanted: (width / wanted) ** 2,
            "You computed the factor. Multiply it by the number of runs.",
        ),
        Mistake(
            "fewer runs",
            lambda runs, width, wanted: runs * (wanted / width) ** 2,
            "Your fraction is upside down. A narrower interval needs more runs.",
        ),
    ],
    hint="The width is proportional to 1/sqrt(runs). Solve this for the runs.",
    right="Before you believe an interval, convert it into the number of runs that it needs.",
)
