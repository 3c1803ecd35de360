"""Worked examples of the chapter on benchmarking."""

from __future__ import annotations

from math import comb, prod

from perfmodel.benchmarking import arithmetic_mean, geometric_mean, harmonic_mean, pass_at_k
from perfmodel.live import Problem, SolutionLine, WorkedExample


def mean_speedup(first: float, second: float, third: float) -> Problem:
    """Return the geometric mean of three speedups."""
    ratios = [first, second, third]
    product, mean = prod(ratios), float(geometric_mean(ratios))
    return Problem(
        f"Three programs become {first:g}, {second:g} and {third:g} times as fast. Nobody knows "
        "how much each will be used. What is their geometric mean?",
        [
            SolutionLine(
                "Product s₁ s₂ s₃",
                f"{first:g} × {second:g} × {third:g}",
                product,
                "",
                {"That is the sum. A geometric mean multiplies.": sum(ratios)},
            ),
            SolutionLine(
                "Geometric mean, the third root",
                f"{product:g}^(1/3)",
                mean,
                "",
                {
                    "That is the arithmetic mean: one good program decides it.": (
                        float(arithmetic_mean(ratios))
                    ),
                    "That is the harmonic mean: it supposes equally long programs before.": (
                        float(harmonic_mean(ratios))
                    ),
                    "That is the square root. Three ratios take the third root.": product**0.5,
                },
            ),
        ],
    )


MEAN_SPEEDUP = WorkedExample(
    "benchmarking-mean-speedup",
    mean_speedup,
    0,
    {"first": 1, "second": 2, "third": 8},
    {"first": 0.5, "second": 4, "third": 6},
    {"first": 1, "second": 3, "third": 9},
)


def passing(samples: int, correct: int, tries: int) -> Problem:
    """Return the probability that one of some tries passes, from counted samples."""
    wrong, all_draws = comb(samples - correct, tries), comb(samples, tries)
    value = float(pass_at_k(samples, correct, tries))
    again = 1 - (1 - correct / samples) ** tries
    return Problem(
        f"A model wrote {samples} programs for a task, and {correct} of them are correct. You draw "
        f"{tries} of the {samples} at random. With which probability is at least one of them "
        "correct?",
        [
            SolutionLine(
                f"Draws of {tries} among all, C(n, k)",
                f"C({samples}, {tries})",
                all_draws,
                "",
                {"The order of the draws doesn't count.": all_draws * _orders(tries)},
            ),
            SolutionLine(
                "Draws without a correct one, C(n − c, k)",
                f"C({samples - correct}, {tries})",
                wrong,
                "",
                {
                    "Those are draws of correct programs alone.": comb(correct, tries),
                    "The order of the draws doesn't count.": wrong * _orders(tries),
                },
            ),
            SolutionLine(
                "pass@k = 1 − C(n − c, k) / C(n, k)",
                f"1 − {wrong} / {all_draws}",
                value,
                "",
                {
                    "You put each program back before the next draw.": again,
                    "That is the probability that none is correct.": 1 - value,
                    "That is one draw.": correct / samples,
                },
            ),
        ],
    )


def _orders(count: int) -> int:
    return prod(range(1, count + 1))


PASSING = WorkedExample(
    "benchmarking-passing",
    passing,
    1,
    {"samples": 5, "correct": 2, "tries": 2},
    {"samples": 8, "correct": 3, "tries": 2},
    {"samples": 6, "correct": 2, "tries": 3},
)
