"""Paired preferences, held against enumeration, a simulation, scipy's bootstrap and a search."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import minimize
from scipy.stats import bootstrap

from perfmodel.benchmarking import Preferences, bradley_terry, length_controlled_score

COUNT = st.integers(0, 80)


@given(wins=COUNT, ties=COUNT, losses=COUNT, weight=st.floats(0, 1))
def test_score_and_interval_are_those_of_the_list_of_results(wins, ties, losses, weight):
    if wins + ties + losses == 0:
        return
    study = Preferences(wins, ties, losses)
    results = np.array([1.0] * wins + [weight] * ties + [0.0] * losses)
    assert study.score(weight) == pytest.approx(results.mean())
    low, high = study.interval(weight)
    error = 1.959964 * results.std() / np.sqrt(results.size)
    assert (low, high) == pytest.approx((results.mean() - error, results.mean() + error), abs=1e-6)
    other = Preferences(losses, ties, wins)
    assert other.score(1 - weight) == pytest.approx(1 - study.score(weight))
    assert other.sign_test() == pytest.approx(study.sign_test())


def test_the_sign_test_by_counting_coins():
    # 1 of 5 or fewer, 4 of 5 or more: 2 * (1 + 5) of 32 ways.
    assert Preferences(1, 7, 4).sign_test() == pytest.approx(12 / 32)
    assert Preferences(0, 3, 0).sign_test() == 1.0


def test_strengths_maximise_the_likelihood():
    wins = np.array([[0, 12, 8.5], [5, 0, 9], [3.5, 6, 0]])

    def cost(free):
        theta = np.append(free, -free.sum())
        gap = theta[:, None] - theta[None, :]
        return float((wins * np.log1p(np.exp(-gap))).sum())

    best = minimize(cost, np.zeros(2)).x
    assert bradley_terry(wins) == pytest.approx(np.append(best, -best.sum()), abs=1e-4)


def test_length_control_takes_a_pure_length_bias_away():
    rng = np.random.default_rng(3)
    ratios = np.exp(rng.normal(0.8, 0.8, 4000))
    # No system is better: the longer answer is liked more, and ours are longer.
    won = rng.random(4000) < 1 / (1 + np.exp(-1.2 * np.log(ratios)))
    fit = length_controlled_score(won.astype(float), ratios)
    assert won.mean() > 0.65
    assert fit.low < 0.5 < fit.high
    assert fit.slope == pytest.approx(1.2, abs=0.15)


def test_length_controls_interval_is_that_of_a_bootstrap():
    rng = np.random.default_rng(5)
    ratios = np.exp(rng.normal(0, 1, 300))
    probability = 1 / (1 + np.exp(-0.4 - 0.7 * np.log(ratios)))
    scores = np.where(rng.random(300) < 0.7, 0.5, rng.random(300) < probability)
    fit = length_controlled_score(scores, ratios)
    ends = bootstrap(
        (scores, ratios),
        lambda y, r: length_controlled_score(y, r).score,
        paired=True,
        vectorized=False,
        n_resamples=300,
        method="percentile",
        random_state=np.random.default_rng(0),
    ).confidence_interval
    assert (fit.low, fit.high) == pytest.approx((ends.low, ends.high), abs=0.02)


@given(scale=st.floats(0.1, 10))
def test_length_control_does_not_ask_which_system_is_first(scale):
    scores = np.array([1, 1, 0, 1, 0, 0.5, 0.5, 0])
    ratios = scale * np.array([4, 2, 2, 0.5, 0.5, 0.25, 3, 1])
    one, other = (
        length_controlled_score(scores, ratios),
        length_controlled_score(1 - scores, 1 / ratios),
    )
    assert other.score == pytest.approx(1 - one.score, abs=1e-6)
    assert other.slope == pytest.approx(one.slope, abs=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Preferences(0, 0, 0), "must be one pair or more, got 0"),
        (lambda: bradley_terry([[0, 1]]), "wins must be a square table"),
        (lambda: bradley_terry([[0, 5], [0, 0]]), "some never lost to the rest"),
        (lambda: bradley_terry([[0, 5e-324], [10, 0]]), "within some orders of magnitude"),
        (lambda: length_controlled_score([1, 0, 2], [1, 2, 3]), "scores must be between 0 and 1"),
        (lambda: length_controlled_score([1, 0, 1], [1, 2, 0]), "length_ratios must be 3 values"),
        (lambda: length_controlled_score([1, 0, 1], [2, 2, 2]), "that differ"),
        (lambda: length_controlled_score([1, 1, 0], [3, 2, 1]), "tells every win from every loss"),
        (lambda: length_controlled_score([1, 1, 1], [3, 2, 1]), "tells every win from every loss"),
    ],
)
def test_wins_that_determine_no_strength_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
