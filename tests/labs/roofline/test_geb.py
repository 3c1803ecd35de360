"""The audit of a claimed generation speed."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.roofline.geb import feasibility
from perfmodel.labs.roofline.geb.feasibility import (
    BANDWIDTH,
    GEB_1_3B,
    PEAK,
    step_bars,
)
from perfmodel.live.drawing import Box
from perfmodel.roofline.decoder import decode_bytes, decoding_bound, saturation_batch

FULL = decode_bytes(GEB_1_3B, 4)


@given(rate=st.floats(0.1, 1e3), size=st.floats(0.25, 4), context=st.integers(0, 10_000))
def test_bound_and_needed_bandwidth_are_inverse(rate, size, context):
    step = decode_bytes(GEB_1_3B, size, context)
    needed = feasibility.claimed_bandwidth(rate, step)
    assert float(decoding_bound(needed, step)) == pytest.approx(rate)


@given(share=st.floats(0, 1), size=st.floats(0.25, 4))
def test_quantization_gains_at_most_the_ratio_of_bytes(share, size):
    gain = float(feasibility.quantization_speedup(size, share))
    assert gain * (1 + 1e-12) >= 1
    assert gain <= 4 / size * (1 + 1e-12)


def test_quantization_without_streaming_gains_nothing():
    assert float(feasibility.quantization_speedup(0.5, 0)) == 1


def test_shapes_by_hand():
    """A layer has 10,485,760 parameters of attention, 4 groups of keys and values, and three
    matrices of 2,048 x 5,632; two tables hold 64,896 words."""
    assert GEB_1_3B.attention_parameters == 10_485_760
    assert GEB_1_3B.parameters == 24 * (10_485_760 + 34_603_008) + 2 * 132_907_008 == 1_347_944_448


def test_bytes_of_a_token_by_hand():
    assert float(FULL) / 1e9 == pytest.approx(4.860, abs=5e-4)
    cached = float(decode_bytes(GEB_1_3B, 4, context=4096) - FULL)
    assert cached / 1e6 == pytest.approx(201, abs=0.5)
    assert cached / float(FULL) == pytest.approx(0.041, abs=5e-4)
    assert cached / float(decode_bytes(GEB_1_3B, 4.5 / 8)) == pytest.approx(0.29, abs=0.005)


def test_claim_by_hand():
    assert float(feasibility.claimed_bandwidth(12, FULL)) / 1e9 == pytest.approx(58.3, abs=0.05)


@pytest.mark.parametrize(("bandwidth", "rate"), [(51.2e9, 10.5), (76.8e9, 15.8), (204.8e9, 42.1)])
def test_bound_by_hand(bandwidth, rate):
    assert float(decoding_bound(bandwidth, FULL)) == pytest.approx(rate, abs=0.05)


@pytest.mark.parametrize(("size", "speedup"), [(2, 2.0), (1, 4.0), (0.5625, 7.1)])
def test_ideal_speedup_by_hand(size, speedup):
    assert float(feasibility.quantization_speedup(size)) == pytest.approx(speedup, abs=0.05)


def test_balance_by_hand():
    """200 GFLOP/s and 50 GB/s with 4 bytes a weight."""
    assert float(saturation_batch(50e9, 200e9, 4)) == 8


# The bars of a step: readable, and as long as the model says.

STATES = list(product((1, 4, 8, 16, 24, 32), (8, 32)))


@pytest.mark.parametrize(("texts", "bits"), STATES)
def test_bars_can_be_read_and_a_step_ends_with_the_longer(texts, bits):
    scene = step_bars(texts, bits)
    assert scene.faults() == []
    reading, *pieces = [shape for shape in scene.shapes if isinstance(shape, Box)]
    assert len(pieces) == texts
    longest = max(reading.width, sum(piece.width for piece in pieces)) * 200 / 328
    assert scene.values["step (ms)"] == pytest.approx(longest)


def test_computing_takes_over_at_the_batch_of_the_bend():
    bend = int(saturation_batch(BANDWIDTH, PEAK, 4))
    assert "both end together" in step_bars(bend, 32).says
    assert "reading decides" in step_bars(bend - 1, 32).says
    assert "computing decides" in step_bars(bend + 1, 32).says


def test_rate_is_batch_over_step():
    values = step_bars(24, 8).values
    assert values["tokens/s, all texts"] == pytest.approx(PEAK / GEB_1_3B.operations_per_token)
