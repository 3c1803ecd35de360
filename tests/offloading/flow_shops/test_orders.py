import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.offloading import (
    best_order,
    campbell_order,
    flow_shop_bound,
    flow_shop_makespan,
    insertion_order,
    johnson_order,
)

INSTANCES = 1000


def ordered(times, order):
    return np.take_along_axis(times, order[..., None], -2)


@pytest.fixture(scope="module")
def three_stages():
    """Return 1,000 shops of six jobs: loads, products and stores of 1 to 99."""
    return np.random.default_rng(16).integers(1, 100, (INSTANCES, 6, 3)).astype(float)


def gaps(times, order, slots):
    """Return how far makespans lie above the least ones, as shares of these."""
    least = [float(flow_shop_makespan(one[best_order(one, slots)], slots)) for one in times]
    return flow_shop_makespan(ordered(times, order), slots) / least - 1


def test_johnson_by_hand():
    """The five jobs of Johnson's paper."""
    times = np.array([[4.0, 5.0], [4.0, 1.0], [30.0, 4.0], [6.0, 30.0], [2.0, 3.0]])
    order = johnson_order(times)
    assert order.tolist() == [4, 0, 3, 2, 1]
    assert flow_shop_makespan(times[order]) == 47


def test_johnson_is_exact_on_a_thousand_shops():
    times = np.random.default_rng(1954).integers(0, 20, (INSTANCES, 6, 2)).astype(float)
    ours = flow_shop_makespan(ordered(times, johnson_order(times)))
    every = np.array(list(permutations(range(6))))
    least = flow_shop_makespan(times[:, every]).min(-1)
    assert np.array_equal(ours, least)


def test_johnson_is_not_exact_with_two_slots():
    """Where buffers are few the rule loses its proof: told in the chapter, held here."""
    times = np.random.default_rng(1954).integers(0, 20, (100, 6, 2)).astype(float)
    assert (gaps(times, johnson_order(times), slots=2) > 0).any()


@settings(deadline=None, max_examples=50)
@given(st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_campbell_is_exact_where_the_middle_is_never_longest(jobs, seed):
    rng = np.random.default_rng(seed)
    times = rng.integers(5, 20, (jobs, 3)).astype(float)
    times[:, 1] = rng.integers(0, 6, jobs)
    order = campbell_order(times)
    assert flow_shop_makespan(times[order]) == flow_shop_makespan(times[best_order(times)])


@pytest.mark.parametrize(
    ("greedy", "slots", "mean", "worst", "exact"),
    [
        (insertion_order, math.inf, 0.0056, 0.113, 0.764),
        (insertion_order, 3, 0.0155, 0.148, 0.517),
        (insertion_order, 2, 0.0329, 0.169, 0.161),
        (campbell_order, math.inf, 0.0222, 0.246, 0.547),
        (campbell_order, 3, 0.0402, 0.253, 0.320),
        (campbell_order, 2, 0.0680, 0.226, 0.065),
    ],
)
def test_greedy_against_all_orders(three_stages, greedy, slots, mean, worst, exact):
    """The gaps that the docstrings state: on average, at most, and how often there is none."""
    gap = gaps(three_stages, greedy(three_stages, slots), slots)
    assert (gap >= 0).all()
    found = [gap.mean(), gap.max(), (gap == 0).mean()]
    assert found == pytest.approx([mean, worst, exact], abs=5e-4)


@settings(deadline=None, max_examples=30)
@given(
    st.integers(1, 6),
    st.integers(2, 4),
    st.sampled_from([1, 2, 3, math.inf]),
    st.sampled_from([0, 1, math.inf]),
    st.integers(0, 2**32 - 1),
)
def test_best_is_best_and_all_are_orders(jobs, stages, slots, places, seed):
    times = np.random.default_rng(seed).integers(0, 9, (jobs, stages)).astype(float)
    best = best_order(times, slots, places)
    least = flow_shop_makespan(times[best], slots, places)
    spans = [
        flow_shop_makespan(times[list(order)], slots, places) for order in permutations(range(jobs))
    ]
    assert least == min(spans)
    assert flow_shop_bound(times, slots) <= least
    for order in (campbell_order, insertion_order):
        found = order(times, slots, places)
        assert sorted(found) == list(range(jobs))
        assert flow_shop_makespan(times[found], slots, places) >= least


def least_of_all_schedules(times):
    """Return the least makespan if every stage may take the jobs in an order of its own."""
    orders = list(permutations(range(len(times))))

    def from_stage(stage, ready):
        if stage == times.shape[1]:
            return max(ready)
        ends = []
        for order in orders:
            now, after = 0.0, list(ready)
            for job in order:
                now = after[job] = max(now, ready[job]) + times[job, stage]
            ends.append(from_stage(stage + 1, after))
        return min(ends)

    return from_stage(0, [0.0] * len(times))


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 3), st.integers(0, 2**32 - 1))
def test_one_order_for_all_stages_is_enough_for_three(stages, seed):
    times = np.random.default_rng(seed).integers(0, 9, (3, stages)).astype(float)
    assert flow_shop_makespan(times[best_order(times)]) == least_of_all_schedules(times)


def test_one_order_is_not_enough_for_four():
    """The textbook's two jobs: overtaking in the middle saves 2 s of 14."""
    times = np.array([[4.0, 1.0, 1.0, 4.0], [1.0, 4.0, 4.0, 1.0]])
    assert flow_shop_makespan(times[best_order(times)]) == 14
    assert least_of_all_schedules(times) == 12


def test_many_shops_at_once_are_ordered_as_one_by_one(three_stages):
    some = three_stages[:12].reshape(3, 4, 6, 3)
    for order in (campbell_order, insertion_order):
        assert np.array_equal(order(some, 2)[1, 2], order(some[1, 2], 2))
    assert np.array_equal(johnson_order(some[..., :2])[1, 2], johnson_order(some[1, 2, :, :2]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: johnson_order(np.ones((3, 3))), "times must be of two stages, got 3"),
        (lambda: campbell_order(np.ones((3, 1))), "times must be of two stages or more"),
        (lambda: best_order(np.ones((10, 2))), "times must be of 9 jobs at most, got 10"),
        (lambda: best_order(np.ones((2, 3, 2))), "times must have shape"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
