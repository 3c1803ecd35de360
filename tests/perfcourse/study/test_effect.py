import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from perfcourse.study.effect import weighted

RANDOM = np.random.default_rng(1)
ONE, OTHER = RANDOM.normal(0.3, 0.5, 24), RANDOM.normal(0.0, 0.9, 11)


def test_one_class_is_the_paired_t_test():
    found = weighted([ONE], [1.0])
    wanted = stats.ttest_1samp(ONE, 0).confidence_interval(0.95)
    assert found.interval == pytest.approx((wanted.low, wanted.high))
    assert found.degrees == pytest.approx(23)
    assert found.students == 24


def test_two_groups_are_welchs_t_test():
    found = weighted([ONE, OTHER], [1.0, -1.0], confidence=0.9)
    test = stats.ttest_ind(ONE, OTHER, equal_var=False)
    wanted = test.confidence_interval(0.9)
    assert found.interval == pytest.approx((wanted.low, wanted.high))
    assert found.degrees == pytest.approx(test.df)


def test_a_forms_difficulty_cancels_between_two_orders():
    harder = 0.7
    found = weighted([ONE - harder, ONE + harder], [0.5, 0.5])
    assert found.estimate == pytest.approx(ONE.mean())


def test_the_bootstrap_is_near_t_and_the_same_each_time():
    found = weighted([ONE], [1.0], resamples=20_000)
    again = weighted([ONE], [1.0], resamples=20_000)
    assert found.bootstrap == again.bootstrap
    width = found.interval[1] - found.interval[0]
    assert found.bootstrap == pytest.approx(found.interval, abs=0.1 * width)


def test_decided_only_where_both_intervals_leave_out_nothing():
    assert weighted([np.array([1.0, 1.1, 0.9, 1.0, 1.05])], [1.0]).decided
    assert not weighted([np.array([-1.0, 1.1, 0.9, -0.9])], [1.0]).decided


def test_all_the_same_has_no_width():
    found = weighted([np.full(5, 0.2)], [1.0])
    assert found.interval == found.bootstrap == pytest.approx((0.2, 0.2))


@given(st.lists(st.floats(-5, 5), min_size=3, max_size=20), st.floats(-3, 3), st.floats(0.1, 9))
def test_shifts_and_scales_with_the_data(values, shift, scale):
    cell = np.array(values)
    one, other = weighted([cell], [1.0]), weighted([scale * cell + shift], [1.0])
    assert other.interval == pytest.approx(
        [scale * end + shift for end in one.interval], rel=1e-6, abs=1e-6
    )


@pytest.mark.parametrize(
    ("cells", "weights", "message"),
    [
        ([], [], "as many, got 0 and 0"),
        ([ONE], [1.0, 1.0], "as many, got 1 and 2"),
        ([ONE[:1]], [1.0], "2 or more finite numbers"),
        ([np.array([1.0, np.nan])], [1.0], "2 or more finite numbers"),
    ],
)
def test_bad_input(cells, weights, message):
    with pytest.raises(ValueError, match=message):
        weighted(cells, weights)
    with pytest.raises(ValueError, match="confidence"):
        weighted([ONE], [1.0], confidence=1.0)
