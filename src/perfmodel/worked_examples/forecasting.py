"""Worked examples of the chapter on forecasting."""

from __future__ import annotations

import numpy as np

from perfmodel.forecasting import compute_optimal
from perfmodel.live import Problem, SolutionLine, WorkedExample


def above_floor(floor: float, first: float, second: float, growth: float, far: float) -> Problem:
    """Return the loss at a larger size by a saturating law with a known floor."""
    gaps = first - floor, second - floor
    exponent = np.log(gaps[0] / gaps[1]) / np.log(growth)
    loss = floor + gaps[1] * far**-exponent
    straight = np.log(first / second) / np.log(growth)
    return Problem(
        f"Two runs reach losses of {first:g} and {second:g}; the second is {growth:g} times as "
        f"large. The law is e + a x⁻ᵇ with the floor e = {floor:g}. Which loss do you forecast "
        f"for {far:g} times the size of the second run?",
        [
            SolutionLine("Above the floor y − e", f"{first:g} − {floor:g}", gaps[0]),
            SolutionLine(
                "Exponent b = ln((y₁ − e) / (y₂ − e)) / ln(x₂ / x₁)",
                f"ln({gaps[0]:g} / {gaps[1]:g}) / ln {growth:g}",
                float(exponent),
                "",
                {
                    "You left the floor in. Only what is above it falls as a power.": (
                        float(straight)
                    ),
                    "That is the ratio of the gaps. Divide their logarithms.": gaps[0] / gaps[1],
                },
            ),
            SolutionLine(
                "Loss e + (y₂ − e) (x₃ / x₂)⁻ᵇ",
                f"{floor:g} + {gaps[1]:g} × {far:g}^−{exponent:.4g}",
                float(loss),
                "",
                {
                    "You left the floor in: a straight line on log-log paper goes too low.": (
                        float(second * far**-straight)
                    ),
                    "That is the part above the floor. Add the floor.": float(loss - floor),
                },
            ),
        ],
    )


ABOVE_FLOOR = WorkedExample(
    "forecasting-above-floor",
    above_floor,
    1,
    {"floor": 2, "first": 4, "second": 3, "growth": 4, "far": 16},
    {"floor": 1, "first": 5, "second": 3, "growth": 8, "far": 64},
    {"floor": 1.5, "first": 5.5, "second": 2.5, "growth": 16, "far": 16},
)


def split_compute(zettaflop: float, ratio: float) -> Problem:
    """Return the tokens of best training in billions, for a budget in 10²¹ FLOP."""
    law = {"A": 1.0, "B": ratio**0.3, "alpha": 0.3, "beta": 0.3}
    best = compute_optimal(law, 1e21 * zettaflop)
    size, tokens = float(best.parameters) / 1e9, float(best.tokens) / 1e9
    return Problem(
        f"You can pay for {zettaflop:g} × 10²¹ FLOP. Training takes C = 6 N D for N parameters "
        f"and D tokens, and {ratio:g} tokens a parameter are best. On how many billion tokens do "
        "you train?",
        [
            SolutionLine(
                "N² = C / (6 × tokens a parameter)",
                f"{zettaflop:g} × 10²¹ / (6 × {ratio:g})",
                size**2,
                "× 10¹⁸",
            ),
            SolutionLine(
                "Parameters N",
                f"√({size**2:.4g} × 10¹⁸)",
                size,
                "billion",
                {
                    "Take the square root: C grows with N times D, and D with N.": size**2,
                    "You left out the 6: two operations forward, four backward.": (size * 6**0.5),
                },
            ),
            SolutionLine(
                "Tokens D",
                f"{ratio:g} × {size:.4g} billion",
                tokens,
                "billion",
                {
                    "Those are the parameters. Multiply by the tokens for each.": size,
                    "You left out the 6: two operations forward, four backward.": (tokens * 6**0.5),
                },
            ),
        ],
    )


SPLIT_COMPUTE = WorkedExample(
    "forecasting-split-compute",
    split_compute,
    1,
    {"zettaflop": 12, "ratio": 20},
    {"zettaflop": 600, "ratio": 25},
    {"zettaflop": 48, "ratio": 20},
)
