"""Means of ratios: against scipy, their order, their symmetries, and what bounds do to them."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from perfmodel.benchmarking import (
    arithmetic_mean,
    clamped_ratios,
    geometric_mean,
    harmonic_mean,
    total_time_ratio,
    truncated_ratios,
)

MEANS = (harmonic_mean, geometric_mean, arithmetic_mean)
RATIOS = st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=30)


@given(RATIOS, st.integers(0, 9))
def test_each_mean_is_scipys_with_the_same_weights(ratios, seed):
    weights = np.random.default_rng(seed).uniform(0.1, 5, len(ratios))
    assert harmonic_mean(ratios, weights) == pytest.approx(stats.hmean(ratios, weights=weights))
    assert geometric_mean(ratios, weights) == pytest.approx(stats.gmean(ratios, weights=weights))
    assert arithmetic_mean(ratios, weights) == pytest.approx(np.average(ratios, weights=weights))


@given(RATIOS)
def test_harmonic_geometric_arithmetic_in_this_order_within_the_range(ratios):
    low, middle, high = (float(mean(ratios)) for mean in MEANS)
    slack = 1 + 1e-9
    assert min(ratios) <= low * slack
    assert low <= middle * slack
    assert middle <= high * slack
    assert high <= max(ratios) * slack


@given(RATIOS, st.floats(1e-3, 1e3))
def test_a_common_factor_comes_out_of_every_mean(ratios, factor):
    for mean in MEANS:
        assert mean(np.multiply(ratios, factor)) == pytest.approx(factor * mean(ratios))


@given(RATIOS)
def test_turning_the_ratios_round_turns_only_the_geometric_mean_round(ratios):
    inverse = 1 / np.array(ratios)
    assert geometric_mean(inverse) == pytest.approx(1 / geometric_mean(ratios))
    assert harmonic_mean(inverse) == pytest.approx(1 / arithmetic_mean(ratios))


@given(RATIOS, st.integers(0, 9))
def test_the_ratio_of_totals_is_a_weighted_harmonic_mean_of_the_speedups(ratios, seed):
    before = np.random.default_rng(seed).lognormal(0, 2, len(ratios))
    after = before / ratios
    assert total_time_ratio(before, after) == pytest.approx(harmonic_mean(ratios, before))
    assert total_time_ratio(before, after) == pytest.approx(arithmetic_mean(ratios, after))


def test_one_bad_task_in_498_by_hand():
    ratios = [0.2] * 497 + [0.0005]
    assert harmonic_mean(ratios) == pytest.approx(498 / (497 / 0.2 + 2000))
    assert harmonic_mean(clamped_ratios(ratios, 0.001)) == pytest.approx(498 / (2485 + 1000))
    assert harmonic_mean(truncated_ratios(ratios, 0.001)) == pytest.approx(0.2)


@given(RATIOS, st.floats(0, 10), st.floats(1, 2))
def test_a_higher_floor_never_lowers_the_clamped_mean(ratios, floor, step):
    for mean in MEANS:
        below, above = (mean(clamped_ratios(ratios, low)) for low in (floor, floor * step))
        assert above >= below * (1 - 1e-9)


def test_means_run_over_the_last_axis():
    table = np.array([[1.0, 4.0], [2.0, 2.0]])
    assert geometric_mean(table) == pytest.approx([2, 2])
    assert harmonic_mean(table, [1, 0]) == pytest.approx([1, 2])
    assert total_time_ratio(table, [1.0, 1.0]) == pytest.approx([2.5, 2])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: harmonic_mean([1, 2], [1]), r"weights must have shape \(2,\), got \(1,\)"),
        (lambda: harmonic_mean([1, 2], [0, 0]), "weights must not all be 0"),
        (lambda: truncated_ratios([1, 2], 3), "ratios must have one between 3 and inf"),
    ],
)
def test_weights_and_ratios_that_leave_nothing_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
