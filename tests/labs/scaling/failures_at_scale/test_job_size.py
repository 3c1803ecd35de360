"""Mean times and ratios by job size: hand values, limits, and the exact model."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.labs.scaling.failures_at_scale.inputs import (
    BLOOM_INTERVALS,
    BLOOM_MTBF,
    BLOOM_SAVE,
    BLOOM_STEP,
    LLAMA_GPUS,
    LLAMA_MTBF,
    RSC_RATES,
)
from perfmodel.labs.scaling.failures_at_scale.job_size import job_mttf, training_time_ratio
from perfmodel.scaling import checkpoint_efficiency, checkpoint_waste, young_interval

RATE = RSC_RATES["RSC-1"]


def test_mean_time_goes_with_one_over_the_size() -> None:
    assert job_mttf([1024, 2048], RATE) / 3600 == pytest.approx([28.85, 14.42], abs=0.005)
    assert pytest.approx(30.4, abs=0.05) == LLAMA_MTBF * 16384 / 100_000 / 60


def test_llama_fails_at_a_rate_between_the_two_clusters() -> None:
    rate = 1 / (LLAMA_MTBF * LLAMA_GPUS / 8)
    assert RSC_RATES["RSC-2"] < rate < RATE
    assert rate * 86400 * 1000 == pytest.approx(3.789, abs=5e-4)


@pytest.mark.parametrize(
    ("gpus", "rate", "interval", "restart", "ratio"),
    [
        (4096, RATE, 60, 10, 0.908),
        (16_384, RATE, 5, 5, 0.931),
        (16_384, RATE, 60, 5, 0.676),
        (100_000, RSC_RATES["RSC-2"], 2, 2, 0.939),
    ],
)
def test_ratio_by_hand(gpus, rate, interval, restart, ratio) -> None:
    found = training_time_ratio(job_mttf(gpus, rate), 60 * interval, 60 * restart)
    assert found == pytest.approx(ratio, abs=6e-4)


def test_ratio_is_the_exact_efficiency_where_failures_are_rare() -> None:
    mean = job_mttf(64, RATE)
    for save in (0.0, 60.0):
        exact = checkpoint_efficiency(3600.0, save, mean, 300.0)
        assert training_time_ratio(mean, 3600.0, 300.0, save) == pytest.approx(exact, abs=1e-4)


def test_ratio_never_falls_below_nothing() -> None:
    assert training_time_ratio(60.0, 3600.0, 600.0) == 0.0


def test_bloom_lost_little_by_saving_rarely() -> None:
    best = young_interval(BLOOM_SAVE, BLOOM_MTBF)
    assert best / 3600 == pytest.approx(1.93, abs=0.005)
    steps = np.array(BLOOM_INTERVALS) * BLOOM_STEP
    waste = checkpoint_waste([float(best), *steps], BLOOM_SAVE, BLOOM_MTBF)
    assert 100 * waste == pytest.approx([1.15, 2.33, 1.93, 1.25], abs=0.006)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: job_mttf(0, RATE), "gpus must be above 0"),
        (lambda: job_mttf(8, 0), "node_rate must be above 0"),
        (lambda: training_time_ratio(0, 1, 1), "mttf must be above 0"),
        (lambda: training_time_ratio(9, 0, 1), "interval must be above 0"),
        (lambda: training_time_ratio(9, 1, -1), "restart must be 0 or more"),
        (lambda: training_time_ratio(9, 1, 1, -1), "save must be 0 or more"),
    ],
)
def test_bad_input(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
