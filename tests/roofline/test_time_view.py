"""The view in seconds agrees with the view in rates, and adds what rates can't show."""

import pytest
from hypothesis import given, strategies as st

from perfmodel.roofline.model import attainable, bound_by
from perfmodel.roofline.time_view import kernel_times, time_fractions

amounts = st.floats(1, 1e15)
rates = st.floats(1e6, 1e15)


@given(amounts, amounts, rates, rates)
def test_time_with_full_overlap_is_work_over_attainable_rate(flops, bytes, peak, bandwidth):
    times = kernel_times(flops, bytes, peak, bandwidth)
    rate = attainable(flops / bytes, peak, bandwidth)
    assert times.runtime() == pytest.approx(flops / rate, rel=1e-12)


@given(amounts, amounts, rates, rates)
def test_both_views_name_the_same_bound(flops, bytes, peak, bandwidth):
    times = kernel_times(flops, bytes, peak, bandwidth)
    if abs(times.arithmetic - times.traffic) > 1e-9 * times.traffic:
        names = {"memory": "traffic", "compute": "arithmetic"}
        assert times.bound_by() == names[bound_by(flops / bytes, peak, bandwidth).item()]


@given(amounts, amounts, rates, rates, st.floats(0, 1))
def test_less_overlap_takes_longer_and_at_most_twice_as_long(flops, bytes, peak, bandwidth, share):
    times = kernel_times(flops, bytes, peak, bandwidth)
    best, some = times.runtime(), times.runtime(share)
    assert best * (1 - 1e-12) <= some <= times.runtime(0.0) * (1 + 1e-12)
    assert times.runtime(0.0) <= 2 * best * (1 + 1e-12)


def test_hand_values_with_launches():
    # 10 ms, 50 ms, and 1,000 launches of 5 us
    times = kernel_times(1e9, 1e9, 1e11, 2e10, launches=1000, launch_time=5e-6)
    assert times.runtime() == pytest.approx(0.05)
    assert times.runtime(0.0) == pytest.approx(0.065)
    assert times.runtime(0.5) == pytest.approx(0.0575)
    assert times.hidden() == pytest.approx(0.015)
    small = kernel_times(1e6, 1e6, 1e11, 2e10, launches=1000, launch_time=5e-6)
    assert small.bound_by() == "launch"


def test_shares_of_a_program():
    times = kernel_times([1e9, 1e9, 0], [1e9, 1e7, 4e9], 1e11, 2e10)
    assert time_fractions(times) == pytest.approx([50 / 260, 10 / 260, 200 / 260])
    assert time_fractions(times, 0.0).sum() == pytest.approx(1)
    assert times.bound_by().tolist() == ["traffic", "arithmetic", "traffic"]


def test_refuses_nonsense():
    with pytest.raises(ValueError, match="overlap must be between 0 and 1, got 2"):
        kernel_times(1, 1, 1, 1).runtime(2)
    with pytest.raises(ValueError, match="times must be above 0"):
        time_fractions(kernel_times([0, 0], 0, 1, 1))
