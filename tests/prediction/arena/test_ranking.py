"""Ranking measures: hand values, agreement with SciPy and scikit-learn, limits, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats
from sklearn.metrics import ndcg_score

from perfmodel.prediction.arena.ranking import (
    kendall,
    ndcg,
    regret,
    top_overlap,
    top_places,
)


def test_by_hand():
    assert kendall([1, 2, 3, 4, 5], [2, 1, 3, 5, 4]) == pytest.approx(0.6)
    assert kendall([1, 2, 3], [1, 1, 1]) == 0
    assert kendall([1, 2, 3, 4], [1, 1, 3, 2]) == pytest.approx((4 - 1) / 6)
    assert kendall([1, 1, 2], [2, 1, 3]) == pytest.approx(2 / 3)
    assert ndcg([3, 1, 2], [3, 2, 1], 3) == pytest.approx(4.63093 / 4.76186, abs=1e-5)
    assert ndcg([0, 1], [1, 0], 1) == 0
    # Two that are predicted alike share both places.
    assert ndcg([0, 1], [5, 5], 1) == pytest.approx(0.5)
    assert top_overlap([5, 4, 3, 2], [1, 9, 8, 0], 2) == 0.5
    assert regret([5, 4, 3, 2], [1, 9, 8, 0], 2) == 1
    assert top_places([1, 3, 3, 2], 3).tolist() == [1, 2, 3]


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
    assert top_overlap(y, y, k) == 1
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
