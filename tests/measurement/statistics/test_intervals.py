"""Signed-rank statistics: against SciPy's test, by coverage, by shifting; bootstrap at its ends."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from perfmodel.measurement.statistics.intervals import (
    bootstrap_interval,
    hodges_lehmann,
    median_interval,
    percentile_interval,
    signed_rank_interval,
)

TIED = [10, 11, 11, 12, 12, 13, 15, 40]
"""Their median stays 12 whichever one is left out, so that the jackknife of BCa doesn't vary."""


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


def test_an_interval_of_exactly_the_level_counts():
    """Of five values the least and the largest hold the median with 1 - 2 / 2^5."""
    for level in (1 - 2 / 2**5, 1 - 2 / 2**5 + 1e-15):
        assert median_interval(range(1, 6), level) == (1, 5)
        assert signed_rank_interval(range(1, 6), level) == (1, 5)
        assert signed_rank_interval(range(1, 6), level + 1e-6) == (-np.inf, np.inf)
        assert median_interval(range(1, 6), level + 1e-6) == (-np.inf, np.inf)


def test_bca_without_acceleration():
    """By hand: where the median doesn't move, BCa shifts by the bias alone; ties count half."""
    resampled = np.sort(
        np.median(np.random.default_rng(1).choice(TIED, (40_000, len(TIED))), axis=1)
    )
    bias = stats.norm.ppf(((resampled < 12).mean() + (resampled <= 12).mean()) / 2)
    levels = stats.norm.cdf(2 * bias + stats.norm.ppf([0.025, 0.975]))
    low, high = bootstrap_interval(TIED, method="BCa")
    assert (low, high) == (11, 15)
    assert np.mean(resampled < low) < levels[0] < np.mean(resampled <= low)
    assert np.mean(resampled < high) < levels[1] < np.mean(resampled <= high)


@given(
    st.lists(st.integers(0, 4), min_size=2, max_size=12),
    st.sampled_from(["percentile", "BCa", "basic"]),
    st.sampled_from([np.median, np.mean]),
)
def test_every_bootstrap_interval_has_two_ends_in_order(values, method, statistic):
    low, high = bootstrap_interval(values, statistic, method=method)
    assert np.isfinite([low, high]).all()
    assert low <= high


def test_bootstrap_refuses_what_it_cannot_tell():
    def distinct(values, axis):
        return 1 + (np.diff(np.sort(values, axis=axis), axis=axis) > 0).sum(axis=axis)

    assert bootstrap_interval(range(6), distinct)[0] >= 1
    with pytest.raises(ValueError, match="for BCa, got 30 beyond all"):
        bootstrap_interval(range(30), distinct, method="BCa")
    with (
        pytest.raises(ValueError, match="statistic must be finite on every resample"),
        np.errstate(divide="ignore"),
    ):
        bootstrap_interval([0.0, 0.0, 1.0], lambda v, axis: 1 / v.mean(axis=axis))


def test_percentiles_beyond_all_resamples():
    assert percentile_interval([1.0, 2.0, np.inf, np.inf]) == (
        pytest.approx(1 + 0.025 * 3),
        np.inf,
    )
