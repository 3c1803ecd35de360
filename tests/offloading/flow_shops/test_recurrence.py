import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.communication import simulate_tasks
from perfmodel.offloading import (
    equal_jobs_makespan,
    flow_shop_bound,
    flow_shop_graph,
    flow_shop_makespan,
    run_flow_shop,
)

COUNTS = st.sampled_from([1, 2, 3, 4, math.inf])


@st.composite
def shops(draw, most_stages=4):
    """Return times in whole seconds, so that sums are exact, some of them 0."""
    jobs, stages = draw(st.integers(1, 9)), draw(st.integers(1, most_stages))
    seed = draw(st.integers(0, 2**32 - 1))
    return np.random.default_rng(seed).integers(0, 9, (jobs, stages)).astype(float)


def test_two_jobs_by_hand():
    run = run_flow_shop([[2.0, 3.0, 1.0], [4.0, 1.0, 2.0]])
    assert run.start.tolist() == [[0, 2, 5], [2, 6, 7]]
    assert run.end.tolist() == [[2, 5, 6], [6, 7, 9]]
    assert run.makespan == 9


def test_without_a_place_a_finished_job_blocks_its_stage():
    times = [[1.0, 5.0], [1.0, 1.0], [1.0, 1.0]]
    endless, one, none = (run_flow_shop(times, buffer_size=b) for b in (math.inf, 1, 0))
    assert endless.start[:, 0].tolist() == [0, 1, 2]
    assert one.leave[:, 0].tolist() == [1, 2, 6]
    assert none.leave[:, 0].tolist() == [1, 6, 7]
    assert none.start[:, 0].tolist() == [0, 1, 6]
    assert (endless.makespan, one.makespan, none.makespan) == (8, 8, 8)


def test_blocking_can_cost_time():
    times = [[1.0, 5.0], [1.0, 1.0], [6.0, 1.0]]
    assert [float(flow_shop_makespan(times, buffer_size=b)) for b in (math.inf, 1, 0)] == [9, 9, 13]


def test_slots_make_double_buffering():
    """With two buffers, block 2 is loaded when block 0 has been stored, and not before."""
    run = run_flow_shop([[1.0, 1.0, 1.0]] * 4, slots=2)
    assert run.start[:, 0].tolist() == [0, 1, 3, 4]
    assert run.makespan == 7


@settings(deadline=None, max_examples=150)
@given(shops(), COUNTS, st.sampled_from([0, 1, 2, math.inf]))
def test_recurrence_is_what_the_events_do(times, slots, places):
    ours = run_flow_shop(times, slots, places)
    played = simulate_tasks(flow_shop_graph(times, slots, places))
    assert np.array_equal(played.start[1::2].reshape(times.shape), ours.start)
    assert np.array_equal(played.end[1::2].reshape(times.shape), ours.end)
    if math.isfinite(slots):
        assert played.peak(0) <= slots


@settings(deadline=None)
@given(shops(), COUNTS)
def test_more_room_never_hurts_and_none_is_the_sum(times, slots):
    spans = [float(flow_shop_makespan(times, slots, b)) for b in (0, 1, 2, 3, math.inf)]
    assert spans == sorted(spans, reverse=True)
    spans = [float(flow_shop_makespan(times, k)) for k in (1, 2, 3, 4, math.inf)]
    assert spans == sorted(spans, reverse=True)
    assert spans[0] == times.sum()
    assert float(flow_shop_bound(times, slots)) <= float(flow_shop_makespan(times, slots))


@settings(deadline=None)
@given(shops(), COUNTS, st.sampled_from([0, 1, math.inf]))
def test_backwards_takes_as_long(times, slots, places):
    """A flow shop played backwards is one: jobs and stages reversed, the same room."""
    backwards = flow_shop_makespan(times[::-1, ::-1], slots, places)
    assert flow_shop_makespan(times, slots, places) == backwards


@settings(deadline=None)
@given(shops(), st.integers(1, 30), COUNTS)
def test_equal_jobs_in_closed_form(times, jobs, slots):
    played = flow_shop_makespan(np.tile(times[0], (jobs, 1)), slots)
    assert equal_jobs_makespan(times[0], jobs, slots) == played


def test_equal_jobs_by_hand():
    """96 blocks of OPT-175B: fill, 96 times the slowest stage, drain; and without overlap."""
    stages = [0.145, 0.1526, 0.145]
    assert equal_jobs_makespan(stages, 96) == pytest.approx(14.9396)
    assert equal_jobs_makespan(stages, 96, slots=3) == pytest.approx(14.9396)
    assert equal_jobs_makespan(stages, 96, slots=1) == pytest.approx(42.4896)


@settings(deadline=None)
@given(shops(most_stages=5), st.integers(1, 30))
def test_one_slot_a_stage_is_enough_for_equal_jobs(times, jobs):
    enough = equal_jobs_makespan(times[0], jobs, slots=times.shape[1])
    assert enough == equal_jobs_makespan(times[0], jobs)


def test_unequal_jobs_gain_from_one_slot_more():
    """Two stages, so that two slots are enough for equal jobs; here the third saves 10 s."""
    times = np.tile([[1.0, 3.0], [1.0, 3.0], [3.0, 1.0], [3.0, 1.0]], (5, 1))
    assert [float(flow_shop_makespan(times, k)) for k in (1, 2, 3, 4)] == [80, 51, 41, 41]


def test_shapes_broadcast():
    times = np.random.default_rng(0).random((4, 5, 6, 3))
    one = [flow_shop_makespan(times[i, j], 2, 1) for i in range(4) for j in range(5)]
    assert np.array_equal(flow_shop_makespan(times, 2, 1).ravel(), one)
    assert flow_shop_bound(times).shape == (4, 5)
    assert equal_jobs_makespan(times, 3).shape == (4, 5, 6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: run_flow_shop([1.0, 2.0]), "times must have shape"),
        (lambda: run_flow_shop([[]]), "times must have shape"),
        (lambda: equal_jobs_makespan([], 3), "stage_times must name one stage"),
        (lambda: flow_shop_graph(np.ones((2, 2, 2))), "times must have shape"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
