"""The bootstrap of whole units: what it refuses, when it is silent, and whether it holds."""

import numpy as np
import pytest
from scipy import stats

from perfmodel.prediction.arena.intervals import difference_interval, group_interval

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
        (np.ones((2, 8)), -np.ones((2, 8)), 0.95, "counts must be 0 or more"),
        (np.full((2, 8), np.nan), np.ones((2, 8)), 0.95, "sums must be finite"),
        (np.ones((2, 8)), np.ones((2, 8)), 1.0, "confidence must be between"),
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
