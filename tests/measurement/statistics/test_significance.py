"""The classical tests against hand values, their known relations, and simulation."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from perfmodel.measurement.statistics.significance import (
    anova,
    equivalence,
    paired,
    power_of_test,
    samples_needed,
    welch,
)

rng = np.random.default_rng(11)
FIRST, SECOND = rng.normal(100, 10, 12), rng.normal(104, 14, 9)


def six(mean, spread):
    """Return six values with exactly this mean and standard deviation."""
    raw = np.array([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0])
    return mean + spread * raw / raw.std(ddof=1)


def test_welch_by_hand():
    # Means 121 W and 112 W, s = 15 W, n = 6: t = -9 / (15 sqrt(2/6)) = -1.039.
    result = welch(six(121, 15), six(112, 15))
    assert result.statistic == pytest.approx(-1.039, abs=5e-4)
    assert result.p_value == pytest.approx(0.323, abs=5e-4)
    assert result.interval == pytest.approx((-28.3, 10.3), abs=0.05)


def test_pairs_take_out_what_both_share():
    # s = 15 W with correlation 0.9 leaves sd 6.708 W for the differences of six pairs: t = 3.286.
    difference = six(9, 15 * np.sqrt(0.2))
    shared = rng.normal(100, 15, 6)
    result = paired(shared, shared + difference)
    assert result.statistic == pytest.approx(3.286, abs=5e-4)
    assert result.p_value == pytest.approx(0.0218, abs=5e-5)


def test_samples_needed_are_those_of_the_exact_t_test():
    assert [samples_needed(9, s) for s in (5, 10, 20, 40)] == [6, 21, 79, 312]
    assert [samples_needed(7, s) for s in (5, 10, 20)] == [10, 34, 130]
    assert [samples_needed(11, s) for s in (5, 10, 20)] == [5, 15, 53]


def test_power_by_hand_and_by_simulation():
    assert power_of_test(9, 10, 3) == pytest.approx(0.138, abs=5e-4)
    assert power_of_test(9, 10, 5) == pytest.approx(0.241, abs=5e-4)
    one, two = rng.normal(0, 10, (2, 4000, 15))
    result = np.mean(stats.ttest_ind(one, two + 9, axis=1).pvalue < 0.05)
    assert result == pytest.approx(power_of_test(9, 10, 15), abs=0.025)


def test_anova_of_two_groups_is_the_t_test():
    result = anova(FIRST, SECOND)
    student = stats.ttest_ind(FIRST, SECOND)
    assert result.statistic == pytest.approx(student.statistic**2)
    assert result.p_value == pytest.approx(student.pvalue)
    assert result.freedom == (1, 19)


@given(st.floats(0.5, 60))
def test_equivalence_agrees_with_the_90_percent_interval(margin):
    low, high = welch(FIRST, SECOND, confidence=0.9).interval
    inside = -margin < low and high < margin
    assert (equivalence(FIRST, SECOND, margin).p_value < 0.05) == inside


@given(st.floats(0.1, 5), st.floats(0.1, 5), st.integers(2, 60))
def test_power_grows_with_effect_and_samples(effect, spread, count):
    base = power_of_test(effect, spread, count)
    assert power_of_test(1.5 * effect, spread, count) >= base - 1e-9
    assert power_of_test(effect, spread, count + 5) >= base - 1e-9
    assert 0.05 <= base <= 1


@given(st.floats(0.3, 5), st.floats(0.5, 0.95))
def test_samples_needed_is_the_smallest_that_suffice(size, wanted):
    count = samples_needed(size, 1.0, power=wanted)
    assert power_of_test(size, 1.0, count) >= wanted
    assert count == 2 or power_of_test(size, 1.0, count - 1) < wanted


def test_what_varies_by_rounding_only_does_not_vary():
    """The variance of three times 0.1 isn't 0, nor are differences of 0.1 all the same."""
    first = np.array([0.3, 0.7, 1.1])
    for call in (
        lambda: welch([0.1] * 3, [0.7] * 3),
        lambda: anova([0.1] * 3, [0.7] * 3),
        lambda: equivalence([0.1] * 3, [0.7] * 3, 1.0),
        lambda: paired(first, first + 0.1),
        lambda: paired(1e9 * first, 1e9 * (first + 0.1)),
    ):
        with pytest.raises(ValueError, match="samples must vary"):
            call()


def test_samples_that_cannot_be_compared_are_refused():
    with pytest.raises(ValueError, match="samples must vary"):
        welch([1.0, 1.0], [2.0, 2.0])
    with pytest.raises(ValueError, match="second must have as many values as first, 2, got 3"):
        paired([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="groups must be two or more"):
        anova([1, 2])
    with pytest.raises(ValueError, match=r"power must be above alpha \(0.05\)"):
        samples_needed(1, 1, power=0.01)
    with pytest.raises(ValueError, match="over 100000000 runs"):
        samples_needed(1, 1e6)
