"""Signed-rank statistics: against SciPy's test, by coverage, by shifting."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from perfmodel.measurement.statistics.intervals import hodges_lehmann, signed_rank_interval


def test_signed_rank_interval_is_the_inverse_of_scipys_test():
    values = np.random.default_rng(5).normal(0.3, 1, 15)
    low, high = signed_rank_interval(values)
    assert (
        stats.wilcoxon(values - low - 1e-9).pvalue
        > 0.05
        > stats.wilcoxon(values - low + 1e-9).pvalue
    )
    assert stats.wilcoxon(values - high + 1e-9).pvalue > 0.05


@pytest.mark.parametrize("count", [12, 80])
def test_signed_rank_interval_covers_the_centre(count):
    rng = np.random.default_rng(7)
    ends = np.array([signed_rank_interval(rng.laplace(0, 1, count)) for _ in range(300)])
    covered = ((ends[:, 0] <= 0) & (ends[:, 1] >= 0)).mean()
    assert 0.92 <= covered <= 0.98


def test_too_few_blocks_say_nothing():
    assert signed_rank_interval([1.0, 2.0, 3.0, 4.0, 5.0]) == (-np.inf, np.inf)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=30), st.floats(-3, 3))
def test_the_centre_moves_with_the_sample(values, shift):
    moved = hodges_lehmann(np.array(values) + shift)
    assert moved == pytest.approx(hodges_lehmann(values) + shift, abs=1e-9)
    assert min(values) <= hodges_lehmann(values) <= max(values)
