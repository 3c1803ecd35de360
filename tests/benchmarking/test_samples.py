"""Several samples of a task, against enumeration of all choices and against simulation."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose

from perfmodel.benchmarking import (
    BetaRates,
    best_at_k,
    beta_rates_through,
    efficient_at_k,
    fit_beta_rates,
    pass_at_k,
)

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


def test_fit_finds_the_planted_law() -> None:
    rng = np.random.default_rng(3)
    rates = rng.beta(0.5, 1.5, 4000)
    law = fit_beta_rates(10, rng.binomial(10, rates))
    assert_allclose([law.a, law.b], [0.5, 1.5], rtol=0.08)
    assert_allclose(law.correlation, np.var(rates) / (0.25 * 0.75), rtol=0.08)


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
        (lambda: efficient_at_k([1.0], [True], 0.0, 1), "reference must be above 0"),
        (lambda: BetaRates(0, 1), "a must be above 0"),
        (lambda: beta_rates_through(0.4, 0.99, 8), "pass_k must lie between"),
        (lambda: beta_rates_through(0.4, 0.4, 8), "pass_k must lie between"),
        (
            lambda: beta_rates_through(1e200, 0.7, 8),
            r"pass_one must be between 0 and 1, got 1e\+200",
        ),
        (lambda: fit_beta_rates(10, [0, 0]), "correct must be at most samples, with some right"),
        (lambda: fit_beta_rates(1, [0, 1]), "two samples of a task"),
    ],
)
def test_more_correct_than_drawn_is_named(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]
