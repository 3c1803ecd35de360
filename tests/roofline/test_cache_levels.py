"""Rooflines with caches: hand values, below the naive one, and equal to it in the limit."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel import machines
from perfmodel.machines.machine import MachineFigure
from perfmodel.roofline.cache_levels import (
    MemoryLevel,
    attainable_cache_aware,
    attainable_hierarchical,
    level_bottleneck,
    level_times,
    machine_levels,
)
from perfmodel.roofline.model import attainable

positive = st.floats(1e3, 1e15)
PEAK, BANDWIDTH = 1e11, [4e11, 1e11, 2e10]


def test_hand_values():
    # 1 GFLOP needs 10 ms; 8 GB from L1 20 ms, 1 GB from memory 50 ms
    times = level_times(1e9, [8e9, 0, 1e9], PEAK, BANDWIDTH)
    assert times.tolist() == [0.01, 0.02, 0, 0.05]
    assert attainable_hierarchical(1e9, [8e9, 0, 1e9], PEAK, BANDWIDTH) == 2e10
    assert level_bottleneck(1e9, [8e9, 0, 1e9], PEAK, BANDWIDTH) == 3
    assert level_bottleneck(1e9, [8e9, 0, 1e8], PEAK, BANDWIDTH) == 1
    assert level_bottleneck(1e9, [8e8, 0, 1e8], PEAK, BANDWIDTH) == 0


@given(positive, st.lists(positive, min_size=3, max_size=3))
def test_never_above_the_naive_roofline(flops, traffic):
    naive = attainable(flops / traffic[-1], PEAK, BANDWIDTH[-1])
    assert attainable_hierarchical(flops, traffic, PEAK, BANDWIDTH) <= naive * (1 + 1e-12)


@given(positive, positive)
def test_without_traffic_to_caches_it_is_the_naive_one(flops, bytes):
    ours = attainable_hierarchical(flops, [0, 0, bytes], PEAK, BANDWIDTH)
    assert ours == pytest.approx(attainable(flops / bytes, PEAK, BANDWIDTH[-1]), rel=1e-12)


@given(positive, st.lists(positive, min_size=3, max_size=3), st.integers(0, 2))
def test_less_traffic_never_hurts(flops, traffic, level):
    less = [bytes / (2 if i == level else 1) for i, bytes in enumerate(traffic)]
    after = attainable_hierarchical(flops, less, PEAK, BANDWIDTH)
    assert after >= attainable_hierarchical(flops, traffic, PEAK, BANDWIDTH) * (1 - 1e-12)


def test_broadcasts_over_kernels():
    assert attainable_hierarchical(
        [1e9, 2e9], [[1e9, 1, 1], [1, 1, 1e9]], PEAK, BANDWIDTH
    ).shape == (2,)
    assert level_times(1e9, np.ones((4, 5, 3)), PEAK, BANDWIDTH).shape == (4, 5, 4)


def test_cache_aware_roofs_are_those_of_each_level():
    roofs = attainable_cache_aware([0.125, 10], PEAK, BANDWIDTH)
    assert roofs.tolist() == [[5e10, 1.25e10, 2.5e9], [1e11, 1e11, 1e11]]
    # data that all come from memory: cache-aware and naive agree
    assert attainable_cache_aware(0.125, PEAK, BANDWIDTH)[-1] == attainable(
        0.125, PEAK, BANDWIDTH[-1]
    )


def test_levels_of_a_measured_machine():
    values = {
        "l1_cache": 32e3,
        "l1_bandwidth": 4e11,
        "l3_bandwidth": 1e11,
        "memory_bandwidth": 2e10,
    }
    machine = machines.measured_machine(values, name="x", source="y")
    assert machine_levels(machine) == (
        MemoryLevel("L1", 4e11, 32e3),
        MemoryLevel("L3", 1e11),
        MemoryLevel("memory", 2e10),
    )
    lonely = machines.Machine(
        "x", "x", {"clock": MachineFigure(1, "Hz", "vendor", "y", "2026", True)}
    )
    with pytest.raises(ValueError, match="x has no memory_bandwidth"):
        machine_levels(lonely)
