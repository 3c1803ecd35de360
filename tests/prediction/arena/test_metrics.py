"""Errors, rankings and intervals of forecasts: by hand and by their properties."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from sklearn import metrics as peer
from sklearn.metrics import ndcg_score

from perfmodel.prediction.arena import metrics
from perfmodel.prediction.arena.intervals import difference_interval, group_interval
from perfmodel.prediction.arena.paired_losses import Loss, fraction_lost, paired_loss
from perfmodel.prediction.arena.ranking import (
    kendall,
    ndcg,
    regret,
    top_indices,
)
from perfmodel.prediction.arena.rescaling import fitted_line, match_moments

positive = arrays(float, 12, elements=st.floats(0.01, 1e4), unique=True)


@given(positive, positive)
def test_against_scikit_learn(actual, predicted):
    assert metrics.mape(actual, predicted) == pytest.approx(
        peer.mean_absolute_percentage_error(actual, predicted)
    )
    assert metrics.r2(actual, predicted) == pytest.approx(peer.r2_score(actual, predicted))


@given(positive, positive, st.floats(0.01, 100))
def test_shares_do_not_know_the_unit(actual, predicted, scale):
    for measure in (metrics.mape, metrics.median_ape, metrics.log_error, metrics.spearman):
        before = measure(actual, predicted)
        assert measure(scale * actual, scale * predicted) == pytest.approx(before, abs=1e-9)


@given(positive, st.floats(1.1, 50))
def test_too_long_and_too_short_by_a_factor(actual, factor):
    assert metrics.mape(actual, factor * actual) == pytest.approx(factor - 1)
    assert metrics.mape(actual, actual / factor) == pytest.approx(1 - 1 / factor)
    both = [metrics.log_error(actual, actual * item) for item in (factor, 1 / factor)]
    assert both == pytest.approx([np.log(factor)] * 2)


def test_by_hand():
    assert metrics.median_ape([1, 1, 1], [1.1, 2, 0.5]) == pytest.approx(0.5)
    assert metrics.coverage([1, 2, 3, 4], [0, 2, 4, 0], [1, 2, 5, 3]) == 0.5
    assert metrics.coverage([0, -1], [-1, 0], [1, 1]) == 0.5
    assert metrics.spearman([1, 2, 3, 4, 5], [2, 1, 3, 5, 4]) == pytest.approx(0.8)


def test_what_has_no_answer_says_so():
    assert metrics.log_error([1, 2], [1, 0]) == np.inf
    assert metrics.spearman([1, 2, 3], [4, 4, 4]) == 0
    with pytest.raises(ValueError, match="two different values or more for R2"):
        metrics.r2([2, 2], [1, 2])
    # The mean of three times 0.1 isn't 0.1.
    with pytest.raises(ValueError, match="two different values or more for R2"):
        metrics.r2([0.1, 0.1, 0.1], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match=r"got \(3,\) for \(2,\)"):
        metrics.mape([1, 1], [1, 1, 1])
    with pytest.raises(ValueError, match="low must be at most high"):
        metrics.coverage([1], [2], [1])


@pytest.mark.parametrize("unit", [1e-200, 1e-9, 1e9, 1e200])
def test_r2_does_not_know_the_unit(unit):
    actual, predicted = np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0])
    assert metrics.r2(unit * actual, unit * predicted) == pytest.approx(11 / 14)


def test_interval_of_a_mean_covers_it():
    random = np.random.default_rng(3)
    inside = 0
    for _ in range(400):
        low, high = metrics.mean_interval(random.normal(7, 2, size=8))
        inside += low <= 7 <= high
    assert 0.92 <= inside / 400 <= 0.98


def test_by_hand_of_ranking():
    assert kendall([1, 2, 3, 4, 5], [2, 1, 3, 5, 4]) == pytest.approx(0.6)
    assert kendall([1, 2, 3], [1, 1, 1]) == 0
    assert kendall([1, 2, 3, 4], [1, 1, 3, 2]) == pytest.approx((4 - 1) / 6)
    assert kendall([1, 1, 2], [2, 1, 3]) == pytest.approx(2 / 3)
    assert ndcg([3, 1, 2], [3, 2, 1], 3) == pytest.approx(4.63093 / 4.76186, abs=1e-5)
    assert ndcg([0, 1], [1, 0], 1) == 0
    # Two that are predicted alike share both places.
    assert ndcg([0, 1], [5, 5], 1) == pytest.approx(0.5)
    assert regret([5, 4, 3, 2], [1, 9, 8, 0], 2) == 1
    assert top_indices([1, 3, 3, 2], 3).tolist() == [1, 2, 3]


@settings(max_examples=30)
@given(st.integers(3, 40), st.integers(0, 10**6))
def test_agree_with_libraries_where_nothing_is_tied(n, seed):
    rng = np.random.default_rng(seed)
    y, guess = rng.permutation(n) + 1.0, rng.permutation(n) + 0.0
    assert kendall(y, guess) == pytest.approx(stats.kendalltau(y, guess).statistic)
    k = int(rng.integers(1, n + 1))
    assert ndcg(y, guess, k) == pytest.approx(ndcg_score(y[None], guess[None], k=k))


@settings(max_examples=30)
@given(st.lists(st.floats(0.1, 9), min_size=3, max_size=20, unique=True))
def test_limits(values):
    y = np.array(values)
    k = y.size // 2
    assert kendall(y, y) == pytest.approx(1)
    assert kendall(y, -y) == pytest.approx(-1)
    assert ndcg(y, y, k) == pytest.approx(1)
    assert regret(y, y) == 0
    assert kendall(y, stats.rankdata(y)) == pytest.approx(1)
    assert ndcg(y, -y, k) <= 1
    assert 0 <= regret(y, -y, k) <= np.ptp(y)


def test_a_ranking_of_nothing_is_refused():
    with pytest.raises(ValueError, match=r"predicted must have the shape \(2,\) of actual"):
        kendall([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="k must be at most the 2 values given, got 3"):
        ndcg([1, 2], [1, 2], 3)
    with pytest.raises(ValueError, match="nothing to gain"):
        ndcg([0, 0], [1, 2], 1)


def test_by_hand_of_rescaling():
    assert match_moments([4, 6], [2, 4, 6], [10, 40]) == pytest.approx([25, 25 + 15 * 1.5**0.5])
    assert fitted_line([0, 3], [1, 2, 3], [1, 2, 1]) == pytest.approx([4 / 3, 4 / 3])
    with pytest.raises(ValueError, match="known must have two different values or more, got 2"):
        fitted_line([7], [2, 2], [1, 3])


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.floats(0.1, 9), st.floats(-5, 5))
def test_both_undo_a_straight_line(seed, slope, shift):
    x = np.random.default_rng(seed).normal(size=30)
    y = shift + slope * x
    assert match_moments(x, x, y) == pytest.approx(y)
    assert fitted_line(x, x[:5], y[:5]) == pytest.approx(y)


@pytest.mark.parametrize("level", [0.0, 1e6, 1e9])
def test_a_high_level_costs_its_rounding_only(level):
    known, target = level + np.array([0.1, 0.2, 0.3]), level + np.array([1.0, 2.0, 3.0])
    assert fitted_line([level + 0.4], known, target) - level == pytest.approx([4], abs=1e-5)


def test_without_relation_the_line_is_flat_and_matching_makes_it_worse_than_the_mean():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 4000))
    constant = np.abs(y - y.mean()).mean()
    assert np.abs(fitted_line(x, x, y) - y).mean() == pytest.approx(constant, rel=0.01)
    # The difference of two unit normal variables is wider by the square root of 2.
    assert np.abs(match_moments(x, x, y) - y).mean() == pytest.approx(2**0.5 * constant, rel=0.03)


def test_an_opposed_predictor_is_turned_by_the_line_only():
    x = np.arange(10.0)
    assert np.corrcoef(match_moments(x, x, -x), -x)[0, 1] == pytest.approx(-1)
    assert fitted_line(x, x, -x) == pytest.approx(-x)


def test_values_that_give_no_scale_are_refused():
    with pytest.raises(ValueError, match="source must have two different values or more"):
        match_moments([1], [2, 2], [1, 2])
    with pytest.raises(ValueError, match=r"target must have the shape \(2,\) of known"):
        fitted_line([1], [1, 2], [1, 2, 3])


def test_verdicts():
    assert Loss(1.0, 0.5, 1.5).conclusion == "loses"
    assert Loss(-1.0, -1.5, -0.5).conclusion == "gains"
    assert Loss(0.1, -0.2, 0.4).conclusion == "no difference shown"


def test_a_constant_difference_has_no_width():
    assert paired_loss([3, 4], [1, 2]) == Loss(2.0, 2.0, 2.0)


def test_the_interval_covers_the_true_loss():
    rng, hits = np.random.default_rng(0), 0
    for _ in range(400):
        base = rng.lognormal(0, 1, 9)
        hits += (
            (result := fraction_lost(base, base * rng.lognormal(-0.2, 0.3, 9))).low
            <= (1 - np.exp(-0.2))
            <= result.high
        )
    assert 0.92 <= hits / 400 <= 0.98


def test_unpaired_groups_are_refused():
    with pytest.raises(ValueError, match="without"):
        paired_loss([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="without"):
        fraction_lost([1, 2], [1, 0])


RANDOM = np.random.default_rng(3)
ERRORS = RANDOM.lognormal(-2, 0.5, (4, 30))


def test_mean_weighs_answers_and_lies_inside():
    counts = np.ones((2, 10))
    counts[0, 0] = 3
    sums = np.arange(20.0).reshape(2, 10) + 1
    mean, low, high = group_interval(sums, counts)
    assert mean == pytest.approx(sums.sum() / 22)
    assert low < mean < high


def test_fewer_than_ten_asked_units_get_no_interval():
    counts = np.ones((4, 30))
    counts[:, 9:] = 0
    mean, low, high = group_interval(ERRORS * counts, counts)
    assert mean == pytest.approx(ERRORS[:, :9].mean())
    assert np.isnan(low)
    assert np.isnan(high)


def test_ten_get_one():
    assert np.isfinite(group_interval(ERRORS[:, :10], np.ones((4, 10)))).all()


def test_equal_errors_leave_nothing_open():
    assert group_interval(np.ones((3, 12)), np.ones((3, 12))) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("spread", [1e-3, 1e-6, 1e-9])
def test_errors_that_differ_little_have_the_same_interval_in_their_own_unit(spread):
    """The squares of sums that differ little cancel; where all answer as often, a level doesn't."""
    counts = np.ones((4, 30))
    expected = group_interval(ERRORS, counts)
    result = group_interval(1 + spread * ERRORS, counts)
    assert (np.array(result) - 1) / spread == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("seed", range(6))
def test_a_few_units_in_error_leave_no_rounding_in_the_interval(seed):
    """A resample without any of them has no scatter; what its squares leave is rounding."""
    random = np.random.default_rng(seed)
    counts = (random.random((3, 120)) < 0.4).astype(float)
    counts[0] = 1
    errors = np.zeros((3, 120))
    errors[:, random.choice(120, 2, replace=False)] = 0.5
    mean, low, high = group_interval(errors * counts, counts)
    assert low < mean < high < 20 * mean


def test_a_difference_between_drawings_widens_it():
    shifted = ERRORS + np.linspace(-0.1, 0.1, 4)[:, None]
    _, low, high = group_interval(ERRORS, np.ones((4, 30)))
    _, lower, higher = group_interval(shifted, np.ones((4, 30)))
    assert higher - lower > 1.5 * (high - low)


def test_repeating_every_answer_of_a_unit_adds_no_certainty():
    once = group_interval(ERRORS[:1], np.ones((1, 30)))
    often = group_interval(100 * ERRORS[:1], np.full((1, 30), 100.0))
    assert often == pytest.approx(once)


def test_more_confidence_is_wider():
    _, low, high = group_interval(ERRORS, np.ones((4, 30)), 0.8)
    _, lower, higher = group_interval(ERRORS, np.ones((4, 30)), 0.99)
    assert lower < low < high < higher


@pytest.mark.parametrize(
    ("sums", "counts", "confidence", "said"),
    [
        (np.ones((2, 8)), np.ones((2, 9)), 0.95, "counts must have the shape"),
        (np.ones(8), np.ones(8), 0.95, "shape"),
        (np.ones((2, 8)), np.zeros((2, 8)), 0.95, "above 0 somewhere"),
    ],
)
def test_answers_that_give_no_interval_are_named(sums, counts, confidence, said):
    with pytest.raises(ValueError, match=said):
        group_interval(sums, counts, confidence)


def test_skewed_units_are_covered_about_as_often_as_promised():
    """150 tables of 20 units: binomial noise alone would give 137 to 149 at 95 %."""
    random, hits = np.random.default_rng(5), 0
    for _ in range(150):
        unit = random.lognormal(0, 0.5, 20)
        sums = unit * random.lognormal(0, 0.1, (6, 20)) / np.exp(0.005)
        _, low, high = group_interval(sums, np.ones((6, 20)))
        hits += low <= np.exp(0.125) <= high
    assert stats.binomtest(hits, 150, 0.95).pvalue > 0.001


def test_enormous_errors_have_an_interval_too():
    mean, low, high = group_interval(1e200 * ERRORS, np.ones((4, 30)))
    expected = group_interval(ERRORS, np.ones((4, 30)))
    assert np.array([mean, low, high]) / 1e200 == pytest.approx(np.array(expected))


def test_a_difference_is_sure_for_all_pairs_and_a_quarter_wider():
    gaps, counts = np.random.default_rng(3).exponential(1, (4, 30)), np.ones((4, 30))
    mean, low, high = group_interval(gaps, counts, 1 - 0.05 / 6)
    ends = difference_interval(gaps, counts, pairs=6)
    assert ends == pytest.approx((mean, mean - 1.25 * (mean - low), mean + 1.25 * (high - mean)))
    with pytest.raises(ValueError, match="pairs"):
        difference_interval(gaps, counts, pairs=0)
