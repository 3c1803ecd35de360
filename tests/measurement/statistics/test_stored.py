from itertools import combinations
from math import comb, inf
from statistics import mean, stdev

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from perfmodel.measurement.statistics import stored
from perfmodel.measurement.statistics.stored import compare_samples, ratio_of_means_interval

SIZES = st.integers(1, 9)


def test_a_few_pauses_do_not_move_the_ratio():
    rng = np.random.default_rng(5)
    old, new = 0.1 * np.exp(0.01 * rng.standard_normal((2, 40)))
    new *= 0.98
    new[::20] = 0.2
    result = compare_samples(old, new)
    assert result.ratio == pytest.approx(0.98, abs=0.01)
    assert result.interval[1] < 1
    assert result.mean_interval[0] < 1 < result.mean_interval[1]
    assert result.p_ranks < 1e-4 < 0.05 < result.p_means


@given(SIZES, SIZES)
def test_the_rank_distribution_is_that_of_all_orders(first, second):
    counts = np.zeros(first * second + 1)
    for indices in combinations(range(first + second), first):
        counts[sum(indices) - first * (first - 1) // 2] += 1
    result = stored._rank_distribution(first, second)
    assert result == pytest.approx(counts / comb(first + second, first), abs=1e-12)


def test_ranked_differences_of_many_pairs_are_those_of_few(monkeypatch):
    rng = np.random.default_rng(1)
    a, b = np.sort(rng.standard_normal(80)), np.sort(rng.standard_normal(50))
    expected = np.sort((b[:, None] - a).ravel())
    monkeypatch.setattr(stored, "_FEW_PAIRS", 1)
    result = [stored._ordered_difference(a, b, rank) for rank in (0, 17, 2000, 3999)]
    assert result == pytest.approx(expected[[0, 17, 2000, 3999]], abs=1e-9)


def test_the_interval_covers_as_often_as_it_says():
    rng = np.random.default_rng(2)
    hits = 0
    for _ in range(200):
        x, y = rng.lognormal(size=8), 2 * rng.lognormal(size=11)
        logs = np.sort(np.log(x)), np.sort(np.log(y))
        cut = stored._cut(8, 11, 0.025, 1.0)
        low, high = (stored._ordered_difference(*logs, k) for k in (cut, 87 - cut))
        hits += low < np.log(2) < high
    assert stats.binom.cdf(hits, 200, 0.95) > 0.001


def test_dependent_samples_count_as_fewer():
    rng = np.random.default_rng(3)
    steps = np.repeat(rng.standard_normal(30), 8)
    a = np.exp(0.05 * steps + 0.001 * rng.standard_normal(240))
    b = np.exp(0.05 * np.roll(steps, 40) + 0.001 * rng.standard_normal(240))
    result = compare_samples(a, b)
    assert max(result.worth) < 100
    shuffled = compare_samples(rng.permutation(a), rng.permutation(b))
    width, narrow = (np.log(item.interval[1] / item.interval[0]) for item in (result, shuffled))
    assert width > 1.5 * narrow


def test_too_few_samples_have_no_interval_by_ranks():
    assert compare_samples([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]).interval == (0.0, inf)
    assert compare_samples([1.0, 2, 3, 4], [5.0, 6, 7, 8]).interval[0] > 1


def test_runs_that_never_vary_agree_or_not():
    assert compare_samples([1.0, 1.0], [1.0, 1.0]).p_means == 1.0
    assert compare_samples([1.0, 1.0], [2.0, 2.0]).p_means == 0.0


@given(st.floats(0.01, 100), st.floats(0, 10), st.integers(2, 100))
def test_an_interval_of_means_is_above_0_and_holds_the_ratio(mean, spread, count):
    low, high = ratio_of_means_interval((1.0, 0.1, 5), (mean, spread, count))
    assert 0 < low <= mean * (1 + 1e-9)
    assert high >= mean * (1 - 1e-9)


def test_means_are_compared_by_deviations_of_n_minus_one():
    a, b = [1.0, 1.2, 1.1, 0.9], [0.8, 0.9, 1.0, 0.7]
    summaries = [(mean(z), stdev(z), len(z)) for z in (a, b)]
    result = compare_samples(a, b)
    assert result.mean_interval == pytest.approx(ratio_of_means_interval(*summaries))
