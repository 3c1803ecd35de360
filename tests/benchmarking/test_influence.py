"""Leaving tasks out: against plain loops, every subset, and what can be said by hand."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.benchmarking import (
    arithmetic_mean,
    geometric_mean,
    harmonic_mean,
    harmonic_shares,
    leave_one_out,
    most_influential,
)

RATIOS = st.lists(st.floats(1e-4, 1e4), min_size=2, max_size=12)
MEANS = (arithmetic_mean, geometric_mean, harmonic_mean, lambda x: np.median(x, axis=-1))


@given(RATIOS)
def test_leaving_one_out_is_a_loop_over_the_tasks(ratios):
    for mean in MEANS:
        loop = [float(mean(np.delete(ratios, i))) for i in range(len(ratios))]
        assert leave_one_out(ratios, mean) == pytest.approx(loop)


def test_systems_are_kept_apart():
    table = np.array([[1.0, 2, 9], [4, 4, 1]])
    both = leave_one_out(table, arithmetic_mean)
    assert both.tolist() == [leave_one_out(row, arithmetic_mean).tolist() for row in table]


@given(st.lists(st.floats(0.01, 100), min_size=2, max_size=12))
def test_a_share_tells_the_harmonic_mean_without_its_task(ratios):
    fractions, count = harmonic_shares(ratios), len(ratios)
    assert fractions.sum() == pytest.approx(1)
    without = harmonic_mean(ratios) * (count - 1) / count / (1 - fractions)
    assert leave_one_out(ratios, harmonic_mean) == pytest.approx(without)


@given(RATIOS)
def test_no_task_moves_the_mean_more_than_the_most_influential(ratios):
    one = most_influential(ratios, arithmetic_mean)[0]
    moves = [
        abs(arithmetic_mean(kept) - arithmetic_mean(ratios))
        for kept in combinations(ratios, len(ratios) - 1)
    ]
    moved = abs(arithmetic_mean(np.delete(ratios, one)) - arithmetic_mean(ratios))
    assert moved == pytest.approx(max(moves))


def test_each_removal_judges_the_rest_anew():
    # Of 0, 0, 10 and -9 first 10 goes (mean .25 to -3), and only then -9 is the outlier.
    assert most_influential([0.0, 0.0, 10.0, -9.0], arithmetic_mean, 2).tolist() == [2, 3]


def test_the_most_influential_by_hand():
    ratios = [0.5, 1e-4, 2.0, 1e-3, 0.9]
    assert most_influential(ratios, harmonic_mean, 2).tolist() == [1, 3]
    assert most_influential(ratios, arithmetic_mean).tolist() == [2]
    assert most_influential(ratios, harmonic_mean, 0).size == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: leave_one_out([1.0], np.median), r"two tasks or more, got shape \(1,\)"),
        (lambda: leave_one_out(1.0, np.median), r"two tasks or more, got shape \(\)"),
        (lambda: leave_one_out([1.0, 2.0], np.median), "statistic must reduce the last axis alone"),
        (lambda: most_influential([1, 2], np.median, 2), "count must be below the 2 tasks, got 2"),
    ],
)
def test_fewer_than_two_tasks_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
