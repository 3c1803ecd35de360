from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy.stats import mannwhitneyu

from perfmodel.benchmarking.rubrics import Rubric, Rule, ordinal_comparison, turning_codes

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
