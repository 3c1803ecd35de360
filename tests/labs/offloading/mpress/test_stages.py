"""Stages: the worked GPT by hand, 1F1B's counts by simulation, and the balance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.communication import one_f_one_b, simulate_pipeline
from perfmodel.labs.offloading.mpress.inputs import SHAPE
from perfmodel.labs.offloading.mpress.stages import PipelineJob, balanced_saving


def test_worked_gpt_by_hand():
    """12 L h^2 = 9.66e9 parameters; s b h (34 + 5 a s / h) a layer is 620.8 MB."""
    job = PipelineJob()
    assert job.parameters == pytest.approx(9.66e9, rel=1e-3)
    assert job.activation == pytest.approx(6 * 2048 * 4096 * 74)
    assert job.states == pytest.approx(19.3e9, rel=2e-3)
    assert job.needs[[0, 7]] == pytest.approx([49.1e9, 23.06e9], rel=1e-3)
    assert job.needs.mean() == pytest.approx(36.1e9, rel=1e-3)
    assert job.kept == 6 * 2 * 2048 * 4096
    assert job.tokens == 65_536


def test_forward_by_hand():
    """Two operations a parameter and token, and attention's 4 s h a token and layer."""
    job = PipelineJob()
    work = 2048 * 6 * (24 * 4096**2 + 4 * 1024 * 4096)
    assert job.forward(1e12) == pytest.approx(work / 1e12)


@given(st.sampled_from([1, 2, 3, 4, 6, 8]), st.integers(1, 12))
def test_in_flight_is_what_the_schedule_holds(stages, micro_batches):
    job = PipelineJob(stages=stages, micro_batches=micro_batches)
    run = simulate_pipeline(one_f_one_b(stages, micro_batches), 1.0, 2.0)
    assert job.in_flight.tolist() == [run.peak(stage) for stage in range(stages)]
    assert job.step(3.0) == pytest.approx(run.makespan)


@given(st.sampled_from([1, 2, 3, 4, 6, 8, 12, 16, 24, 48]))
def test_balance(stages):
    job = PipelineJob(stages=stages, micro_batches=1000)
    held = job.in_flight * job.activation
    assert 1 - held.mean() / held[0] == pytest.approx(balanced_saving(stages))
    assert balanced_saving(stages) < 0.5
    assert (np.diff(job.needs) < 0).all()


def test_bad_input():
    with pytest.raises(ValueError, match="stages must divide the 48 layers, got 7"):
        PipelineJob(stages=7)
    with pytest.raises(ValueError, match="micro_batches must be a whole number, 1 or more"):
        PipelineJob(SHAPE, micro_batches=0)
    with pytest.raises(ValueError, match="rate must be above 0, got 0"):
        PipelineJob().forward(0.0)
