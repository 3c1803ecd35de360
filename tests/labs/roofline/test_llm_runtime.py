"""The bars of ZeRO's stages: readable in every state, as high as the count says."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from perfmodel.labs.roofline.llm_runtime import training_runs, training_runs as runtime
from perfmodel.labs.roofline.llm_runtime.training_runs import memory_bars
from perfmodel.live.drawing import Box
from perfmodel.roofline.decoder import LLAMA_2_7B, decode_bytes
from perfmodel.roofline.training import fewest_gpus, state_bytes, training_tokens_per_second

STATES = list(product(range(4), (1, 2, 4, 8)))


@pytest.mark.parametrize(("stage", "gpus"), STATES)
def test_bars_can_be_read_and_add_up_to_the_states(stage, gpus):
    scene = memory_bars(7e9, stage, gpus)
    assert scene.faults() == []
    bars = [s for s in scene.shapes if isinstance(s, Box)][3:]
    assert len(bars) == 3 * gpus
    full = 16 * 7e9 * sum(bar.height for bar in bars) / gpus
    assert full / (232 - 56) == pytest.approx(state_bytes(7e9, gpus=gpus, stage=stage))


def test_sheet_and_values_are_the_same_in_every_state():
    scenes = [memory_bars(7e9, *state) for state in STATES]
    assert len({scene.height for scene in scenes}) == 1
    assert len({tuple(scene.values) for scene in scenes}) == 1


# Other people's runs of training, explained by accounting.


def test_calibration_reproduces_its_own_row_and_no_other():
    predicted = [runtime.predicted_throughput(run) for run in training_runs.RUNS]
    assert predicted[0] == pytest.approx(training_runs.RUNS[0].throughput)
    assert 0.2 < runtime.calibrated_utilization() < 0.6
    ratio = np.array(predicted[1:]) / [run.throughput for run in training_runs.RUNS[1:]]
    assert (np.abs(ratio - 1) > 1e-3).all()


def test_the_rest_comes_from_the_row_with_everything_offloaded():
    run = next(run for run in training_runs.RUNS if run.offload_weights)
    assert runtime.explained_bytes(run) == run.allocated


def test_effects_are_ratios_of_means_of_logarithms():
    """Runs without recomputation have no offloading, so the first effect is a plain ratio."""
    logs = {
        key: np.mean([np.log(r.throughput) for r in training_runs.RUNS if key == _key(r)])
        for key in {_key(r) for r in training_runs.RUNS}
    }
    factor, low, high = runtime.main_effects()["recompute"]
    assert factor == pytest.approx(np.exp(logs[True, False] - logs[False, False]))
    assert low < factor < high
    offload = runtime.main_effects()["offload_optimizer"][0]
    assert offload == pytest.approx(np.exp(logs[True, True] - logs[True, False]))


def _key(run):
    return run.recompute, run.offload_optimizer


def test_hours_grow_with_tokens_and_fall_with_utilization():
    hours = runtime.gpu_hours(training_runs.LLAMA_7B, 1e12, 0.5)
    assert runtime.gpu_hours(training_runs.LLAMA_7B, 2e12, 0.25) == pytest.approx(4 * hours)


def test_hours_at_the_share_of_the_largest_model_are_its_own():
    """380 tokens/s a GPU: 1.4e12 tokens take 1.023 million GPU hours, as printed within 0.2 %."""
    hours = runtime.gpu_hours(*training_runs.TRAININGS["LLaMA 65B"], runtime.llama_utilization())
    assert hours == pytest.approx(1.4e12 / 380 / 3600)
    assert hours == pytest.approx(1_022_362, rel=2e-3)


def test_states_by_hand():
    """Llama 2 7B: alone, divided among 8 GPUs, and those of 70B in shares of 20 GB."""
    size = LLAMA_2_7B.parameters
    assert state_bytes(size) / 1e9 == pytest.approx(107.8, abs=0.05)
    assert state_bytes(size, gpus=8, stage=3) / 1e9 == pytest.approx(13.5, abs=0.05)
    assert fewest_gpus(68.977e9, 20e9) == 56


def test_speed_and_cache_by_hand():
    """Eight A800 at half of the peak, and 8 sequences of 4,096 tokens."""
    rate = training_tokens_per_second(LLAMA_2_7B, training_runs.GPUS, training_runs.PEAK, 0.5)
    assert rate == pytest.approx(3.087e4, abs=5)
    cached = float(decode_bytes(LLAMA_2_7B, 2, 8 * 4096) - decode_bytes(LLAMA_2_7B, 2))
    assert cached / 1e9 == pytest.approx(17.18, abs=0.005)


def test_offloading_by_hand():
    """The logarithm of its factor is -0.8."""
    effect = runtime.main_effects()["offload_optimizer"][0]
    assert np.log(effect) == pytest.approx(-0.8, abs=0.05)
