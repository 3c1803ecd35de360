"""Other people's runs of training, explained by accounting."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.labs.roofline.llm_runtime import training_runs as runtime


def test_calibration_reproduces_its_own_row_and_no_other():
    predicted = [runtime.predicted_throughput(run) for run in runtime.RUNS]
    assert predicted[0] == pytest.approx(runtime.RUNS[0].throughput)
    assert 0.2 < runtime.calibrated_utilization() < 0.6
    ratio = np.array(predicted[1:]) / [run.throughput for run in runtime.RUNS[1:]]
    assert (np.abs(ratio - 1) > 1e-3).all()


def test_the_rest_comes_from_the_row_with_everything_offloaded():
    run = next(run for run in runtime.RUNS if run.offload_weights)
    assert runtime.explained_bytes(run) == run.allocated


def test_effects_are_ratios_of_means_of_logarithms():
    """Runs without recomputation have no offloading, so the first effect is a plain ratio."""
    logs = {
        key: np.mean([np.log(r.throughput) for r in runtime.RUNS if key == _key(r)])
        for key in {_key(r) for r in runtime.RUNS}
    }
    factor, low, high = runtime.main_effects()["recompute"]
    assert factor == pytest.approx(np.exp(logs[True, False] - logs[False, False]))
    assert low < factor < high
    offload = runtime.main_effects()["offload_optimizer"][0]
    assert offload == pytest.approx(np.exp(logs[True, True] - logs[True, False]))


def _key(run):
    return run.recompute, run.offload_optimizer


def test_hours_grow_with_tokens_and_fall_with_utilization():
    hours = runtime.gpu_hours(runtime.LLAMA_7B, 1e12, 0.5)
    assert runtime.gpu_hours(runtime.LLAMA_7B, 2e12, 0.25) == pytest.approx(4 * hours)


@pytest.mark.parametrize("utilization", [0, -0.1, 1.1])
def test_bad_input(utilization):
    with pytest.raises(ValueError, match="utilization must be"):
        runtime.gpu_hours(runtime.LLAMA_7B, 1e12, utilization)
