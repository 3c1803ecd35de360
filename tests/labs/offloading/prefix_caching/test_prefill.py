"""Work saved and bandwidth needed: hand values and limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.offloading.prefix_caching.inputs import KV_BYTES, PEAKS
from perfmodel.labs.offloading.prefix_caching.prefill import (
    LINEAR,
    SQUARE,
    blocks_in,
    least_bandwidth,
    prefill_flop,
    work_saved,
)

PEAK = PEAKS["8 x A800"]


def test_attention_is_half_of_the_work_at_45056_tokens() -> None:
    assert pytest.approx(45_056) == LINEAR / SQUARE
    assert prefill_flop(45_056) == pytest.approx(2 * LINEAR * 45_056)


@pytest.mark.parametrize(
    ("reused", "peak", "rate"),
    [(8192, "8 x A800", 5.86), (8192, "8 x H800", 18.57), (32_768, "8 x A800", 4.01)],
)
def test_bandwidth(reused: int, peak: str, rate: float) -> None:
    assert least_bandwidth(reused, PEAKS[peak]) / 1e9 == pytest.approx(rate, abs=0.005)


def test_at_that_bandwidth_fetching_takes_as_long() -> None:
    for tokens in (1, 512, 100_000):
        seconds = tokens * KV_BYTES / least_bandwidth(tokens, PEAK)
        assert seconds == pytest.approx(float(prefill_flop(tokens)) / PEAK)


def test_longer_prefixes_need_less() -> None:
    assert (np.diff(least_bandwidth(np.geomspace(1, 1e6, 50), PEAK)) < 0).all()


@given(st.integers(1, 10**6), st.floats(0, 1))
def test_a_request_saves_less_work_than_tokens(prompt: int, share: float) -> None:
    assert work_saved(prompt, share * prompt) <= share + 1e-9


def test_hand_values() -> None:
    assert work_saved(131_072, 0.95 * 131_072) == pytest.approx(0.915, abs=5e-4)
    assert work_saved([100, 100], [100, 0]) == pytest.approx(0.5)
    assert blocks_in(1e12) == 5960


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: prefill_flop(-1), "tokens must be 0 or more"),
        (lambda: work_saved(0, 0), "prompt must be above 0"),
        (lambda: work_saved(5, 6), "reused must be at most prompt"),
        (lambda: work_saved(5, -1), "reused must be 0 or more"),
        (lambda: least_bandwidth(0, PEAK), "reused must be above 0"),
        (lambda: least_bandwidth(1, 0), "peak must be above 0"),
        (lambda: blocks_in(0), "memory must be above 0"),
    ],
)
def test_bad_input(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
