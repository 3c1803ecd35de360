"""Each rule by an answer that only it explains, in the words that name it."""

import numpy as np
import pytest

from perfmodel.tasks.relations import relation

CASES = [
    {"n": n, "x": x, "t": t}
    for n, x, t in ((2, 0.3, 5.25), (3, 0.7, 7.5), (10, 0.2, 0.35), (6, 0.9, 41.8))
]
N, X, T = (np.array([case[name] for case in CASES]) for name in "nxt")
RIGHT = 3.3 * T + 1.7 / X


def told(answers, rights=RIGHT, unit="", cases=CASES):
    return relation(list(answers), list(rights), cases, 1e-6, unit)


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (7.0 + 0 * RIGHT, "have 7, whatever the arguments are"),
        (RIGHT / 2, "half of the right number"),
        (RIGHT**2, "the square of the right number"),
        (RIGHT / T, "over `t`: is a factor missing"),
        (RIGHT * T, "times `t`: is a divisor missing"),
        (RIGHT - X, "below the right number by `x`"),
        (RIGHT * (1 - X), "times `1 - x`"),
        (RIGHT / (1 - X), "over `1 - x`"),
        (RIGHT / (N - 1), "over `n - 1`"),
        (RIGHT * N / (N - 1), "by the ratio of `n` to `n - 1`"),
        (X, "have `x` itself"),
        (RIGHT * T / N, "times `t` over `n`"),
        (RIGHT * N * T, "times `n` and `t`"),
        (RIGHT / (N * X), "over `n` and `x`"),
        (RIGHT + N * T, "above the right number by `n` times `t`"),
        (RIGHT - X / N, "below the right number by `x` over `n`"),
        (RIGHT + 4.5, "above the right number by 4.5"),
        (np.floor(RIGHT), "rounded to a whole number"),
        (RIGHT * (1 + 0.02 * np.sin(RIGHT)), "within 3 % of the right number"),
    ],
)
def test_each_rule_is_told(answers, said):
    assert said in told(answers)


def test_units_counts_and_parts_of_one():
    assert "by the ratio of MiB to MB" in told(RIGHT * 1.048576, unit="MB")
    assert "MiB" not in told(RIGHT * 1.048576, unit="s")
    counts = np.array([4.0, 9.0, 12.0, 5.0])
    assert "off by one" in told(counts + np.array([1, -1, 1, -1]), counts)
    fractions = np.array([0.1, 0.6, 0.45, 0.8])
    assert "1 minus the right number" in told(1 - fractions, fractions)


def test_what_no_rule_explains_is_left_unsaid():
    assert told(RIGHT * (2 + np.sin(N))) == ""
    assert told([np.nan, 1.0, 2.0, 3.0]) == ""
    assert told(np.array([1.0, 2.0, 4.0, 8.0]), 0 * RIGHT) == ""


def test_a_single_value_needs_no_cases():
    assert told([5.0], [10.0], cases=[{}]) == (
        "You have half of the right number: look for a factor of 2."
    )
