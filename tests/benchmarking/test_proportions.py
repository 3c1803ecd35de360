"""Proportions and samples of programs: exact enumeration and coverage."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from statsmodels.stats import contingency_tables

from perfmodel.benchmarking import (
    BetaRates,
    best_at_k,
    beta_rates_through,
    detection_power,
    discordant_probabilities,
    efficient_at_k,
    interval_coverage,
    mcnemar,
    pass_at_k,
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
    apart = discordant_probabilities(first, second, correlation)
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
        only_first, only_second = discordant_probabilities(p, q, correlation)
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


counts = st.integers(1, 8).flatmap(
    lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))
)


@given(counts)
def test_pass_at_k_is_the_mean_over_all_choices(drawn: tuple[int, int, int]) -> None:
    n, c, k = drawn
    outcomes = [True] * c + [False] * (n - c)
    direct = np.mean([any(choice) for choice in combinations(outcomes, k)])
    assert_allclose(pass_at_k(n, c, k), direct, atol=1e-12)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=7), st.data())
def test_best_at_k_is_the_mean_over_all_choices(scores: list[float], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(scores)))
    direct = np.mean([max(choice) for choice in combinations(scores, k)])
    assert_allclose(best_at_k(scores, k), direct, atol=1e-9)


@given(counts, st.data())
def test_efficient_at_k_is_at_most_pass_at_k(
    drawn: tuple[int, int, int], data: st.DataObject
) -> None:
    n, c, k = drawn
    costs = np.array(data.draw(st.lists(st.floats(0.1, 10), min_size=n, max_size=n)))
    correct = np.arange(n) < c
    direct = np.mean(
        [any(correct[i] and costs[i] < 5 for i in choice) for choice in combinations(range(n), k)]
    )
    ours = efficient_at_k(costs, correct, 5.0, k)
    assert_allclose(ours, direct, atol=1e-12)
    assert ours <= pass_at_k(n, c, k) + 1e-12


def test_pass_at_k_is_unbiased_and_the_plug_in_is_not() -> None:
    rng = np.random.default_rng(0)
    c = rng.binomial(10, 0.2, 200_000)
    truth = 1 - 0.8**5
    assert_allclose(pass_at_k(10, c, 5).mean(), truth, atol=4e-3)
    assert np.mean(1 - (1 - c / 10) ** 5) < truth - 0.02


def test_many_tasks_at_once_keep_their_shape() -> None:
    scores = np.arange(12.0).reshape(2, 2, 3)
    assert best_at_k(scores, 3).shape == (2, 2)
    assert_allclose(best_at_k(scores, 3), scores.max(axis=-1))
    assert_allclose(best_at_k(scores, 1), scores.mean(axis=-1))
    assert pass_at_k([10, 20], [[0, 1], [2, 3]], 4).shape == (2, 2)


@given(st.floats(0.05, 50), st.floats(0.05, 50), st.integers(1, 30))
def test_beta_rates_pass_at_is_the_product_of_failures(a: float, b: float, k: int) -> None:
    i = np.arange(k)
    assert_allclose(BetaRates(a, b).pass_at(k), 1 - np.prod((b + i) / (a + b + i)), atol=1e-9)


@given(st.floats(0.05, 0.9), st.floats(0.02, 0.95), st.integers(2, 20))
def test_law_through_two_numbers_goes_through_them(mean: float, share: float, k: int) -> None:
    alike = 1 - (1 - mean) ** k
    law = beta_rates_through(mean, mean + share * (alike - mean), k)
    assert_allclose([law.mean, law.pass_at(k)], [mean, mean + share * (alike - mean)], rtol=1e-6)


def test_paper_s_numbers_give_the_law_worked_out_by_hand() -> None:
    """PIE's 38.55 % at one sample and 70.96 % at eight; a + b solved for on the lab's sheet."""
    law = beta_rates_through(0.3855, 0.7096, 8)
    assert_allclose([law.a, law.b], [0.419, 0.668], atol=1e-3)
    assert_allclose(law.correlation, 1 / (law.a + law.b + 1))


def test_correlation_is_that_of_two_samples_of_a_task() -> None:
    rng = np.random.default_rng(4)
    rates = rng.beta(0.4, 0.6, 200_000)
    two = rng.random((2, rates.size)) < rates
    assert_allclose(np.asarray(np.corrcoef(two))[0, 1], BetaRates(0.4, 0.6).correlation, atol=0.01)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pass_at_k(3, 1, 4), "samples must be 4 or more"),
        (lambda: pass_at_k(3, 4, 1), "correct must be at most samples"),
        (lambda: pass_at_k(3, 1.5, 1), "correct must hold whole numbers"),
        (lambda: best_at_k([1.0, 2.0], 3), "k must be at most the number of scores, 2"),
        (lambda: efficient_at_k([1.0], [1], 2.0, 1), "correct must hold a truth value"),
        (lambda: beta_rates_through(0.4, 0.99, 8), "pass_k must lie between"),
        (lambda: beta_rates_through(0.4, 0.4, 8), "pass_k must lie between"),
    ],
)
def test_more_correct_than_drawn_is_named(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]
