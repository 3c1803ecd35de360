"""Raters, preferences and rubrics: printed tables and hand counts."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy.optimize import minimize
from scipy.stats import bootstrap, mannwhitneyu
from sklearn.metrics import cohen_kappa_score

from perfmodel.benchmarking import (
    Preferences,
    bradley_terry,
    cohens_kappa,
    guessing_kappa,
    length_controlled_score,
    raw_agreement,
    simulate_raters,
)
from perfmodel.benchmarking.rubrics import Rubric, Rule, ordinal_comparison, turning_codes

LABELS = st.lists(st.tuples(*[st.sampled_from(["A", "tie", "B"])] * 2), min_size=3, max_size=60)


@given(pairs=LABELS)
def test_kappa_is_scikit_learns_and_agreement_a_count(pairs):
    first, second = (list(side) for side in zip(*pairs, strict=True))
    same = np.mean([a == b for a, b in pairs])
    assert raw_agreement(first, second) == pytest.approx(same)
    one_tie = np.mean([(a == "tie") != (b == "tie") for a, b in pairs])
    relaxed = raw_agreement(first, second, halfway="tie")
    assert relaxed == pytest.approx(same + one_tie / 2)
    if len(set(first) | set(second)) > 1:
        kappa = cohens_kappa(first, second)
        assert kappa.value == pytest.approx(cohen_kappa_score(first, second))
        assert kappa.observed == pytest.approx(same)
        assert kappa.value == pytest.approx(
            (same - kappa.chance_agreement) / (1 - kappa.chance_agreement)
        )
        assert kappa == pytest.approx(cohens_kappa(second, first))


def test_a_rater_who_always_says_the_same_agrees_often_and_has_no_kappa():
    truth = ["fine"] * 90 + ["bad"] * 10
    spammer = ["fine"] * 100
    assert raw_agreement(truth, spammer) == 0.9
    assert cohens_kappa(truth, spammer).value == pytest.approx(0)


@pytest.mark.parametrize("guessing", [0.0, 0.2, 0.39, 0.7, 1.0])
@pytest.mark.parametrize("shares", [[0.5, 0.5], [0.7, 0.2, 0.1]])
def test_raters_who_guess_have_the_kappa_of_the_formula(guessing, shares):
    raters = simulate_raters(shares, guessing, 40_000, seed=2)
    assert cohens_kappa(*raters).value == pytest.approx(float(guessing_kappa(guessing)), abs=0.02)


def test_the_interval_covers_the_planted_kappa_nineteen_times_in_twenty():
    truth = float(guessing_kappa(0.3))
    held = 0
    for seed in range(300):
        kappa = cohens_kappa(*simulate_raters([0.4, 0.35, 0.25], 0.3, 120, seed))
        held += kappa.low <= truth <= kappa.high
    assert 0.91 <= held / 300 <= 0.98


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: raw_agreement([], []), "first and second must label the same items"),
        (lambda: raw_agreement("AB", "A"), "got 2 and 1"),
        (lambda: cohens_kappa("AAA", "AAA"), "must use two labels or more, got only 'A'"),
        (lambda: simulate_raters([0.5, 0.4], 0, 9), "label_probabilities must sum to 1, got 0.9"),
    ],
)
def test_labels_that_determine_no_agreement_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


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
        (lambda: length_controlled_score([1, 0, 1], [1, 2, 0]), "length_ratios must be 3 values"),
        (lambda: length_controlled_score([1, 0, 1], [2, 2, 2]), "that differ"),
        (lambda: length_controlled_score([1, 1, 0], [3, 2, 1]), "tells every win from every loss"),
        (lambda: length_controlled_score([1, 1, 1], [3, 2, 1]), "tells every win from every loss"),
    ],
)
def test_wins_that_determine_no_strength_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


LEVELS = 5
ranks = st.lists(st.integers(0, LEVELS - 1), min_size=1, max_size=8)


@pytest.fixture
def sizes():
    return Rubric(
        ("small", "even", "large"),
        (Rule("even", lambda n: n % 2 == 0), Rule("large", lambda n: n > 9)),
        otherwise="small",
    )


def test_the_first_rule_that_holds(sizes):
    assert [sizes.grade(n) for n in (3, 4, 11, 12)] == ["small", "even", "large", "even"]
    assert [sizes.rank(grade) for grade in sizes.grades] == [0, 1, 2]


def test_bad_rubrics_are_refused(sizes):
    with pytest.raises(ValueError, match="grades must name each once"):
        Rubric(("a", "a"), (), "a")
    with pytest.raises(ValueError, match="rules must give grades among"):
        Rubric(("a",), (Rule("b", bool),), "a")
    with pytest.raises(ValueError, match="grade must be among"):
        sizes.rank("huge")


@given(first=ranks, second=ranks)
def test_superiority_is_that_of_mann_and_whitney(first, second):
    u = mannwhitneyu(first, second).statistic
    result = ordinal_comparison(first, second, LEVELS)
    assert result.superiority == pytest.approx(u / (len(first) * len(second)))


@given(first=ranks, second=ranks, seed=st.integers(0, 1000))
def test_dominance_holds_for_every_code(first, second, seed):
    steps = np.random.default_rng(seed).exponential(size=LEVELS) ** 3
    codes = steps.cumsum()
    ahead = codes[first].mean() - codes[second].mean()
    result = ordinal_comparison(first, second, LEVELS)
    if result.dominates:
        assert ahead >= -1e-9 * codes[-1]
    if result.dominated:
        assert ahead <= 1e-9 * codes[-1]


@given(first=ranks, second=ranks)
def test_codes_that_turn_the_order_exist_where_nothing_dominates(first, second):
    result = turning_codes(first, second, LEVELS)
    assume(ordinal_comparison(first, second, LEVELS).depends_on_codes or result is None)
    if result is None:
        assert not ordinal_comparison(first, second, LEVELS).depends_on_codes
        return
    for codes in result:
        assert codes[0] == 0
        assert codes[-1] == 1
        assert all(low < high for low, high in pairwise(codes))
    up, down = result
    assert up[first].mean() > up[second].mean()
    assert down[first].mean() < down[second].mean()


def test_hand_values():
    extremes, middle = [0, 0, 4, 4], [2, 2, 2, 2]
    result = ordinal_comparison(extremes, middle, LEVELS)
    assert result.depends_on_codes
    assert result.superiority == 0.5
    same = ordinal_comparison(middle, middle)
    assert same.dominates
    assert same.dominated
    assert not same.depends_on_codes
    assert turning_codes([1, 2], [0, 2], 3) is None


def test_bad_ranks_are_named():
    with pytest.raises(ValueError, match="second must hold whole numbers, 0 or more"):
        ordinal_comparison([1], [0.5])
    with pytest.raises(ValueError, match="first must hold ranks below 3, got 3"):
        ordinal_comparison([3], [0], 3)
