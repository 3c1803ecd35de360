import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.serving import (
    StreamedPass,
    capacity_throughput,
    even_batch,
    resident_tokens,
    separate_phases,
    simulate_weight_streaming,
)

LINK_BOUND = StreamedPass(100.0, 100.0, token_rate=1e9)
SIZES = st.integers(1, 30)


@given(SIZES, SIZES, st.integers(1, 8), st.integers(1, 200), st.floats(1, 9))
def test_even_batch_is_what_is_played(prompt, generated, block, requests, room):
    """Where nothing but the link binds: the same passes, nobody thrown out, never out of room."""
    cache = room * float(resident_tokens(prompt, generated, block))
    estimate = even_batch(requests, prompt, generated, cache, LINK_BOUND, block)
    run = simulate_weight_streaming(
        [prompt] * requests,
        [generated] * requests,
        cache,
        LINK_BOUND,
        block=block,
        admitted=estimate.admitted,
    )
    assert run.seconds.size == estimate.weight_passes
    assert run.makespan == pytest.approx(estimate.seconds)
    assert run.throughput == pytest.approx(estimate.throughput)
    assert run.device == pytest.approx(estimate.device)
    assert not run.preempted.any()
    assert run.blocks.max() * block <= cache


@given(SIZES, SIZES, st.integers(1, 200), st.floats(1, 9), st.floats(20, 2000))
def test_a_slow_device_makes_it_a_bound(prompt, generated, requests, room, rate):
    """Passes at both ends that aren't full are counted as if they were: never too fast."""
    times = StreamedPass(100.0, 100.0, token_rate=rate)
    cache = room * float(resident_tokens(prompt, generated))
    estimate = even_batch(requests, prompt, generated, cache, times)
    run = simulate_weight_streaming(
        [prompt] * requests,
        [generated] * requests,
        cache,
        times,
        tokens=10**9,
        block=1,
        admitted=estimate.admitted,
    )
    assert run.makespan <= estimate.seconds * (1 + 1e-9)
    assert (
        estimate.seconds - run.makespan <= (2 * generated + 1) * estimate.seconds / run.seconds.size
    )


@given(SIZES, SIZES, st.integers(5, 300))
def test_endless_batches_tend_to_the_steady_stream(prompt, generated, begun):
    cache = begun * float(resident_tokens(prompt, generated))
    steady = float(capacity_throughput(LINK_BOUND, prompt, generated, cache))
    batch = even_batch(10**7, prompt, generated, cache, LINK_BOUND)
    assert batch.admitted == begun
    assert batch.throughput <= steady * (1 + 1e-9)
    assert batch.throughput == pytest.approx(steady, rel=1e-5 * begun * (generated + 1))


@given(SIZES, SIZES, st.integers(1, 50), st.floats(5, 1e4))
def test_a_round_of_separate_phases_is_what_is_played(prompt, generated, requests, rate):
    times = StreamedPass(100.0, 100.0, rate, cache_bytes=0.3, memory=150.0)
    cache = requests * (prompt + generated)
    estimate = separate_phases(requests, prompt, generated, cache, times)
    run = simulate_weight_streaming(
        [prompt] * requests,
        [generated] * requests,
        cache,
        times,
        tokens=requests * prompt,
        block=1,
    )
    assert estimate.admitted == requests
    assert estimate.weight_passes == run.seconds.size == generated + 1
    assert estimate.seconds == pytest.approx(run.makespan)
    assert estimate.device == pytest.approx(run.device)


def test_rounds_add_up():
    """Seven requests, three at a time: two full rounds, and one of a single request."""
    times = StreamedPass(100.0, 100.0, 8.0)
    whole = separate_phases(7, 4, 2, 3 * 6, times)
    parts = [separate_phases(size, 4, 2, 3 * 6, times) for size in (3, 3, 1)]
    assert whole.seconds == pytest.approx(sum(part.seconds for part in parts))
    assert whole.weight_passes == sum(part.weight_passes for part in parts) == 9
    assert separate_phases(6, 4, 2, 3 * 6, times).weight_passes == 6


def test_all_ages_beat_one_age_for_long_batches():
    """The link works while prompts are computed, and the cache holds more sequences."""
    times = StreamedPass(94e9, 19.5e9, 3838.0)
    for memory in np.array([35e9, 70e9, 140e9]) / 131072:
        together = even_batch(100_000, 98, 64, memory, times).throughput
        assert together > 1.2 * separate_phases(100_000, 98, 64, memory, times).throughput


def test_refuses():
    with pytest.raises(ValueError, match="cache must hold a footprint of 15 tokens"):
        even_batch(10, 4, 2, 14, LINK_BOUND)
    with pytest.raises(ValueError, match="cache must hold 8 tokens of one sequence, got 7"):
        separate_phases(10, 4, 2, 7, LINK_BOUND, block=4)
