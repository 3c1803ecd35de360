from math import inf

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.serving import (
    StreamedPass,
    capacity_throughput,
    overlap_capacity_gain,
    pass_efficiency,
    resident_tokens,
    saturating_cache,
)

TIMES = StreamedPass(94e9, 19.5e9, 3838.0)
TOKENS = st.integers(1, 400)


@given(TOKENS, TOKENS, st.integers(1, 64))
def test_footprint_is_the_sum_over_passes(prompt, generated, block):
    held = [block * -(-(prompt + age) // block) for age in range(generated + 1)]
    assert resident_tokens(prompt, generated, block) == sum(held)


@given(TOKENS, TOKENS)
def test_efficiency_nears_the_estimate_of_equation_3(prompt, generated):
    """The estimate takes g for g + 1 passes, and is too high by that."""
    estimate = 2 * (prompt + generated) / ((2 * prompt + generated) * generated)
    exact = float(pass_efficiency(prompt, generated))
    assert exact == pytest.approx(estimate * generated / (generated + 1))


def test_hand_values():
    exact = pass_efficiency(98, [32, 64, 128, 256])
    assert exact == pytest.approx([0.03456, 0.01917, 0.01081, 0.00609], abs=5e-6)
    assert float(saturating_cache(19_200, 98, 32)) * 131072 == pytest.approx(72.8e9, rel=1e-3)


@given(TOKENS, TOKENS, st.floats(1, 1e7))
def test_cache_that_saturates_gives_those_tokens(prompt, generated, tokens):
    cache = saturating_cache(tokens, prompt, generated)
    assert cache * pass_efficiency(prompt, generated) == pytest.approx(tokens)


@given(TOKENS, TOKENS, st.floats(1e3, 1e8))
def test_throughput_is_bound_by_cache_or_device(prompt, generated, cache):
    got = float(capacity_throughput(TIMES, prompt, generated, cache))
    begun = cache / float(resident_tokens(prompt, generated))
    device = 3838.0 * generated / (prompt + generated)
    assert got == pytest.approx(min(begun * generated / TIMES.sweep, device))
    corner = float(saturating_cache(TIMES.full_tokens, prompt, generated))
    assert (got == pytest.approx(device)) == (cache >= corner * (1 - 1e-6))


def test_longer_requests_get_less_out_of_a_cache():
    cache = 534_058
    by_prompt = capacity_throughput(TIMES, [98, 196, 392], 256, cache)
    by_length = capacity_throughput(TIMES, 98, [32, 64, 128, 256], cache)
    assert (np.diff(by_prompt) < 0).all()
    assert (np.diff(by_length) < 0).all()


def test_slow_memory_stands_in_for_the_link():
    slow = StreamedPass(94e9, 19.5e9, 3838.0, 131072, 20e9)
    cache = 500_000
    waiting = (94e9 + 131072 * cache) / 20e9
    assert slow.seconds(0, cache) == pytest.approx(waiting)
    ratio = capacity_throughput(slow, 98, 256, cache) / capacity_throughput(TIMES, 98, 256, cache)
    assert ratio == pytest.approx(TIMES.sweep / waiting)


@given(st.floats(0, 1e6), st.floats(1e-3, 1e6))
def test_gain_of_all_ages_lies_between_one_and_two(prompt, generated):
    assert 1 <= overlap_capacity_gain(prompt, generated) <= 2
    assert overlap_capacity_gain(0, generated) == 2


@given(TOKENS, TOKENS)
def test_gain_is_that_of_the_footprint(prompt, generated):
    """Reserved to the end, g + 1 passes hold (g + 1)(p + g) tokens; by age only the footprint."""
    reserved = (generated + 1) * (prompt + generated)
    gain = reserved / resident_tokens(prompt, generated)
    assert overlap_capacity_gain(prompt, generated) == pytest.approx(gain)


def test_channels_and_their_largest():
    times = StreamedPass(100.0, 10.0, 5.0, cache_bytes=2.0, memory=20.0)
    channels = times.channels([10, 100], [0, 200])
    assert channels.tolist() == [[10, 2, 5], [10, 20, 25]]
    assert times.seconds([10, 100], [0, 200]).tolist() == [10, 25]
    assert times.full_tokens == times.fill == 50
    assert StreamedPass(1.0, 1.0, 0.1).fill == 1
    assert StreamedPass(1.0, 1.0, 1.0).memory == inf
