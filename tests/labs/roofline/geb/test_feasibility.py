"""The audit of a claimed generation speed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfmodel.labs.roofline.geb import feasibility
from perfmodel.roofline.decoder import decode_bytes, decoding_bound


@given(rate=st.floats(0.1, 1e3), size=st.floats(0.25, 4), context=st.integers(0, 10_000))
def test_bound_and_needed_bandwidth_are_inverse(rate, size, context):
    step = decode_bytes(feasibility.ASSUMED, size, context)
    needed = feasibility.bandwidth_needed(rate, step)
    assert float(decoding_bound(needed, step)) == pytest.approx(rate)


@given(share=st.floats(0, 1), size=st.floats(0.25, 4))
def test_quantization_gains_at_most_the_ratio_of_bytes(share, size):
    gain = float(feasibility.quantization_speedup(size, share))
    assert gain * (1 + 1e-12) >= 1
    assert gain <= 4 / size * (1 + 1e-12)


def test_quantization_without_streaming_gains_nothing():
    assert float(feasibility.quantization_speedup(0.5, 0)) == 1


def test_training_by_hand():
    assert (
        float(feasibility.training_operations(feasibility.ASSUMED, 2))
        == 12 * feasibility.ASSUMED.parameters
    )
    assert (
        float(feasibility.overtraining(feasibility.ASSUMED, feasibility.ASSUMED.parameters * 40))
        == 2
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: feasibility.memory_bandwidth(0, 3.2e9), "channels must be above 0"),
        (lambda: feasibility.memory_bandwidth(2, -1), "transfers must be above 0"),
        (lambda: feasibility.bandwidth_needed(0, 1), "rate must be above 0"),
        (
            lambda: feasibility.quantization_speedup(1, 1.2),
            "streaming_share must be between 0 and 1",
        ),
        (lambda: feasibility.training_operations(feasibility.ASSUMED, 0), "tokens must be above 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
