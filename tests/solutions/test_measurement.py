"""The exercise on measuring: worked values and independent answers."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from solving import answer

from perfcourse.bank.loader import load
from perfcourse.judge import cases, parameters
from perfmodel.labs.measurement.mixed_precision_energy.savings import runs_by_normal_formula

BANK = load(Path(__file__).parents[2] / "solutions" / "measurement.py")
STUDENTS = [f"student-{i}" for i in range(10)]
reference = partial(answer, BANK)


@pytest.mark.parametrize(
    ("id", "arguments", "by_hand"),
    [
        ("inner_calls", (1e-6, 1e-7, 0.01), 1000.0),
        ("observed_rate", (100.0, 1.0, 100.0), 50.0),
        ("size_needed", (1.0, 100.0, 0.75), 300.0),
        ("total_speedup", (np.array([10.0, 90.0]), np.array([5.0, 45.0])), 2.0),
        ("welch", (5.0, 3.0, 9, 3.0, 0.0, 4), 2.0),
        ("runs_needed", (1.0, 2.0, 3.0), 72.0),
        ("in_pairs", (9.0, 15.0, 6, 0.9), 3.286335),
        ("energy_saved", (121.0, 1000.0, 112.0, 700.0), 1 - 78.4 / 121),
        ("faster_power", (60.0, 28e3, 1000.0, 1.6), 104.8),
        ("in_flight", (64e9, 1e-7, 64), 100.0),
    ],
)
def test_worked_values(id, arguments, by_hand):
    assert float(reference(id, *arguments)) == pytest.approx(by_hand, rel=1e-6)


def test_rates_by_hand():
    found = reference("stream", 10, 1.0, 2.0)
    assert found["counted"].tolist() == [160, 120]
    assert found["moved"].tolist() == [240, 160]


def test_observed_rate_reaches_the_share_at_the_size_needed():
    size = reference("size_needed", 1e-5, 1e10, 0.9)
    assert float(reference("observed_rate", size, 1e-5, 1e10)) == pytest.approx(0.9e10)


@pytest.mark.parametrize("effect", [-0.05, 0.04])
@pytest.mark.parametrize("drift", [-0.1, 0.1])
def test_interleaving_takes_a_steady_drift_out(effect, drift):
    """Both programs have the same mean time of day, so that the drift weighs both alike."""
    late = 1 + drift * np.arange(4)
    verdict, ratio = reference("abba", late * [1, 1 + effect, 1 + effect, 1])
    assert ratio == pytest.approx(1 + effect)
    assert verdict == ("B faster" if effect < 0 else "B slower")


@pytest.mark.parametrize(("drift", "name"), [(0.1, "first pair"), (-0.1, "last pair")])
def test_the_quicker_of_each_is_told_to_be_what_it_is_in_a_single_block(drift, name):
    question = BANK.question("abba")
    wrong = next(one for one in question.mistakes if one.name == name)
    a1, b1, b2, a2 = (1 + drift * np.arange(4)) * [1, 0.96, 0.96, 1]
    assert wrong.model(np.array([a1, b1, b2, a2]))[1] == min(b1, b2) / min(a1, a2)
    assert "or the faster run of each program" in wrong.hint


def test_t_is_scipys():
    for drawn in cases("measurement", BANK.question("welch"), "ada", "secret"):
        m1, s1, n1, m2, s2, n2 = drawn.values()
        expected = stats.ttest_ind_from_stats(m1, s1, n1, m2, s2, n2, equal_var=False).statistic
        assert float(reference("welch", *drawn.values())) == pytest.approx(expected)


@pytest.mark.parametrize("student", STUDENTS)
def test_t_without_its_sign_is_told_from_t(student):
    question = BANK.question("welch")
    signs = {
        reference("welch", *p.values()) > 0 for p in cases("measurement", question, student, "")
    }
    assert signs == {True, False}


@pytest.mark.parametrize("student", STUDENTS)
def test_verdict_is_that_of_a_t_test(student):
    p = parameters("measurement", BANK.question("can_tell"), student)
    n, old, new, spread = p.values()
    test = stats.ttest_ind_from_stats(new, spread, n, old, spread, n)
    verdict, _ = reference("can_tell", *p.values())
    assert (verdict == "can't tell") == (test.pvalue > 0.05)
    if verdict != "can't tell":
        assert (verdict == "new is slower") == (new > old)


def test_number_of_runs_is_the_packages():
    z = stats.norm.isf(0.025) + stats.norm.isf(0.2)
    assert float(reference("runs_needed", 9.0, 10.0, z)) == pytest.approx(
        runs_by_normal_formula(9.0, 10.0)
    )


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({}, ""),
        ({"second": np.zeros(10)}, "above 0"),
        ({"first": np.ones(10), "second": np.ones(10)}, "scatter"),
    ],
)
def test_what_cannot_be_a_measurement_is_told_so(change, complaint):
    good = {"first": np.linspace(1, 2, 10), "second": np.linspace(2, 3, 10)}
    said = BANK.question("own_pairs").plausible(**{**good, **change})
    assert (complaint in said) if complaint else said == ""
