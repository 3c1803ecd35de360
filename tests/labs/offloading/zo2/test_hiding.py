"""The step as a flow shop: hand values, the threshold, and the width that drops out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.labs.offloading.zo2.hiding import (
    StageTimes,
    blocks_time,
    held_up,
    slots_to_hide,
    stage_times,
    tokens_to_hide,
)
from perfmodel.labs.offloading.zo2.inputs import SHAPES, Accelerator, accelerator
from perfmodel.offloading import run_flow_shop

ROUND = Accelerator(150e12, 25e9, 2e12)  # not from the registry: round numbers for hand values
POSITIVE = st.floats(0.1, 10.0)


def test_thresholds_by_hand():
    assert tokens_to_hide(ROUND) == pytest.approx(3000)
    fast = Accelerator(300e12, 25e9, 2e12)  # not from the registry: round numbers
    single = Accelerator(19.5e12, 25e9, 2e12)  # not from the registry: an exercise's inputs
    assert tokens_to_hide(fast) == pytest.approx(6000)
    assert tokens_to_hide(single, weight_bytes=4) == pytest.approx(780)


@settings(deadline=None)
@given(POSITIVE, POSITIVE, POSITIVE, st.sampled_from([0, 10, 37]), st.integers(256, 20_000))
def test_at_the_threshold_link_and_gpu_take_as_long_at_any_width(rate, link, memory, q, width):
    machine = Accelerator(rate * 1e14, link * 1e10, memory * 1e12)
    tokens = tokens_to_hide(machine, traffic=q)
    load, compute, store = stage_times(width, tokens, machine, traffic=q)
    assert load == store
    if tokens > 0:
        assert compute == pytest.approx(load)
    else:
        assert compute >= load * (1 - 1e-12)


def test_a_sequence_for_each_number_of_tokens():
    tokens = np.array([128.0, 4096.0])
    both = stage_times(2048, tokens, ROUND, sequence=np.minimum(tokens, 2048))
    for place, each in enumerate(tokens):
        one = stage_times(2048, each, ROUND, sequence=min(each, 2048))
        assert both.compute[place] == one.compute


def test_noise_alone_may_hide_the_link():
    slow_memory = Accelerator(1e14, 5e10, 1e12)  # not from the registry: a made-up machine
    assert tokens_to_hide(slow_memory, traffic=37) == 0


def test_attention_helps_narrow_models_most():
    machine = accelerator()
    ratios = [
        float(t.compute / t.load)
        for t in (
            stage_times(h, 2048, machine, sequence=2048, traffic=0) for _, h in SHAPES.values()
        )
    ]
    assert ratios == sorted(ratios, reverse=True)
    assert ratios[0] / ratios[-1] == pytest.approx((1 + 1 / 6) / (1 + 1 / 36))


@settings(deadline=None)
@given(POSITIVE, POSITIVE, POSITIVE, st.integers(20, 60))
def test_with_enough_slots_the_slowest_stage_sets_the_pace(load, compute, store, blocks):
    times = StageTimes(*map(np.array, (load, compute, store)))
    slots = slots_to_hide(times)
    assert 1 <= slots <= 3
    paced = sum(times) + (blocks - 1) * max(times)
    assert blocks_time(times, blocks, slots) == pytest.approx(paced)
    played = run_flow_shop([(load, compute, store)] * blocks, slots).makespan
    assert blocks_time(times, blocks, slots) == pytest.approx(float(played))
    if slots > 1 and sum(times) / max(times) > slots - 1 + 1e-6:
        assert blocks_time(times, blocks, slots - 1) > paced


def test_bad_input():
    with pytest.raises(ValueError, match="width must be above 0"):
        stage_times(0, 1, ROUND)
    with pytest.raises(ValueError, match="tokens must be 0 or more"):
        stage_times(1, -1, ROUND)
    with pytest.raises(ValueError, match="traffic must be 0 or more"):
        tokens_to_hide(ROUND, traffic=-1)
    with pytest.raises(ValueError, match="weight_bytes must be above 0"):
        tokens_to_hide(ROUND, weight_bytes=0)
    with pytest.raises(ValueError, match="times must be above 0"):
        slots_to_hide(StageTimes(np.array(0.0), np.array(1.0), np.array(1.0)))


def test_held_up_blocks():
    times = StageTimes(*map(np.array, (2.0, 3.0, 2.0)))
    made = held_up(times, 4000, 0.25, 4.0)
    assert np.unique(made[:, 0]).tolist() == [2.0, 8.0]
    assert (made[:, 0] == 8).mean() == pytest.approx(0.25, abs=0.03)
    assert (made[:, 1:] == [3.0, 2.0]).all()
    with pytest.raises(ValueError, match="share must"):
        held_up(times, 4, 1.5, 4.0)
    with pytest.raises(ValueError, match="factor must be 1 or more"):
        held_up(times, 4, 0.5, 0.5)
