"""Counts of a language model's parameters and bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.roofline.decoder import (
    LLAMA_2_7B,
    LLAMA_2_13B,
    LLAMA_2_70B,
    Decoder,
    decode_bytes,
    decode_step_time,
    decoding_bound,
    saturation_batch,
)

SMALL = Decoder(2, 8, 12, 4, 2, 10)


def test_parameters_are_those_of_the_matrices():
    """Build the matrices of a small model and count their elements."""
    kv = 8 // 4 * 2
    layer = [(8, 8), (8, kv), (8, kv), (8, 8), (8, 12), (8, 12), (12, 8)]
    held = 2 * sum(np.zeros(shape).size for shape in layer)
    assert SMALL.layer_parameters == held
    assert SMALL.streamed_parameters == held + 80
    assert SMALL.parameters == held + 160
    assert Decoder(2, 8, 12, 4, 2, 10, tied=True).parameters == held + 80
    assert SMALL.kv_numbers == 2 * 2 * kv


@pytest.mark.parametrize(
    ("model", "published"),
    [
        (LLAMA_2_7B, 6_738_415_616),
        (LLAMA_2_13B, 13_015_864_320),
        (LLAMA_2_70B, 68_976_648_192),
    ],
)
def test_released_models_have_their_published_size(model, published):
    """To the last one, once the norms are added: two a layer and one at the end."""
    assert model.parameters + (2 * model.layers + 1) * model.hidden == published


def test_kv_cache_of_a_batch_by_hand():
    """Llama-2-7B, 8 sequences of 4,096 tokens in FP16: exactly 16 GiB."""
    cache = decode_bytes(LLAMA_2_7B, 2, context=8 * 4096) - decode_bytes(LLAMA_2_7B, 2)
    assert cache == 16 * 2**30


@given(batch=st.integers(1, 500), bandwidth=st.floats(1e9, 1e13), peak=st.floats(1e9, 1e15))
def test_step_is_flat_and_then_proportional_to_the_batch(batch, bandwidth, peak):
    knee = float(saturation_batch(bandwidth, peak, 2))
    alone = float(decode_step_time(SMALL, 1, bandwidth, 1e30, 2))
    expected = alone * max(1.0, batch / knee)
    assert float(decode_step_time(SMALL, batch, bandwidth, peak, 2)) == pytest.approx(expected)


def test_bound_by_hand():
    assert float(decoding_bound(100e9, 10e9)) == 10
    assert float(decoding_bound(100e9, 10e9, batch=4)) == 40


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Decoder(0, 8, 12, 4, 2, 10), "layers must be a whole number, 1 or more, got 0"),
        (lambda: Decoder(2, 8, 12, 3, 3, 10), "heads must divide hidden 8, got 3"),
        (lambda: Decoder(2, 8, 12, 4, 3, 10), "kv_heads must divide heads 4, got 3"),
        (lambda: decode_bytes(SMALL, 0), "bytes_per_weight must be above 0"),
        (lambda: decode_bytes(SMALL, 2, context=-1), "context must be 0 or more"),
        (lambda: decoding_bound(0, 1), "bandwidth must be above 0, got 0"),
        (lambda: decoding_bound(1, -1), "step_bytes must be above 0"),
        (lambda: decoding_bound(1, 1, 0), "batch must be 1 or more"),
        (lambda: decode_step_time(SMALL, 1, 1, np.nan, 2), "peak must be finite"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
