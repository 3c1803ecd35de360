"""Averages of scores: hand values, what changes them and what doesn't."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.benchmarking.tulu.averages import (
    column_mean,
    flip_weight,
    macro_average,
    mean_of_ratios,
    ratio_of_means,
    task_means,
    weighted_on,
)
from perfmodel.labs.benchmarking.tulu.inputs import CARDS, TASKS

SCORE = st.floats(0, 100)
SCORES = st.lists(st.lists(SCORE, min_size=1, max_size=3), min_size=2, max_size=6)
ROW = st.lists(SCORE, min_size=3, max_size=6)
PYTHIA, OPT = (task_means(CARDS[name].scores) for name in ("Pythia 6.9B", "OPT 6.7B"))


@given(scores=SCORES)
def test_repeating_a_column_of_a_task_leaves_the_macro_average_alone(scores):
    doubled = [scores[0] * 2, *scores[1:]]
    assert macro_average(doubled) == pytest.approx(macro_average(scores))
    columns = sum(map(len, scores))
    shift = np.sum(scores[0]) - len(scores[0]) * column_mean(scores)
    moved = column_mean(scores) + shift / (columns + len(scores[0]))
    assert column_mean(doubled) == pytest.approx(moved)


def test_the_same_two_models_by_two_means():
    assert mean_of_ratios(PYTHIA, OPT) == pytest.approx(1.275, abs=5e-4)
    assert ratio_of_means(PYTHIA, OPT) == pytest.approx(1.082, abs=5e-4)
    assert column_mean(CARDS["Tülu 7B"].scores) == pytest.approx(31.71, abs=0.005)


def test_the_weight_that_flips_pythia_and_opt_by_hand():
    # (1 - w) 2.87 = w 5.3, from means over the other five of 21.97 and 19.10.
    assert flip_weight(PYTHIA, OPT, 5) == pytest.approx(2.87 / 8.17, rel=1e-6)


@given(first=ROW, second=ROW, place=st.integers(0, 2))
def test_at_the_flip_weight_both_systems_score_the_same(first, second, place):
    count = min(len(first), len(second))
    first, second = first[:count], second[:count]
    gaps = np.array(first) - second
    if abs(gaps[place]) < 1e-3 or gaps[place] * np.delete(gaps, place).mean() >= -1e-3:
        return
    weight = flip_weight(first, second, place)
    assert 0 < weight < 1
    tied = [weighted_on(row, place, weight) for row in (first, second)]
    assert tied[0] == pytest.approx(tied[1], abs=1e-6)
    after = [weighted_on(row, place, (1 + weight) / 2) for row in (first, second)]
    assert (after[0] > after[1]) == (gaps[place] > 0)


def test_equal_weights_are_the_macro_average():
    for card in CARDS.values():
        means = task_means(card.scores)
        assert weighted_on(means, 3, 1 / 6) == pytest.approx(macro_average(card.scores))
        assert [len(columns) for columns in card.scores] == [len(c) for c in TASKS.values()]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: macro_average([]), "scores must have one task or more"),
        (lambda: mean_of_ratios([1.0], [0.0]), "second must be above 0"),
        (lambda: weighted_on([1, 2], 0, 1.5), "weight must be between 0 and 1, got 1.5"),
        (lambda: flip_weight([2, 2], [1, 1], 0), "place must be a task that the other system wins"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
