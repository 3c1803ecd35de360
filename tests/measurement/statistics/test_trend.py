"""Trend in samples: slope, what dependent samples are worth, and the p-value that follows."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from perfmodel.measurement.statistics.trend import (
    independent_worth,
    theil_sen_slope,
    trend_p_value,
)


def noise(count, memory=0.0, seed=1):
    """Return normal noise, each value keeping a share of the one before."""
    fresh = np.random.default_rng(seed).standard_normal(count)
    values = [fresh[0]]
    for item in fresh[1:]:
        values.append(memory * values[-1] + np.sqrt(1 - memory**2) * item)
    return np.array(values)


@given(st.floats(-1, 1), st.sampled_from([50, 5000]))
def test_the_slope_of_a_line_is_found_from_pairs_and_from_blocks(slope, count):
    assert theil_sen_slope(3 + slope * np.arange(count)) == pytest.approx(slope, abs=1e-9)


def test_independent_samples_are_worth_their_number_and_dependent_ones_less():
    assert independent_worth(noise(400), 0.0) > 300
    # With a memory a, n samples are worth n (1 - a) / (1 + a).
    worth = np.mean([independent_worth(noise(400, 0.8, seed), 0.0) for seed in range(20)])
    assert worth == pytest.approx(400 * 0.2 / 1.8, rel=0.5)


def test_a_straight_drift_takes_nothing_from_the_worth():
    drifting = noise(400) + 0.1 * np.arange(400)
    assert independent_worth(drifting, 0.1) > 300


def test_the_p_value_is_near_that_of_kendalls_test():
    times = noise(200) + 0.002 * np.arange(200)
    test = stats.kendalltau(np.arange(200), times)
    assert trend_p_value(test.statistic, 200) == pytest.approx(test.pvalue, rel=0.1)


@given(st.floats(0.05, 0.9), st.floats(5, 500))
def test_fewer_samples_are_less_sure_of_a_trend(kendall, worth):
    assert trend_p_value(kendall, worth) > trend_p_value(kendall, 1.5 * worth)
    assert trend_p_value(-kendall, worth) == trend_p_value(kendall, worth)
