import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.roofline import LLAMA_2_7B, LLAMA_2_70B, Decoder, decode_step_time
from perfmodel.serving.step_times.decoder_steps import DecoderSteps

PLAIN = DecoderSteps(LLAMA_2_70B, 1e15, 3e12)
SHARED = DecoderSteps(
    LLAMA_2_70B, 1e15, 3e12, 4, exchange_latency=1e-5, exchange_byte_time=5e-12, overhead=1e-3,
    sequence_overhead=2e-4,
)  # fmt: skip
MIXTRAL = Decoder(32, 4096, 14336, 32, 8, 32_000)


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


def test_touched_experts_against_drawing_them():
    rng = np.random.default_rng(0)
    steps = DecoderSteps(MIXTRAL, 1e15, 3e12, experts=8, active=2)
    drawn = [len({int(e) for _ in range(5) for e in rng.permutation(8)[:2]}) for _ in range(20_000)]
    assert float(steps.touched(5)) == pytest.approx(np.mean(drawn), abs=0.03)
    assert steps.touched([0, 1, 1e6]).tolist() == pytest.approx([0, 2, 8])


def test_experts_cost_memory_more_than_work():
    """One token reads and computes two experts; many tokens read all and compute two each."""
    one, two = (DecoderSteps(MIXTRAL, 1e15, 3e12, experts=e, active=a) for e, a in ((8, 2), (2, 2)))
    assert one.seconds(0, 1) == pytest.approx(two.seconds(0, 1))
    assert one.compute(4096) == pytest.approx(two.compute(4096))
    extra = 6 * MIXTRAL.layers * MIXTRAL.feed_forward_parameters * 2 / 3e12
    assert one.memory(1e6) - two.memory(1e6) == pytest.approx(extra)
    assert one.parameters - two.parameters == 6 * MIXTRAL.layers * MIXTRAL.feed_forward_parameters
    dense = DecoderSteps(MIXTRAL, 1e15, 3e12)
    assert dense.memory(0) == dense.parameters * 2 / 3e12


def test_refuses():
    with pytest.raises(ValueError, match="bandwidth must be above 0"):
        DecoderSteps(LLAMA_2_7B, 1e14, 0.0)
    with pytest.raises(ValueError, match="tensor must be a whole number, 1 or more, got 0"):
        DecoderSteps(LLAMA_2_7B, 1e14, 1e12, 0)
    with pytest.raises(ValueError, match="active must be at most experts 1, got 2"):
        DecoderSteps(LLAMA_2_7B, 1e14, 1e12, active=2)
    with pytest.raises(ValueError, match="experts must be 1 for linear pieces, got 8"):
        DecoderSteps(MIXTRAL, 1e15, 3e12, experts=8, active=2).pieces()
    with pytest.raises(ValueError, match="cached must be 0 or more"):
        PLAIN.seconds(cached=-1)
