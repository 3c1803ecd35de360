"""Counts of a language model's parameters and bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.roofline.blocks import Attention, Block, FeedForward, LatentAttention
from perfmodel.roofline.decoder import (
    LLAMA_2_7B,
    LLAMA_2_13B,
    LLAMA_2_70B,
    decode_bytes,
    decode_step_time,
    decoding_bound,
    saturation_batch,
)
from perfmodel.roofline.transformer import Decoder

SMALL = Decoder.uniform(2, 8, 12, 4, 2, 10, head_dim=2)

MIXED = Decoder(
    hidden_size=8,
    vocab_size=10,
    blocks=(
        Block(
            Attention(4, 2, 3, value_head_dim=5, sliding_window=7),
            FeedForward(12, matrices=2),
            vectors=11,
        ),
        Block(
            LatentAttention(4, 6, 2, 3, 5, q_lora_rank=7, index_num_heads=2, index_head_dim=9),
            FeedForward(12, experts=4, active=3, shared_width=5, expert_vectors=13),
        ),
        Block(Attention(4, 4, 2, value_matrix=False), FeedForward(12)),
    ),
    tied=True,
    vectors=17,
)


def test_parameters_are_those_of_the_matrices():
    """Build the matrices of a small model and count their elements."""
    kv = 8 // 4 * 2
    layer = [(8, 8), (8, kv), (8, kv), (8, 8), (8, 12), (8, 12), (12, 8)]
    held = 2 * sum(np.zeros(shape).size for shape in layer)
    assert SMALL.layer_parameters == held
    assert SMALL.streamed_parameters == held + 80
    assert SMALL.parameters == held + 160
    assert Decoder.uniform(2, 8, 12, 4, 2, 10, head_dim=2, tied=True).parameters == held + 80
    assert SMALL.kv_numbers == 2 * 2 * kv


def test_mixed_blocks_by_their_matrices():
    """Each matrix of three different layers is written down and counted."""
    windowed = [(8, 4 * 3), (8, 2 * 3), (8, 2 * 5), (4 * 5, 8), (8, 12), (12, 8), (11, 1)]
    latent = [(8, 7), (7, 4 * 5), (8, 6 + 2), (6, 4 * (3 + 5)), (4 * 5, 8)]
    latent += [(7, 2 * 9), (8, 9), (8, 2)]
    expert = [(8, 12), (8, 12), (12, 8), (13, 1)]
    network = [*(4 * expert), (8, 4), (8, 5), (8, 5), (5, 8)]
    keys_only = [(8, 8), (8, 8), (8, 8), *(3 * [(8, 12)])]
    count = lambda shapes: sum(a * b for a, b in shapes)  # noqa: E731
    held = count(windowed) + count(latent) + count(network) + count(keys_only)
    assert MIXED.layer_parameters == held
    assert MIXED.parameters == held + 80 + 17
    assert MIXED.active_parameters == MIXED.parameters - count(expert)
    assert MIXED.operations_per_token == 2 * (held + 80 - count(expert))
    assert MIXED.routed_parameters == 4 * count(expert)


def test_cache_of_mixed_blocks():
    """A window holds 7 tokens; the latent layer keeps one vector, one key and one index."""
    windowed, latent, full = 2 * (3 + 5), 6 + 2 + 9, 4 * (2 + 2)
    assert MIXED.kv_numbers == windowed + latent + full
    assert MIXED.kv_bytes_per_token(1) == MIXED.kv_numbers
    held = MIXED.cached_numbers([5, 100])
    assert held.tolist() == [5 * MIXED.kv_numbers, 7 * windowed + 100 * (latent + full)]
    assert [block.attention.kv_parts for block in MIXED.blocks] == [2, 1, 4]
    pairs = [2 * 4 * (3 + 5), 2 * 4 * (6 + 6 + 2), 2 * 4 * (2 + 2)]
    assert MIXED.pair_operations == sum(pairs)


def test_head_width_is_asked_for():
    """24 heads of 128 in a model 1536 wide, which hidden over heads would make 64."""
    with pytest.raises(TypeError, match="head_dim"):
        Decoder.uniform(20, 1536, 4096, 24, 8, 64_000)  # type: ignore[call-arg]
    shape = Decoder.uniform(20, 1536, 4096, 24, 8, 64_000, head_dim=128)
    assert (shape.kv_numbers, shape.parameters) == (40_960, 825_753_600)


def test_touched_experts_against_drawing_them():
    rng = np.random.default_rng(0)
    feed = FeedForward(16, experts=8, active=2)
    drawn = [len({int(e) for _ in range(5) for e in rng.permutation(8)[:2]}) for _ in range(20_000)]
    assert float(feed.touched(5)) == pytest.approx(np.mean(drawn), abs=0.03)
    assert feed.touched([0, 1, 1e6]).tolist() == pytest.approx([0, 2, 8])
    spare = MIXED.streamed_parameters - MIXED.parameters_read(1)
    assert spare == pytest.approx(MIXED.parameters - MIXED.active_parameters)
    assert MIXED.parameters_read(1e6) == pytest.approx(MIXED.streamed_parameters)


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
    assert model.parameters + (2 * model.layers + 1) * model.hidden_size == published


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
        (
            lambda: Decoder.uniform(0, 8, 12, 4, 2, 10, head_dim=2),
            "num_layers must be a whole number, 1 or more, got 0",
        ),
        (
            lambda: Decoder.uniform(2, 8, 12, 4, 3, 10, head_dim=2),
            "num_kv_heads must divide num_heads 4, got 3",
        ),
        (
            lambda: Decoder(hidden_size=8, vocab_size=9, blocks=()),
            "num_layers must be a whole number",
        ),
        (lambda: Attention(4, 2, 8, chunked=True), "sliding_window must be the length of a chunk"),
        (lambda: FeedForward(4, active=2), "active must be at most experts 1, got 2"),
        (lambda: LatentAttention(4, 8, 2, 4, 4, index_num_heads=2), "must both be 0 or neither"),
        (lambda: LatentAttention(4, 8, 2, 4, 4, None, 2, 4), "q_lora_rank must be given"),
        (lambda: MIXED.block, "layers must be equal for a formula of one layer, got 3 kinds"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
