import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.queueing.cache_hits_that_hurt.inputs import CLOCK, FIFO, LRU, POLICIES, RARE_LRU
from perfmodel.labs.queueing.cache_hits_that_hurt.policies import (
    CachePolicy,
    crossing_hit_ratio,
    lock_demands,
    passed_over,
)


def test_a_miss_evicts_and_hangs_in_and_a_hit_of_lru_moves():
    assert lock_demands(LRU, 0.0) * 1e6 == pytest.approx([0, 0.59, 0.59])
    assert lock_demands(LRU, 1.0) * 1e6 == pytest.approx([0.7, 0, 0.59])


def test_a_hit_of_fifo_takes_no_lock():
    assert not lock_demands(FIFO, 1.0).any()
    assert lock_demands(FIFO, 0.25) * 1e6 == pytest.approx([0, 0.48, 0.5475])


def test_clock_passes_items_over_at_the_tail():
    assert lock_demands(CLOCK, 0.5)[1] * 1e6 == pytest.approx(
        0.5 * (0.65 + 0.3 * (2.43e-5 * math.exp(5.62) + 0.187))
    )
    assert (np.diff(passed_over(np.linspace(0, 1, 20))) > 0).all()


def test_where_cutting_out_overtakes_hanging_in():
    assert crossing_hit_ratio(LRU) == pytest.approx(0.59 / 0.7)
    assert crossing_hit_ratio(FIFO) == math.inf
    assert crossing_hit_ratio(CachePolicy("quick", 0.1e-6, 0.5e-6, 0.5e-6)) == math.inf
    delink, _, head = lock_demands(RARE_LRU, crossing_hit_ratio(RARE_LRU))
    assert delink == pytest.approx(head)


@given(st.sampled_from(POLICIES), st.floats(0, 1), st.floats(0, 1))
def test_demands_stay_between_those_of_no_and_of_all_hits(policy, first, second):
    low, high = sorted((first, second))
    less, more = lock_demands(policy, [low, high])
    assert more[0] >= less[0] - 1e-15
    assert more[2] <= less[2] + 1e-15


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="hit_ratio must be between 0 and 1, got 1.2"):
        lock_demands(LRU, 1.2)
    with pytest.raises(ValueError, match="promoted of policy 'x' must be between 0 and 1, got 2"):
        CachePolicy("x", 1e-6, 1e-6, 1e-6, promoted=2)
    with pytest.raises(ValueError, match="delink of policy 'x' must be 0 or more, got -1"):
        CachePolicy("x", -1, 1e-6, 1e-6)
