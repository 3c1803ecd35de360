"""A software cache: demands by hand, bounds, exact throughput against chain and simulation."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.queueing.cache_hits_that_hurt.cache import (
    away_from_locks,
    cache_network,
    lock_queues,
    loss_at_all_hits,
    throughput,
    throughput_bound,
    turning_point,
)
from perfmodel.labs.queueing.cache_hits_that_hurt.policies import (
    CLOCK,
    FIFO,
    HALF_LRU,
    LRU,
    POLICIES,
    THREADS,
    lock_demands,
    passed_over,
)
from perfmodel.queueing import asymptotic_bounds, exact_mva, global_balance, simulate

HITS = np.linspace(0, 1, 101)


# upper_bound.py of the authors, calculate_X_LRU with S_tail = 0.59, in requests per microsecond.
@pytest.mark.parametrize(
    ("hit", "disk", "bound"),
    [
        (0.0, 5, 1 / 0.59),
        (0.4, 100, 72 / (0.51 + 60 + 0.28 + 0.354 + 0.59)),
        (0.9, 100, 1 / 0.63),
        (1.0, 500, 1 / 0.7),
    ],
)
def test_bound_by_hand(hit, disk, bound):
    assert throughput_bound(LRU, hit, disk * 1e-6) / 1e6 == pytest.approx(bound)


@given(st.sampled_from(POLICIES), st.floats(0, 1), st.floats(0, 1e-3), st.integers(1, 200))
@settings(max_examples=40)
def test_exact_throughput_is_below_the_bound_and_above_that_of_one_thread(
    policy, hit, disk, threads
):
    exact = throughput(policy, hit, disk, threads)
    assert exact <= throughput_bound(policy, hit, disk, threads) * (1 + 1e-9)
    assert exact >= throughput(policy, hit, disk, 1) * (1 - 1e-9)


def test_the_bound_is_that_of_the_asymptotes():
    away = away_from_locks(0.8, 100e-6)
    known = asymptotic_bounds([0.56e-6, 0.118e-6, 0.59e-6], THREADS, away).throughput_high
    assert throughput_bound(LRU, 0.8, 100e-6) == pytest.approx(float(known))


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_the_network_has_the_same_throughput(policy):
    exact = exact_mva(cache_network(policy, 0.7, 100e-6))
    assert exact.exact
    assert exact.throughput[0] == pytest.approx(float(throughput(policy, 0.7, 100e-6)), rel=1e-9)


def test_the_balance_equations_of_a_small_cache_agree():
    small = cache_network(LRU, 0.6, 2e-6, threads=3)
    chain = global_balance(small)
    assert chain.throughput[0] == pytest.approx(float(throughput(LRU, 0.6, 2e-6, 3)), rel=1e-8)


@pytest.mark.parametrize(("policy", "hit"), [(LRU, 0.5), (LRU, 0.9), (FIFO, 0.9), (CLOCK, 0.8)])
def test_a_simulation_agrees(policy, hit):
    result = simulate(cache_network(policy, hit, 100e-6), 60_000, seed=5, progress=False)
    assert result.throughput.value[0] == pytest.approx(
        float(throughput(policy, hit, 100e-6)), rel=0.02
    )


def test_hits_hurt_lru_and_help_fifo():
    lru, fifo = throughput(LRU, HITS, 100e-6), throughput(FIFO, HITS, 100e-6)
    assert lru.max() > 1.15 * lru[-1]
    assert (np.diff(fifo) > 0).all()


def test_with_many_threads_the_share_between_two_locks_is_lost():
    assert loss_at_all_hits(LRU, 5e-6, 144) == pytest.approx(1 - 0.59 / 0.7, abs=1e-4)
    assert loss_at_all_hits(FIFO, 5e-6) == 0


def test_the_turning_point():
    peak = turning_point(LRU, 100e-6)
    beyond = throughput(LRU, HITS[peak < HITS], 100e-6)
    assert (np.diff(beyond) < 0).all()
    assert float(throughput(LRU, peak, 100e-6)) == pytest.approx(
        0.999 * throughput(LRU, HITS, 100e-6).max(), rel=1e-5
    )
    assert turning_point(CLOCK, 500e-6) == 1.0
    assert turning_point(LRU, 5e-6) < turning_point(LRU, 500e-6)
    assert turning_point(LRU, 100e-6) < turning_point(HALF_LRU, 100e-6)


@pytest.mark.parametrize("hit", [0.4, 0.6, 0.75, 0.85, 0.95, 1.0])
@pytest.mark.parametrize("disk", [5e-6, 500e-6])
def test_every_state_can_be_read(hit, disk):
    scene = lock_queues(hit, disk)
    assert scene.faults() == []
    assert scene.height == lock_queues(0.5).height


def test_threads_move_from_the_disk_to_the_delink_lock():
    few, many = (lock_queues(hit).values for hit in (0.5, 0.95))
    assert few["threads at the disk"] > 0.9 * THREADS
    assert many["threads at the delink lock"] > 0.7 * THREADS


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


@given(st.sampled_from(POLICIES), st.floats(0, 1), st.floats(0, 1))
def test_demands_stay_between_those_of_no_and_of_all_hits(policy, first, second):
    low, high = sorted((first, second))
    less, more = lock_demands(policy, [low, high])
    assert more[0] >= less[0] - 1e-15
    assert more[2] <= less[2] + 1e-15
