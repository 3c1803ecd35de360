"""Worked examples of the chapter on prediction."""

from __future__ import annotations

import numpy as np

from perfmodel.live import Problem, SolutionLine, WorkedExample
from perfmodel.prediction import mape


def percentage_error(measured: tuple[float, ...], predicted: tuple[float, ...]) -> Problem:
    """Return the mean percentage error of three predictions, in per cent."""
    t, p = np.array(measured), np.array(predicted)
    errors = 100 * np.abs(p - t) / t
    mean = 100 * mape(t, p)
    names = [f"{value:g}" for value in errors]
    return Problem(
        f"Three runs took {_listed(measured)} s. A model predicts {_listed(predicted)} s. What is "
        "its mean percentage error, in %?",
        [
            SolutionLine(
                "First error |t̂ − t| / t",
                f"|{predicted[0]:g} − {measured[0]:g}| / {measured[0]:g}",
                float(errors[0]),
                "%",
            ),
            SolutionLine(
                "Sum of the three errors",
                " + ".join(f"{name} %" for name in names),
                float(errors.sum()),
                "%",
                {
                    "You let errors of opposite sign cancel. Take each without its sign.": (
                        float(abs((100 * (p - t) / t).sum()))
                    ),
                    "You divided by the prediction. Divide by the measured time.": (
                        float((100 * np.abs(p - t) / p).sum())
                    ),
                },
            ),
            SolutionLine(
                "Mean (1/n) Σ |t̂ − t| / t",
                f"{errors.sum():g} % / 3",
                mean,
                "%",
                {
                    "You let errors of opposite sign cancel. Take each without its sign.": (
                        float(abs((100 * (p - t) / t).mean()))
                    ),
                    "You divided all seconds of error by all seconds. Long runs then decide.": (
                        float(100 * np.abs(p - t).sum() / t.sum())
                    ),
                    "That is the sum. Divide by the number of runs.": float(errors.sum()),
                },
            ),
        ],
    )


def _listed(values: tuple[float, ...]) -> str:
    return f"{', '.join(f'{value:g}' for value in values[:-1])} and {values[-1]:g}"


PERCENTAGE_ERROR = WorkedExample(
    "prediction-percentage-error",
    percentage_error,
    1,
    {"measured": (10, 20, 100), "predicted": (12, 18, 101)},
    {"measured": (4, 10, 50), "predicted": (6, 9, 55)},
    {"measured": (2, 8, 40), "predicted": (1, 10, 50)},
)


def power_law(small: float, quick: float, large: float, slow: float, asked: float) -> Problem:
    """Return the time at a size, in seconds, by the power law through two runs."""
    slope, _ = np.polyfit(np.log([small, large]), np.log([quick, slow]), 1)
    ratio = asked / large
    return Problem(
        f"A run of size {small:g} takes {quick:g} s, and one of size {large:g} takes {slow:g} s. "
        f"Suppose that time is a power of the size. How many seconds does size {asked:g} take?",
        [
            SolutionLine(
                "Exponent b = ln(t₂ / t₁) / ln(n₂ / n₁)",
                f"ln {slow / quick:g} / ln {large / small:g}",
                float(slope),
                "",
                {
                    "You left out the logarithms: exponents are ratios of logarithms.": (
                        (slow / quick) / (large / small)
                    ),
                    "That is its reciprocal: the time stands above, the size below.": (
                        1 / float(slope)
                    ),
                },
            ),
            SolutionLine("Growth (n₃ / n₂)^b", f"{ratio:g}^{slope:.4g}", float(ratio**slope)),
            SolutionLine(
                "Time t₃ = t₂ × growth",
                f"{slow:g} s × {ratio**slope:.4g}",
                float(slow * ratio**slope),
                "s",
                {
                    "You let time grow in proportion to the size: exponent 1.": slow * ratio,
                    "You went on along a straight line through the two runs.": (
                        slow + (slow - quick) / (large - small) * (asked - large)
                    ),
                },
            ),
        ],
    )


POWER_LAW = WorkedExample(
    "prediction-power-law",
    power_law,
    0,
    {"small": 1000, "quick": 2, "large": 2000, "slow": 8, "asked": 4000},
    {"small": 100, "quick": 3, "large": 400, "slow": 24, "asked": 1600},
    {"small": 500, "quick": 1, "large": 1000, "slow": 8, "asked": 3000},
)
