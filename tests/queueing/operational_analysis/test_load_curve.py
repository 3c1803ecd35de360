import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing import (
    JobClass,
    Network,
    Station,
    read_load_curve,
    throughput_curve,
)
from perfmodel.scaling import usl_throughput

LOADS = np.array([1, 2, 4, 8, 16, 32, 64.0])


def closed(users, demand=0.01, think=0.1):
    """Exact throughput and response of one queue with thinking users."""
    network = Network(
        [Station("server")], [JobClass("users", population=64, think_time=think)], [demand]
    )
    x = np.asarray(throughput_curve(network.service_demand[0], 64, think))
    rate = x[np.asarray(users, int) - 1]
    return rate, users / rate - think


def test_the_knee_of_a_queue_with_thinking_users_is_where_the_lines_meet():
    x, r = closed(LOADS)
    curve = read_load_curve(LOADS, x, r)
    assert curve.saturated
    assert curve.capacity.value == pytest.approx(100, rel=0.01)
    assert curve.saturation_users.value == pytest.approx(11, rel=0.02)
    assert curve.think_time == pytest.approx((0.1, 0.1, 0.1))
    assert not curve.contradicts


def test_steps_that_still_grow_give_lower_ends_only():
    x, r = closed(LOADS[:4])
    curve = read_load_curve(LOADS[:4], x, r)
    assert not curve.saturated
    assert curve.capacity == (None, pytest.approx(x[-1]), None)
    assert curve.saturation_users.value is None
    assert curve.saturation_users.low < 11 + 1e-6


def test_nothing_is_extrapolated_but_a_bound():
    x = usl_throughput(LOADS, 100.0, 0.05, 0.001)
    curve = read_load_curve(LOADS, x)
    inside, beyond, below = (curve.predict(n) for n in (24, 128, 0.5))
    assert inside.value == pytest.approx(float(usl_throughput(24, 100.0, 0.05, 0.001)))
    assert inside.low <= inside.value <= inside.high
    assert beyond == (None, None, pytest.approx(2 * x[-1]))
    assert below == (None, None, None)


def test_a_test_that_starts_at_100_users_has_its_own_base():
    loads = 100 * LOADS
    curve = read_load_curve(loads, 500 * usl_throughput(LOADS, 1.0, 0.05, 0.001))
    assert curve.base == 100
    assert curve.fit.contention == pytest.approx(0.05, abs=1e-6)


def test_growth_faster_than_linear_is_told_and_left_out():
    x = np.array([8.0, 24, 60, 110, 160, 180, 170])
    curve = read_load_curve(LOADS, x)
    assert curve.superlinear == (1, 4)
    assert curve.base == 4
    assert curve.predict(2).value is None


def test_users_within_a_limit_lie_between_two_steps():
    x, r = closed(LOADS)
    curve = read_load_curve(LOADS, x, r)
    within = curve.users_within(0.1)
    assert (within.low, within.high) == (16, 32)
    assert 16 < within.value < 32
    assert curve.users_within(10.0) == (None, 64, None)
    assert curve.users_within(0.001) == (None, None, 1)


def test_more_requests_inside_than_users_contradict_littles_law():
    x, r = closed(LOADS)
    assert read_load_curve(LOADS, x, 1000 * r).contradicts


def test_three_steps_determine_no_law():
    curve = read_load_curve([1, 2, 4], [10.0, 19, 30])
    assert curve.fit is None
    assert "needs 4 steps at 3 loads" in curve.why_no_fit


@given(st.permutations(range(7)))
def test_the_order_of_the_steps_does_not_matter(order):
    x, r = closed(LOADS)
    order = list(order)
    plain, mixed = read_load_curve(LOADS, x, r), read_load_curve(LOADS[order], x[order], r[order])
    assert mixed.capacity == plain.capacity
    assert mixed.users.tolist() == plain.users.tolist()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (([1, 2], [1.0]), "throughput must have one value for each of 2 users, got 1"),
        (([1, 2], [1, 2], [0, 1]), "response must be above 0"),
    ],
)
def test_bad_steps_are_refused(given, told):
    with pytest.raises(ValueError, match=told):
        read_load_curve(*given)


def test_a_limit_needs_response_times():
    with pytest.raises(ValueError, match="response must be given"):
        read_load_curve([1, 2], [1, 2]).users_within(1.0)
