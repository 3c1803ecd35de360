"""Risk and coverage by hand, against a plain loop and random orders; dates that may not mix."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.forecasting import check_dates, coverage_risk, later_split, stated_and_found
from perfmodel.prediction import LeakError

numbers = st.lists(st.floats(0, 100), min_size=1, max_size=40)


def test_five_errors_by_hand():
    found = coverage_risk([4, 6, 10, 20, 30], [5, 4, 3, 2, 1])
    assert found.at(0.4) == 5
    assert found.at(0.41) == pytest.approx(20 / 3)
    assert found.at(1) == found.full == 14
    assert found.area == pytest.approx((4 + 5 + 20 / 3 + 10 + 14) / 5)
    assert found.gain == 1
    assert found.coverage.tolist() == [0.2, 0.4, 0.6, 0.8, 1.0]


@given(st.integers(0, 10_000), st.integers(1, 30))
def test_a_curve_is_a_loop_over_cases(seed, count):
    rng = np.random.default_rng(seed)
    errors, confidence = rng.exponential(1, count), rng.permutation(count)
    ranked = [error for _, error in sorted(zip(-confidence, errors, strict=True))]
    expected = [sum(ranked[:k]) / k for k in range(1, count + 1)]
    assert coverage_risk(errors, confidence).risk == pytest.approx(expected)


@given(numbers, st.integers(0, 1000))
def test_no_confidence_beats_the_perfect_one(errors, seed):
    confidence = np.random.default_rng(seed).random(len(errors))
    found = coverage_risk(errors, confidence)
    assert (found.risk >= found.best - 1e-9).all()
    assert found.full == pytest.approx(np.mean(errors))
    assert found.gain <= 1 + 1e-9
    assert coverage_risk(errors, 3 * confidence - 7).risk == pytest.approx(found.risk)


@given(numbers)
def test_a_confidence_that_is_the_same_everywhere_gains_nothing(errors):
    found = coverage_risk(errors, np.full(len(errors), 0.7))
    assert found.risk == pytest.approx(np.full(len(errors), np.mean(errors)))
    assert found.gain == pytest.approx(0, abs=1e-6)


def test_ties_are_the_mean_over_orders_drawn_by_lot():
    rng = np.random.default_rng(0)
    errors, confidence = rng.exponential(1, 12), np.repeat([3, 2, 1], 4)
    drawn = [coverage_risk(errors, confidence + 0.5 * rng.random(12)).risk for _ in range(20_000)]
    assert coverage_risk(errors, confidence).risk == pytest.approx(np.mean(drawn, axis=0), rel=0.02)


def test_the_wrong_order_is_worse_than_lot():
    assert coverage_risk([1, 2, 3], [1, 2, 3]).gain < 0
    assert coverage_risk([5, 5], [1, 2]).gain == 0


def test_a_calibrated_predictor_finds_what_it_states():
    rng = np.random.default_rng(1)
    stated = rng.uniform(1, 10, 40_000)
    errors = np.abs(rng.normal(0, stated * np.sqrt(np.pi / 2)))
    said, found = stated_and_found(stated, errors, 5)
    assert found == pytest.approx(said, rel=0.03)
    assert (np.diff(said) > 0).all()


def test_equal_stated_errors_share_what_was_found():
    """In whatever order the cases are given."""
    for errors in ([1, 2, 3, 4], [4, 3, 2, 1], [1, 3, 2, 4]):
        assert stated_and_found([5] * 4, errors, 2)[1].tolist() == [2.5, 2.5]
    stated, found = stated_and_found([2, 1, 2, 2], [9, 1, 3, 6], 2)
    assert stated.tolist() == [1.5, 2]
    assert found.tolist() == [3.5, 6]


def test_groups_hold_every_case_once():
    stated, errors = np.array([3.0, 1.0, 2.0]), np.array([30.0, 10.0, 20.0])
    said, found = stated_and_found(stated, errors, 2)
    assert said.tolist() == [1.5, 3.0]
    assert found.tolist() == [15.0, 30.0]


@given(st.lists(st.integers(0, 50), min_size=2, max_size=40).filter(lambda d: len(set(d)) > 1))
def test_a_split_by_date_parts_all_and_passes_its_check(dates):
    cut = sorted(set(dates))[len(set(dates)) // 2]
    earlier, later = later_split(dates, cut)
    assert sorted([*earlier, *later]) == list(range(len(dates)))
    times = np.array(dates)
    assert times[earlier].max() < cut <= times[later].min()
    check_dates(times[earlier], times[later])
    with pytest.raises(LeakError):
        check_dates(times[later], times[earlier])


def test_the_same_day_is_too_early():
    with pytest.raises(LeakError, match="tested has 2 of 3 cases dated at or before 2024"):
        check_dates([2020, 2024], [2024, 2023, 2025])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: coverage_risk([1, 2], [1]), "confidence must have 2 values as errors has, got 1"),
        (lambda: stated_and_found([1, 2], [1, 2], 3), "groups must be at most the 2 cases"),
        (lambda: stated_and_found([1, 2], [1]), "stated must have 1 values"),
        (lambda: later_split([1, 2], 1), "cut must be above the first date 1 and at most the"),
        (lambda: later_split([1, 2], 3), "cut must be above the first date 1 and at most the"),
    ],
)
def test_cases_and_dates_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
