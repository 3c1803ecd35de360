"""Performance profiles: by hand, against counting and quadrature, and what must not change them."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from perfmodel.benchmarking import performance_profile, performance_ratios, profile_area

TIMES = st.tuples(st.integers(1, 6), st.integers(1, 8)).flatmap(
    lambda shape: arrays(float, shape, elements=st.floats(0.1, 1e5) | st.just(np.inf))
)


def counted_profile(ratios, factor):
    return [sum(r <= factor for r in row) / len(row) for row in ratios]


def stepwise_area(row, r_max):
    """Integrate the step function between its jumps."""
    jumps = sorted({1.0, r_max, *(r for r in row if r < r_max)})
    return sum((b - a) * np.mean(row <= a) for a, b in pairwise(jumps)) / (r_max - 1)


def test_a_column_is_divided_by_its_fastest():
    ratios = performance_ratios([[3.0, np.inf, 8.0], [6.0, np.inf, 2.0]])
    assert ratios.tolist() == [[1.0, np.inf, 4.0], [2.0, np.inf, 1.0]]


@given(TIMES, st.lists(st.floats(0.5, 20), min_size=1, max_size=5))
def test_profile_is_a_share_counted_one_by_one(times, factors):
    ratios = performance_ratios(times)
    profile = performance_profile(ratios, factors)
    assert profile.T.tolist() == [counted_profile(ratios, factor) for factor in factors]


@given(TIMES, st.floats(1.1, 50))
def test_area_is_the_integral_of_the_steps(times, r_max):
    ratios = performance_ratios(times)
    expected = [stepwise_area(row, r_max) for row in ratios]
    assert profile_area(ratios, r_max) == pytest.approx(expected, abs=1e-9)


@given(TIMES, st.integers(2, 300))
def test_trapezoids_are_off_by_less_than_half_a_step(times, points):
    ratios = performance_ratios(times)
    error = np.abs(profile_area(ratios, 4.0, points) - profile_area(ratios, 4.0))
    assert (error <= 0.5 / (points - 1) + 1e-9).all()


@given(TIMES, st.data())
def test_area_keeps_its_limits_and_ignores_units(times, data):
    ratios = performance_ratios(times)
    area = profile_area(ratios)
    assert ((area >= 0) & (area <= 1)).all()
    units = data.draw(arrays(float, times.shape[1], elements=st.sampled_from([0.5, 2.0, 64.0])))
    assert profile_area(performance_ratios(times * units)).tolist() == area.tolist()
    assert profile_area(np.ones(times.shape[1])) == 1


@given(TIMES, st.data())
def test_a_slower_run_never_helps_its_owner(times, data):
    row = data.draw(st.integers(0, times.shape[0] - 1))
    column = data.draw(st.integers(0, times.shape[1] - 1))
    slower = times.copy()
    slower[row, column] *= data.draw(st.floats(1, 100))
    before, after = (profile_area(performance_ratios(t))[row] for t in (times, slower))
    assert after <= before + 1e-12


def test_a_batch_of_rows_has_the_profile_of_each():
    ratios = np.arange(1.0, 25.0).reshape(2, 3, 4)
    batch = performance_profile(ratios, [3.0, 17.5])
    assert batch.shape == (2, 3, 2)
    assert batch[0, 0].tolist() == [0.75, 1.0]
    assert batch[1, 1].tolist() == [0.0, 0.25]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: performance_ratios([1.0, 2.0]), r"times must be a table .*got shape \(2,\)"),
        (lambda: performance_profile([], [1]), "ratios must hold one task or more"),
        (lambda: performance_profile([np.nan], [1]), "ratios must be numbers.* got nan"),
    ],
)
def test_times_that_are_no_table_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
