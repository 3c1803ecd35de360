import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from statsmodels.stats.power import TTestIndPower, TTestPower

from perfcourse.study.power import power, sd_limit, students_needed


@pytest.mark.parametrize(("effect", "n"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_cohens_sizes_need_the_numbers_of_the_tables(effect, n):
    assert students_needed(effect, 1.0) == n


@pytest.mark.parametrize(("effect", "n"), [(0.2, 394), (0.5, 64), (0.8, 26)])
def test_two_groups_need_the_numbers_of_the_tables(effect, n):
    assert students_needed(effect, 1.0, groups=2) == n


@given(st.floats(0.05, 3), st.floats(0.2, 2), st.sampled_from([1, 2]), st.floats(0.5, 0.95))
def test_it_is_the_fewest(effect, sd, groups, wanted):
    n = students_needed(effect, sd, wanted, groups)
    assert power(effect, sd, n, groups) >= wanted
    assert n == 2 or power(effect, sd, n - 1, groups) < wanted


def test_the_power_is_that_of_simulated_tests():
    data = np.random.default_rng(3).normal(0.4, 1.0, (20_000, 25))
    found = stats.ttest_1samp(data, 0, axis=1).pvalue < 0.05
    assert power(0.4, 1.0, 25) == pytest.approx(found.mean(), abs=0.012)


@pytest.mark.parametrize("effect", [-0.3, 0.05, 0.6])
def test_statsmodels_gives_the_same(effect):
    assert power(effect, 1.0, 30) == pytest.approx(TTestPower().power(effect, 30, 0.05))
    wanted = TTestIndPower().power(effect, 30, 0.05)
    assert power(effect, 1.0, 30, groups=2) == pytest.approx(wanted)


def test_more_than_a_city_is_said_as_such():
    assert students_needed(0.001, 10.0) is None


def test_the_limit_of_a_spread_holds_it_four_times_in_five():
    pilots = np.random.default_rng(5).normal(0, 1, (20_000, 8)).std(axis=1, ddof=1)
    factor = sd_limit(1.0, 8)
    assert np.mean(factor * pilots >= 1) == pytest.approx(0.8, abs=0.01)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.5, 0.0, 10), "sd"),
        ((0.5, 1.0, 1), "students"),
        ((0.5, 1.0, 10, 3), "groups must be 1 or 2, got 3"),
        ((0.5, 1.0, 10, 1, 0.9), "level"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        power(*arguments)
    with pytest.raises(ValueError, match="effect must not be 0"):
        students_needed(0.0, 1.0)
