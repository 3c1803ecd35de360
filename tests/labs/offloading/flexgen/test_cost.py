"""Both versions of the model, by hand and against each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.offloading.flexgen.cost import (
    Rates,
    block_time,
    decode_arms,
    decode_loads,
    prefill_arms,
    prefill_loads,
    step_times,
    throughput,
)
from perfmodel.labs.offloading.flexgen.inputs import GIB, RATES, RUNS, SHAPES, with_disk
from perfmodel.labs.offloading.flexgen.policy import Batch
from perfmodel.labs.offloading.flexgen.sizes import Job
from tests.labs.offloading.flexgen.strategies import jobs, policies

PREDICTED = {
    "25.26": 60.8,
    "7.32": 7.136,
    "7.26": 6.854,
    "3.50": 3.622,
    "16.01": 12.97,
    "1.57": 1.707,
    "0.69": 0.154,
}
"""Of runs by their printed tokens/s: what the released code's model gives."""
VERSIONS = ("released", "paper", "serial")


@pytest.mark.parametrize("printed", PREDICTED)
def test_released_version(printed):
    run = next(run for run in RUNS if run.printed == printed)
    digits = len(str(PREDICTED[printed]).split(".")[1])
    assert round(throughput(run.job, run.policy, RATES), digits) == PREDICTED[printed]


@pytest.mark.parametrize(
    ("printed", "rate", "expected"),
    [
        ("0.69", 2e9, 0.522),
        ("0.69", 1.6e9, 0.434),
        ("0.69", 0.5e9, 0.152),
        ("0.69", 2.66 * GIB, 0.690),
        ("1.36", 2 * GIB, 1.087),
        ("0.35", 2 * GIB, 0.286),
        ("0.27", 2 * GIB, 0.211),
    ],
)
def test_other_disks(printed, rate, expected):
    run = next(run for run in RUNS if run.printed == printed)
    assert throughput(run.job, run.policy, with_disk(rate)) == pytest.approx(expected, abs=5e-4)


def test_30b_by_hand():
    run = RUNS[1]
    times = step_times(run.job, run.policy, RATES)
    loads = prefill_loads(run.job, run.policy.batch, run.policy.shares, RATES)
    assert times.prefill == pytest.approx(4.389, abs=5e-4)
    assert loads.to_cpu == pytest.approx(2.238, abs=5e-4)
    assert times.decode == pytest.approx(0.2924, abs=5e-5)
    assert block_time(run.job, run.policy, RATES) == pytest.approx(645.7, abs=0.1)


def test_every_byte_of_a_layer_by_hand():
    """One sequence, a prompt of one token, all on disk, all rates 1: the loads are bytes."""
    fields = dict.fromkeys(RATES.__dataclass_fields__, 1.0)
    ones = Rates(**{**fields, "corrections": (0.0, 0.0, 0.0)})
    job, batch = Job(SHAPES["6.7B"], 1, 2), Batch(64, 1)
    disk, h = np.array([0, 0, 1, 0, 0, 1, 0, 0, 1.0]), 4096
    first, later = prefill_loads(job, batch, disk, ones), decode_loads(job, batch, disk, ones)
    hidden, weights = 64 * 2 * h, 24 * h * h
    assert first.to_gpu == first.from_disk == weights + hidden
    assert first.to_cpu == first.to_disk == 64 * 4 * 2 * h + hidden
    assert first.compute == 64 * (24 * h * h + 4 * h)
    assert later.to_gpu == weights + hidden
    assert later.to_cpu == hidden
    assert later.from_disk == weights + 64 * 4 * 2 * h + hidden
    assert later.to_disk == 64 * 4 * h + hidden
    assert later.compute == 64 * (24 * h * h + 4 * 2 * h)


def test_attention_moves_from_the_cpu_to_the_gpu_with_its_cache():
    run = RUNS[1]
    gpu = replace(run.policy, cache=(1.0, 0.0, 0.0))
    loads = [decode_loads(run.job, p.batch, p.shares, RATES) for p in (run.policy, gpu)]
    cache = 4 * 144 * 528 * 7168
    saved = cache / RATES.cpu(run.job, run.policy.batch, "released") - cache / 0.079e12
    assert loads[0].compute - loads[1].compute == pytest.approx(saved)


def test_cpu_slows_down_for_small_batches_and_narrow_models():
    small, wide = Job(SHAPES["6.7B"], 1, 1), Job(SHAPES["175B"], 1, 1)
    assert RATES.cpu(small, Batch(64, 1), "released") == RATES.attention_cpu
    for job in (small, wide):
        slow = RATES.cpu(job, Batch(8, 1), "released")
        assert slow == pytest.approx(RATES.attention_cpu * (1 - 3 * 0.0328))
        assert RATES.cpu(job, Batch(8, 1), "paper") == RATES.attention_cpu
    narrow = replace(small, shape=replace(small.shape, hidden=2048))
    factor = 1 + 3 * 0.0168 - 3 * 0.0328 - 0.0621
    assert RATES.cpu(narrow, Batch(8, 1), "released") == pytest.approx(RATES.attention_cpu * factor)


@given(job=jobs, policy=policies)
def test_versions_in_order(job, policy):
    """The longest of five, then some of them after each other, then all."""
    rates = replace(RATES, disk_weights=RATES.disk_read, corrections=(0, 0, 0))
    times = [block_time(job, policy, rates, version) for version in ("paper", "released", "serial")]
    assert times[0] <= times[1] * (1 + 1e-9)
    assert times[1] <= times[2] * (1 + 1e-9)
    assert times[2] <= 5 * times[0] * (1 + 1e-9)


@given(job=jobs, policy=policies, factor=st.floats(1.1, 10))
def test_faster_machines_are_faster(job, policy, factor):
    fields = [name for name in RATES.__dataclass_fields__ if name != "corrections"]
    faster = replace(RATES, **{name: factor * getattr(RATES, name) for name in fields})
    for version in VERSIONS:
        before, after = (block_time(job, policy, rates, version) for rates in (RATES, faster))
        assert after == pytest.approx(before / factor)


@given(job=jobs, policy=policies)
def test_affine_in_the_shares(job, policy):
    ends = np.array([policy.shares, [0, 1, 0, 0, 0, 1, 1, 0, 0.0]])
    middle = ends.mean(axis=0)
    for version in VERSIONS:
        at = [
            decode_arms(decode_loads(job, policy.batch, x, RATES, version), version)
            for x in (ends, middle)
        ]
        assert at[0].mean(axis=0) == pytest.approx(at[1])
        at = [
            prefill_arms(prefill_loads(job, policy.batch, x, RATES), version)
            for x in (ends, middle)
        ]
        assert at[0].mean(axis=0) == pytest.approx(at[1])


def test_bad_input():
    run = RUNS[1]
    with pytest.raises(ValueError, match="version must be one of released, paper, serial, got 'x'"):
        step_times(run.job, run.policy, RATES, "x")
    with pytest.raises(ValueError, match="to_gpu must be above 0, got 0"):
        replace(RATES, to_gpu=0)
    with pytest.raises(ValueError, match="shares must have nine in the last axis"):
        prefill_loads(run.job, run.policy.batch, np.zeros(8), RATES)
    with pytest.raises(ValueError, match="rate must be above 0, got 0"):
        with_disk(0)
