import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.roofline import (
    LLAMA_2_7B,
    LLAMA_2_70B,
    Attention,
    Block,
    Decoder,
    FeedForward,
    LatentAttention,
    decode_step_time,
)
from perfmodel.serving.step_times.decoder_steps import DecoderSteps

PLAIN = DecoderSteps(LLAMA_2_70B, 1e15, 3e12)
SHARED = DecoderSteps(
    LLAMA_2_70B, 1e15, 3e12, 4, exchange_latency=1e-5, exchange_byte_time=5e-12, overhead=1e-3,
    sequence_overhead=2e-4,
)  # fmt: skip


def mixture(experts: int, active: int) -> Decoder:
    """Mixtral's layers with some of its experts."""
    block = Block(Attention(32, 8, 128), FeedForward(14336, experts=experts, active=active))
    return Decoder(hidden_size=4096, vocab_size=32_000, blocks=(block,) * 32)


MIXTRAL = mixture(8, 2)


def test_decoding_without_context_is_the_roofline_of_the_topic_before():
    batch = np.array([1, 16, 256, 4096])
    ours = DecoderSteps(LLAMA_2_7B, 1e14, 1e12).seconds(sequences=batch)
    theirs = decode_step_time(LLAMA_2_7B, batch, 1e12, 1e14, 2)
    # Ours also counts the keys and values that each new token writes, half a megabyte.
    assert ours == pytest.approx(theirs, rel=0.002)


def test_parts_by_hand():
    """70B: 68.7e9 parameters are read; a token holds 327,680 bytes of keys and values."""
    streamed = LLAMA_2_70B.streamed_parameters
    assert PLAIN.cache_token_bytes == 2 * 80 * 1024 * 2 == 327_680
    read = (2 * streamed + 327_680 * 10_001) / 3e12
    assert float(PLAIN.memory(1, 10_000)) == pytest.approx(read)
    work = 2 * LLAMA_2_70B.layer_parameters * 3000 + 4 * 80 * 8192 * 3000 * 3001 / 2
    assert float(PLAIN.compute(3000, pairs=3000 * 3001 / 2)) == pytest.approx(work / 1e15)


def test_devices_share_the_work_and_pay_for_the_exchange():
    alone = PLAIN.seconds(0, 32, 20_000)
    four = DecoderSteps(LLAMA_2_70B, 1e15, 3e12, 4).seconds(0, 32, 20_000)
    assert four == pytest.approx(alone / 4)
    exchange = 160 * (1e-5 + 5e-12 * 2 * 8192 * 32)
    assert float(SHARED.exchange(32)) == pytest.approx(exchange)
    assert float(SHARED.seconds(0, 32, 20_000) - four) == pytest.approx(exchange + 1e-3 + 32 * 2e-4)


def test_cache_is_cut_by_heads_at_most():
    eight, sixteen = (DecoderSteps(LLAMA_2_70B, 1e15, 3e12, p) for p in (8, 16))
    assert eight.cache_token_bytes == sixteen.cache_token_bytes == 327_680 / 8


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 5000), st.integers(0, 300), st.integers(0, 500_000), st.integers(0, 10**7)
)  # fmt: skip
def test_pieces_and_table_are_the_same_model(prompt, sequences, cached, pairs):
    direct = SHARED.seconds(prompt, sequences, cached, pairs)
    assert SHARED.pieces().seconds(prompt, sequences, cached, pairs) == pytest.approx(direct)
    grid = SHARED.table([1, 301], [0, 500_000])
    if sequences:
        direct = SHARED.seconds(0, sequences, cached)
        assert grid.seconds(0, sequences, cached) == pytest.approx(direct)


def test_experts_cost_memory_more_than_work():
    """One token reads and computes two experts; many tokens read all and compute two each."""
    one, two = (DecoderSteps(mixture(experts, 2), 1e15, 3e12) for experts in (8, 2))
    router = 6 * 32 * 4096
    assert one.memory(1) - two.memory(1) == pytest.approx(2 * router / 3e12)
    assert one.compute(4096) - two.compute(4096) == pytest.approx(2 * router * 4096 / 1e15)
    extra = 6 * 32 * 3 * 4096 * 14336 + router
    assert one.memory(1e6) - two.memory(1e6) == pytest.approx(extra * 2 / 3e12)
    assert one.parameters - two.parameters == extra


def test_latent_cache_is_not_cut():
    latent = LatentAttention(128, 512, 64, 128, 128, q_lora_rank=1536)
    model = Decoder(
        hidden_size=7168, vocab_size=129_280, blocks=(Block(latent, FeedForward(18_432)),)
    )
    one, eight = (DecoderSteps(model, 1e15, 3e12, p).cache_token_bytes for p in (1, 8))
    assert one == eight == 2 * 576


def test_refuses():
    with pytest.raises(ValueError, match="model must be dense for linear pieces"):
        DecoderSteps(MIXTRAL, 1e15, 3e12).pieces()
    windowed = Block(Attention(8, 8, 64, sliding_window=128), FeedForward(1024))
    with pytest.raises(ValueError, match=r"model must have no windows here, got .* \[128\] tokens"):
        DecoderSteps(Decoder(hidden_size=512, vocab_size=100, blocks=(windowed,)), 1e15, 3e12)
    with pytest.raises(ValueError, match="cached must be 0 or more"):
        PLAIN.seconds(cached=-1)
