"""What a run records, and what is said of it."""

import numpy as np
import pytest

from perfmodel.labs.benchmarking.efficientllm.footprint import (
    Footprint,
    alternating_footprints,
    footprint_ratio,
    footprint_verdict,
    measure_footprint,
)


def test_a_run_records_its_matrices():
    run = measure_footprint("float64", size=300, products=40)
    assert run.latencies.shape == (40,)
    assert (np.diff(run.times) > 0).all()
    assert run.times.shape == run.memory.shape
    assert run.memory.max() >= 0.9 * 3 * 300 * 300 * 8


def test_pairs_of_runs_give_a_ratio():
    pairs = alternating_footprints(2, 300)
    assert [len(pair) for pair in pairs] == [2, 2]
    ratio, low, high = footprint_ratio(pairs, "latency")
    assert low <= ratio <= high


def test_the_mean_memory_weights_by_time():
    run = Footprint(np.array([0, 1, 4.0]), np.array([8, 2, 2.0]), np.array([1.0]), 0.5)
    assert run.mean_memory == pytest.approx((8 * 1 + 2 * 3) / 4)
    assert run.latency == 1.0


@pytest.mark.parametrize(
    ("speed", "said"),
    [((2.1, 0.5, 6.0), "can't say"), ((2.1, 1.9, 2.3), "longer"), ((0.5, 0.4, 0.6), "shorter")],
)
def test_the_verdict_follows_the_intervals(speed, said):
    assert said in footprint_verdict((2.0, 1.9, 2.1), speed)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: measure_footprint("float16"), "precision must be float32 or float64"),
        (lambda: measure_footprint("float32", size=0), "size must be a whole number"),
        (lambda: measure_footprint("float32", gap=0), "gap must be above 0"),
        (lambda: alternating_footprints(1), "runs must be a whole number, 2 or more"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
