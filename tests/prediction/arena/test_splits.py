"""Splits give the rows they promise and show no test row to the predictor."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from perfmodel.prediction.arena import splits
from perfmodel.prediction.arena.dataset import Dataset, LeakError

SIZE = np.random.default_rng(2).permutation(np.arange(1.0, 61.0))
RUNS = Dataset(
    "demo",
    pd.DataFrame({"size": SIZE}),
    {"size": "1"},
    1 + np.sin(SIZE) ** 2 + SIZE,
    "time",
    "s",
    "made",
    "CC0-1.0",
    groups={"machine": [int(one) % 4 for one in SIZE]},
    known=("size",),
)


@given(st.integers(1, 59), st.integers(0, 50))
def test_at_random(budget, seed):
    split = splits.shuffle_split(RUNS, budget, seed, test=20)
    split.check(RUNS)
    assert split.train.size == budget
    assert split.tests["inside"].size == min(20, 60 - budget)


def test_budgets_of_a_seed_share_tests_and_grow():
    few, many = (splits.shuffle_split(RUNS, budget, 3, test=20) for budget in (5, 30))
    assert few.tests["inside"].tolist() == many.tests["inside"].tolist()
    assert set(few.train) <= set(many.train)


@given(st.integers(1, 20), st.integers(0, 20), st.floats(0.4, 0.9))
def test_larger_learns_below_the_cut_and_asks_above(budget, seed, share):
    split = splits.larger_split(RUNS, SIZE, budget, seed, share)
    split.check(RUNS)
    cut = np.quantile(SIZE, share)
    assert (SIZE[split.train] <= cut).all()
    assert (SIZE[split.tests["inside"]] <= cut).all()
    assert (SIZE[split.tests["beyond"]] > cut).all()


@given(st.integers(0, 14), st.integers(0, 30), st.integers(0, 20))
def test_few_shot(shots, budget, seed):
    if shots + budget == 0:
        return
    split = splits.few_shot_split(RUNS, "machine", 2, shots, budget, seed)
    split.check(RUNS)
    machines = RUNS.group("machine")
    assert (machines[split.train] == 2).sum() == shots
    assert (machines[split.tests["beyond"]] == 2).all()
    assert split.tests["beyond"].size == 15 - shots


def test_unseen_sees_nothing_of_the_group():
    split = splits.unseen_split(RUNS, "machine", 1, 10, 0)
    assert not (RUNS.group("machine")[split.train] == 1).any()


def test_test_rows_and_repeats_in_training_are_leaks():
    with pytest.raises(LeakError, match="tests \\(inside\\) on 1 row"):
        splits.Split("mine", np.array([1, 2]), {"inside": np.array([2, 3])}).check(RUNS)
    twice = RUNS.take([0, 1, 2, 0])
    with pytest.raises(LeakError, match="first row 3"):
        splits.Split("mine", np.array([0, 1]), {"inside": np.array([2, 3])}).check(twice)


def test_impossible_wishes():
    with pytest.raises(ValueError, match="budget must be at most 59 rows"):
        splits.shuffle_split(RUNS, 60, 0)
    with pytest.raises(ValueError, match="value must be a machine of demo, got 9"):
        splits.unseen_split(RUNS, "machine", 9, 5, 0)
    with pytest.raises(ValueError, match="shots must be below the 15 rows"):
        splits.few_shot_split(RUNS, "machine", 1, 15, 5, 0)
    with pytest.raises(ValueError, match="must not both be 0"):
        splits.few_shot_split(RUNS, "machine", 1, 0, 0, 0)


@pytest.mark.parametrize("count", [0, 59, 61])
def test_a_size_for_other_rows_is_refused(count):
    with pytest.raises(ValueError, match=r"size must (have a value for each of the 60|be a one-)"):
        splits.larger_split(RUNS, np.arange(1.0, count + 1), 5, 0)


def test_sizes_that_split_nothing_are_refused():
    for bad in (np.nan, np.inf):
        with pytest.raises(
            ValueError, match=f"size must .*, got {bad} in row {np.argmax(SIZE == 3)}"
        ):
            splits.larger_split(RUNS, np.where(SIZE == 3, bad, SIZE), 5, 0)
    with pytest.raises(ValueError, match="size must have values above 7, .* got none"):
        splits.larger_split(RUNS, np.full(60, 7.0), 5, 0)


def test_few_shot_folds_ask_what_the_test_asks():
    split = splits.few_shot_split(RUNS, "machine", 2, 3, 100, 0)
    machines = RUNS.group("machine")[split.train]
    assert 1 < len(split.folds) <= 3
    for known, asked in split.folds:
        (value,) = set(machines[asked])
        assert value != 2
        assert (machines[known] == value).sum() == 3
        assert sorted([*known, *asked]) == list(range(split.train.size))
