import numpy as np
import pytest

from perfmodel.labs.offloading.fuyou.inputs import (
    BY_BATCH,
    BY_DRIVES,
    FORWARD_WORK,
    GPT_13B,
    GPT_175B,
    READ,
    WRITTEN,
    Shape,
    measured,
)


def test_twenty_steps_of_five_counts():
    steps = measured()
    assert len(steps.rate) == 20
    counts = dict(zip(*np.unique(steps.drives, return_counts=True), strict=True))
    assert counts == {1: 3, 2: 3, 3: 3, 6: 3, 12: 8}
    assert steps.rate.max() == 155.8e12


def test_two_figures_measured_the_same_configurations():
    """The repeats differ by 0.8 and 5 %: no model can be held to less."""
    apart = [BY_BATCH[batch] / BY_DRIVES[batch][12] - 1 for batch in (32, 64)]
    assert apart == pytest.approx([0.0077, 0.0513], abs=1e-4)


def test_sizes_by_hand():
    assert GPT_13B.parameters == 12 * 40 * 5120**2
    assert GPT_13B.parameters == pytest.approx(12.58e9, rel=1e-3)
    assert GPT_175B.parameters == pytest.approx(174e9, rel=1e-3)
    assert GPT_13B.work == pytest.approx(77.3e12, rel=1e-3)


def test_bytes_of_a_step_by_hand():
    """205 GB read and 180 GB written with the tables of words, 201 and 176 GB without."""
    whole = GPT_13B.parameters + 50_257 * 5120
    assert READ * whole == pytest.approx(205e9, rel=0.003)
    assert WRITTEN * whole == pytest.approx(180e9, rel=0.003)
    assert (READ + WRITTEN) * GPT_13B.parameters == pytest.approx(377e9, rel=0.002)


def test_a_third_of_the_work_is_the_forward_pass():
    forward = FORWARD_WORK * GPT_13B.work
    assert forward == pytest.approx(2 * GPT_13B.parameters * 1024)
    assert GPT_13B.work == 6 * GPT_13B.parameters * 1024


def test_refuses_no_shape():
    with pytest.raises(ValueError, match="layers must be a whole number, 1 or more, got 0"):
        Shape(0, 5120)
