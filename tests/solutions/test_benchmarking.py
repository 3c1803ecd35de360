"""The exercise on benchmarking: worked values, and the package's and other libraries' answers."""

from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, stats
from solving import answer
from statsmodels.stats.inter_rater import cohens_kappa as kappa_of_table
from statsmodels.stats.proportion import proportion_confint

from perfcourse.bank.loader import load
from perfcourse.judge import cases, parameters

BANK = load(Path(__file__).parents[2] / "solutions" / "benchmarking.py")
STUDENTS = [f"student-{i}" for i in range(10)]
reference = partial(answer, BANK)


@pytest.mark.parametrize(
    ("id", "arguments", "by_hand"),
    [
        ("clamped", (np.array([1.0, 0.0005]), 0.25), 0.4),
        ("clamped", (np.array([0.2] * 497 + [0.0005]), 0.001), 498 / 3485),
        ("gave_up", (np.array([2.0, 4.0, 9.0]), 1), 3 / 14),
        ("without_worst", (3, 3 / 7, 0.2), 1.0),
        ("by_repository", (np.array([1.0, 4.0, 8.0]), np.array([1, 1, 2])), 4.0),
        (
            "profile",
            (np.array([1.0, 4.0]), np.array([False, True]), np.array([1.0, 2.0]), 5.0),
            0.375,
        ),
        ("tasks_needed", (0.5, 0.75, 2.0), 28.0),
        ("discordant", (3, 12, 7, 257), 0.359283),
        ("pass_at_k", (10, 2, 5), 1 - 56 / 252),
        ("false_gains", (0.1, 1, 1.1), 0.2501732),
        ("again", (9.0, 1.0, 1.0, 1.0), 5.0),
        ("lucky", (0.01, 0.3, 3), 0.0286066),
        ("confounded", (7.0, 8.0, 1.0, 2.0, 3.0, 4.0), 5.0),
        ("tries", (0.05, 0.95), 58.403976),
    ],
)
def test_worked_values(id, arguments, by_hand):
    assert float(reference(id, *arguments)) == pytest.approx(by_hand, rel=1e-5)


def test_means_by_hand():
    found = reference(
        "suite_means", np.array([9.597, 5, 5]), np.array([2.792, 5 / 1.11, 5 / 0.992])
    )
    assert {name: round(value, 3) for name, value in found.items()} == {
        "arithmetic": 1.846,
        "geometric": 1.558,
        "harmonic": 1.364,
        "total": 1.588,
    }


@pytest.mark.parametrize("student", STUDENTS)
def test_verdict_is_the_same_from_either_machine(student):
    question = BANK.question("baseline")
    a, b = parameters("benchmarking", question, student).values()
    (one, ratio), (other, back) = question.reference(a, b), question.reference(b, a)
    assert one != other
    assert ratio * back == pytest.approx(1)
    assert np.mean(a / b) > 1
    assert np.mean(b / a) > 1, "by the arithmetic mean each machine beats the other"


def test_profile_is_the_integral_of_a_step_function():
    for drawn in cases("benchmarking", BANK.question("profile"), "ada", "secret"):
        times, reached, fastest, r_max = drawn.values()
        ratios = np.where(reached, times / fastest, np.inf)
        steps = [ratio for ratio in ratios if 1 < ratio < r_max]
        area, _ = integrate.quad(
            lambda tau, ratios=ratios: np.mean(ratios <= tau), 1, r_max, points=steps, limit=200
        )
        assert float(reference("profile", *drawn.values())) == pytest.approx(
            area / (r_max - 1), rel=1e-6
        )


def test_a_terrible_method_changes_who_leads_for_some_students():
    question = BANK.question("loser")
    alone = next(one for one in question.mistakes if one.name == "without the fourth")
    drawn = [parameters("benchmarking", question, student) for student in STUDENTS]
    changed = [question.reference(**p)[0] != alone.model(**p)[0] for p in drawn]
    assert any(changed)
    assert not all(changed)


def test_the_easier_tasks_flatter_one_model_for_some_students():
    question = BANK.question("common")
    own = next(one for one in question.mistakes if one.name == "each on its own")
    drawn = [parameters("benchmarking", question, student) for student in STUDENTS]
    assert any(question.reference(**p)[0] != own.model(**p)[0] for p in drawn)


@pytest.mark.parametrize("student", STUDENTS)
def test_intervals_and_agreement_are_those_of_statsmodels(student):
    solved, tasks = parameters("benchmarking", BANK.question("rare"), student).values()
    wilson = proportion_confint(solved, tasks, method="wilson")
    assert reference("rare", solved, tasks) == pytest.approx(wilson, rel=1e-6)
    (counts,) = parameters("benchmarking", BANK.question("kappa"), student).values()
    found = kappa_of_table(counts, return_results=False)
    assert float(reference("kappa", counts)) == pytest.approx(float(found))


def test_share_of_identical_pairs_is_that_of_a_simulation():
    rng = np.random.default_rng(0)
    logs = 0.1 * rng.standard_normal((2, 3, 200_000)).mean(axis=1)
    share = np.mean(logs[0] - logs[1] >= np.log(1.1))
    assert float(reference("false_gains", 0.1, 3, 1.1)) == pytest.approx(share, rel=0.02)


def test_second_measurement_is_that_of_a_simulation():
    rng = np.random.default_rng(0)
    true = rng.normal(2, 3, 2_000_000)
    first = true + rng.normal(0, 4, true.size)
    chosen = abs(first - 11) < 0.1
    expected = float(reference("again", 11.0, 2.0, 3.0, 4.0))
    assert true[chosen].mean() == pytest.approx(expected, abs=0.1)


def test_effects_are_the_coefficients_of_a_regression():
    signs = np.array([row[::-1] for row in product((-1, 1), repeat=3)])
    rates = np.array([41.0, 52, 47, 70, 38, 49, 45, 69])
    a, b, c = signs.T
    columns = np.column_stack([np.ones(8), a, b, c, a * b, a * c, b * c])
    fitted = 2 * np.linalg.lstsq(columns, rates, rcond=None)[0]
    found = reference("effects", rates)
    assert [found[name] for name in ("a", "c", "ab")] == pytest.approx(fitted[[1, 3, 4]])
    explained = 8 * (fitted[1] / 2) ** 2 / np.sum((rates - rates.mean()) ** 2)
    assert float(reference("variation", rates)) == pytest.approx(explained)


def test_half_of_the_runs_report_two_interactions_in_one():
    signs = np.array(list(product((-1, 1), repeat=3)))
    a, b, c = signs.T
    d = a * b * c
    effects = {"a": 7.0, "b": 8.0, "ab": 1.0, "ac": 2.0, "bd": 3.0, "cd": 4.0}
    columns = {"a": a, "b": b, "ab": a * b, "ac": a * c, "bd": b * d, "cd": c * d}
    rates = sum(effects[name] / 2 * columns[name] for name in effects)
    reported = rates[a * b > 0].mean() - rates[a * b < 0].mean()
    assert reported == pytest.approx(float(reference("confounded", *effects.values())))


def test_so_many_settings_hit_with_that_chance():
    tried = float(reference("tries", 0.1, 0.9))
    assert stats.binom.pmf(0, 22, 0.1) < 0.1 < stats.binom.pmf(0, 21, 0.1)
    assert 21 < tried < 22


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({}, ""),
        ({"new": np.zeros(6)}, "above 0"),
        ({"new": np.linspace(1, 2, 6)}, "all the same"),
        ({"new": np.linspace(1, 2, 6) / 2}, "speedups are the same"),
    ],
)
def test_what_cannot_be_a_suite_is_told_so(change, complaint):
    good = {"old": np.linspace(1, 2, 6), "new": np.linspace(2, 1, 6)}
    said = BANK.question("own_suite").plausible(**{**good, **change})
    assert (complaint in said) if complaint else said == ""
