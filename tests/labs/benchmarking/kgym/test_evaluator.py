"""The judge's rule, against the rule run step by step and against values worked out by hand."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose

from perfmodel.labs.benchmarking.kgym.evaluator import (
    clean_runs_needed,
    judge,
    pass_chance,
    predictive_value,
)

shares = st.floats(0, 0.95)


def test_values_worked_out_by_hand() -> None:
    assert_allclose(pass_chance([0.1, 0.3, 0.5, 0.8]), [0.729, 0.343, 0.125, 0.008])
    assert_allclose(predictive_value(0.01, 0.3), 0.01 / (0.01 + 0.99 * 0.343))
    assert_allclose(pass_chance(0.0, [0.1, 0.4]), [0.99144, 0.68256])


@given(st.floats(0, 1))
def test_a_true_fix_passes_with_three_good_runs_of_five(outage: float) -> None:
    direct = sum(comb(5, j) * (1 - outage) ** j * outage ** (5 - j) for j in (3, 4, 5))
    assert_allclose(pass_chance(0.0, outage), direct, atol=1e-12)


@settings(max_examples=15)
@given(shares, shares, st.integers(1, 5), st.integers(0, 4))
def test_chance_is_that_of_the_rule_run_by_run(
    crash: float, outage: float, clean: int, spare: int
) -> None:
    rng = np.random.default_rng(3)
    passed = judge(np.full(20_000, crash), outage, rng, clean, clean + spare)
    assert_allclose(pass_chance(crash, outage, clean, clean + spare), passed.mean(), atol=0.015)


@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999), st.integers(1, 20))
def test_a_pass_is_worth_more_with_more_runs_and_a_higher_prior(
    prior: float, crash: float, clean: int
) -> None:
    value = predictive_value(prior, crash, clean=clean)
    assert prior <= value <= predictive_value(prior, crash, clean=clean + 1) <= 1
    assert value <= predictive_value((1 + prior) / 2, crash, clean=clean)


def test_predictive_value_is_the_share_of_fixes_among_what_the_judge_passed() -> None:
    rng = np.random.default_rng(8)
    fix = rng.random(200_000) < 0.05
    passed = judge(np.where(fix, 0.0, 0.4), 0.1, rng)
    assert_allclose(predictive_value(0.05, 0.4, 0.1), fix[passed].mean(), atol=0.006)


@given(st.floats(0.001, 0.99), st.floats(0.0001, 0.5))
def test_runs_needed_are_enough_and_one_less_is_not(crash: float, limit: float) -> None:
    runs = clean_runs_needed(crash, limit)
    assert (1 - crash) ** runs <= limit * (1 + 1e-9)
    assert (1 - crash) ** (runs - 1) > limit * (1 - 1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pass_chance(1.2), "crash must be between 0 and 1"),
        (lambda: pass_chance(0.1, clean=3, attempts=2), "attempts must be a whole number, 3"),
        (lambda: predictive_value(0.0, 0.3), "prior must be above 0"),
        (lambda: predictive_value(0.1, 0.3, outage=1.0), "outage must be below 1"),
        (lambda: clean_runs_needed(0.3, 0.0), "limit must be above 0 and below 1"),
        (lambda: clean_runs_needed(1.0, 0.1), "crash must be above 0 and below 1"),
    ],
)
def test_bad_input_is_named(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]
