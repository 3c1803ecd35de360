"""What the reader does: the best size for a budget, and the runs that an interval needs."""

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
            "Your N times D is the whole budget. A run takes 6 N D operations: divide by 6 first.",
        ),
        Mistake(
            "exponents exchanged",
            lambda A, B, alpha, beta, compute: (
                (alpha * A / (beta * B)) ** (1 / (alpha + beta))
                * (compute / 6) ** (alpha / (alpha + beta))
            ),
            "That is the exponent of the data. Where size helps less and less (a large alpha), "
            "the budget goes into data: the size has beta in the numerator.",
        ),
        Mistake(
            "without G",
            lambda A, B, alpha, beta, compute: (compute / 6) ** (beta / (alpha + beta)),
            "The power of the budget is right, the factor G of (4) in front of it is missing.",
        ),
        Mistake(
            "G without its root",
            lambda A, B, alpha, beta, compute: (
                alpha * A / (beta * B) * (compute / 6) ** (beta / (alpha + beta))
            ),
            "G is that fraction to the power 1/(alpha + beta), not the fraction itself.",
        ),
        Mistake(
            "G upside down",
            lambda A, B, alpha, beta, compute: (
                (beta * B / (alpha * A)) ** (1 / (alpha + beta))
                * (compute / 6) ** (beta / (alpha + beta))
            ),
            "Your G is upside down: a larger A, more loss for lack of size, asks for more of it.",
        ),
        Mistake(
            "equal shares",
            lambda A, B, alpha, beta, compute: (compute / 6) ** 0.5,
            "That makes as many tokens as parameters. Set the slopes of the two terms of (1) "
            "equal instead, each times its variable: alpha A/N^alpha = beta B/D^beta.",
        ),
        Mistake(
            "equal terms",
            lambda A, B, alpha, beta, compute: (
                (A / B) ** (1 / (alpha + beta)) * (compute / 6) ** (beta / (alpha + beta))
            ),
            "You made the two terms of the loss equal. It is their slopes on a log axis, alpha "
            "and beta times the terms, that must be equal.",
        ),
        Mistake(
            "the data instead",
            lambda A, B, alpha, beta, compute: compute / 6 / _size(A, B, alpha, beta, compute),
            "Those are the tokens. Asked for is the size, in parameters.",
        ),
    ],
    hint="G = (alpha A/(beta B))^(1/(alpha + beta)), and N = G (C/6)^(beta/(alpha + beta)).",
    right="The size grows with the budget to the power of beta/(alpha + beta): near one half, so "
    "that size and data grow together.",
)

runs_needed = Task(
    "Runs for a narrower interval",
    reference=lambda runs, width, wanted: runs * (width / wanted) ** 2,
    cases=[(240, 0.05, 0.001), (100, 0.2, 0.05)],
    mistakes=[
        Mistake(
            "width like one over runs",
            lambda runs, width, wanted: runs * width / wanted,
            "An average's uncertainty falls with the square root of the runs: half as wide "
            "takes four times as many.",
        ),
        Mistake(
            "width like one over the square",
            lambda runs, width, wanted: runs * (width / wanted) ** 0.5,
            "The root is on the other side: the width goes with one over the root of the runs.",
        ),
        Mistake(
            "factor only",
            lambda runs, width, wanted: (width / wanted) ** 2,
            "That is how many times as many. Multiply by the runs there are.",
        ),
        Mistake(
            "fewer runs",
            lambda runs, width, wanted: runs * (wanted / width) ** 2,
            "A narrower interval can't take fewer runs: your fraction is upside down.",
        ),
    ],
    hint="Width goes as 1/sqrt(runs). Solve for the runs.",
    right="Before you believe an interval, turn it into the number of runs that it would take.",
)
