"""Shares of tasks, against statsmodels, against enumeration, and against simulated suites."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from statsmodels.stats import contingency_tables

from perfmodel.benchmarking import (
    detection_power,
    discordant_shares,
    interval_coverage,
    mcnemar,
    proportion_interval,
    tasks_needed,
)

rates = st.floats(0.05, 0.95)


@given(st.integers(1, 400), st.data())
def test_intervals_hold_the_share_and_agree_with_scipy(trials: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, trials))
    for method in ("wilson", "exact"):
        low, high = proportion_interval(k, trials, method)
        theirs = stats.binomtest(k, trials).proportion_ci(method=method)
        assert_allclose([low, high], theirs, atol=1e-9)
        assert -1e-12 <= low <= k / trials + 1e-12
        assert k / trials - 1e-12 <= high <= 1 + 1e-12
        assert high > low


def test_wald_reaches_below_nothing_and_wilson_not() -> None:
    low, high = proportion_interval(2, 279, "wald")
    assert_allclose([low, high], [-0.0027, 0.0171], atol=5e-5)
    assert proportion_interval(0, 279)[1] == pytest.approx(0.0136, abs=5e-5)


@pytest.mark.parametrize(
    ("share", "method", "covered"),
    [(0.0072, "wald", 0.866), (0.0072, "wilson", 0.947), (0.0538, "wald", 0.926)],
)
def test_coverage_is_that_of_simulated_suites(share: float, method: str, covered: float) -> None:
    assert_allclose(interval_coverage(share, 279, method), covered, atol=6e-4)
    solved = np.random.default_rng(1).binomial(279, share, 40_000)
    low, high = proportion_interval(solved, 279, method)
    assert_allclose(np.mean((low <= share) & (share <= high)), covered, atol=8e-3)


@given(rates, st.integers(1, 60))
def test_exact_interval_covers_at_least_its_level(share: float, trials: int) -> None:
    assert interval_coverage(share, trials, "exact") >= 0.95 - 1e-9


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_mcnemar_is_statsmodels_exact_test(pairs: list[tuple[bool, bool]]) -> None:
    first, second = np.array(pairs).T
    ours = mcnemar(first, second)
    assert ours.tasks == len(pairs)
    assert_allclose(ours.difference, second.mean() - first.mean(), atol=1e-12)
    table = [[ours.both, ours.only_first], [ours.only_second, ours.neither]]
    theirs = contingency_tables.mcnemar(table, exact=True).pvalue
    assert_allclose(ours.p_value, theirs, atol=1e-9)


@pytest.mark.parametrize(
    ("tasks", "first", "second", "correlation"),
    [(300, 0.3, 0.38, 0.0), (300, 0.3, 0.38, 0.6), (60, 0.5, 0.75, 0.3), (500, 0.02, 0.05, 0.1)],
)
def test_power_is_that_of_simulated_suites(
    tasks: int, first: float, second: float, correlation: float
) -> None:
    """Twenty thousand suites drawn; four standard errors of a share are 0.014 at most."""
    rng = np.random.default_rng(7)
    apart = discordant_shares(first, second, correlation)
    both = first - apart[0]
    drawn = rng.multinomial(tasks, [both, *apart, 1 - both - sum(apart)], 20_000)
    sides = drawn[:, 1:3]
    low = stats.binom.cdf(sides.min(axis=1), sides.sum(axis=1), 0.5)
    result = np.mean(np.minimum(2 * low, 1) <= 0.05)
    power = detection_power(tasks, first, second, correlation=correlation)
    assert_allclose(power, result, atol=0.014)


def test_the_test_keeps_its_promise_where_nothing_differs() -> None:
    for tasks in (5, 50, 500, 5000):
        assert detection_power(tasks, 0.3, 0.3) <= 0.05
    assert detection_power(5, 0.01, 0.99) == 0.0, "five tasks can't reach p = 0.05"


@settings(max_examples=25)
@given(rates, st.floats(0.05, 0.3), st.floats(0, 0.5))
def test_systems_that_solve_the_same_tasks_are_told_apart_sooner(
    first: float, more: float, correlation: float
) -> None:
    second = first + more if first < 0.5 else first - more
    try:
        less_apart = detection_power(200, first, second, correlation=correlation)
    except ValueError:
        return
    assert less_apart >= detection_power(200, first, second) - 0.02


def test_tasks_needed_are_enough_and_hardly_more() -> None:
    for first, second, correlation in ((0.3, 0.32, 0.8), (0.5, 0.7, 0.0), (0.02, 0.05, 0.0)):
        tasks = tasks_needed(first, second, correlation=correlation)
        assert detection_power(tasks, first, second, correlation=correlation) >= 0.8
        fewer = int(0.93 * tasks)
        assert detection_power(fewer, first, second, correlation=correlation) < 0.8


@given(rates, rates, st.floats(-1, 1))
def test_discordant_shares_make_the_difference(p: float, q: float, correlation: float) -> None:
    try:
        only_first, only_second = discordant_shares(p, q, correlation)
    except ValueError:
        return
    assert_allclose(only_second - only_first, q - p, atol=1e-9)
    shared = p - only_first
    spread = np.sqrt(p * (1 - p) * q * (1 - q))
    assert_allclose((shared - p * q) / spread, correlation, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mcnemar([True], [True, False]), "second must have as many tasks"),
        (lambda: mcnemar([0.5], [True]), "first must hold a truth value"),
        (lambda: detection_power(10, 0.1, 0.9, correlation=0.9), "correlation must be one"),
        (lambda: detection_power(10, 0.3, 0.3, correlation=1.0), "correlation must be one"),
        (lambda: tasks_needed(0.3, 0.4, power=0.01), "power must be above alpha"),
    ],
)
def test_impossible_correlations_and_powers_are_named(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]


def test_a_difference_too_small_for_any_suite_is_refused() -> None:
    with pytest.raises(ValueError, match="over 100000 tasks"):
        tasks_needed(0.5, 0.50001)
